//! `resources`: search and filters of stock resources.

use std::collections::BTreeMap;
use std::sync::Arc;

use asset_api_server::Context;
use asset_api_server::models::resources as models;
use asset_api_server::resources::ResourcesApi;

use super::authenticate::Caller;
use super::icons::count;
use super::language::Preference;
use super::{Api, ApiResult, MAX_LIMIT, paging, refusal};
use crate::catalogue::query::{ResourceOrder, ResourceQuery};
use crate::catalogue::{Appearance, FormatFile, Kind, Orientation, Summary, Tag, Thumbnail, relevance};
use crate::domain::Page;
use crate::store::FoundResource;
use crate::time::{Millis, timestamp};
use crate::trace;

mod filters;

/// The last page that the document allows.
const LAST_PAGE: i64 = 100;

/// The maximum number of related resources per kind.
const RELATED: u32 = 4;

/// How long a resource counts as new.
const NEW: Millis = 30 * 24 * 60 * 60 * 1000;

impl ResourcesApi for Api {
    type Principal = Caller;

    async fn list_resources(
        &self,
        context: Context<Caller>,
        input: models::ListResourcesInput,
    ) -> ApiResult<models::ResourceListResponse> {
        if !self.has_catalogue {
            return Err(refusal::no_catalogue());
        }
        let now = self.submitter.clock.now();
        let limit = input.limit.unwrap_or(20).clamp(1, MAX_LIMIT);
        let page = input.page.unwrap_or(1).max(1);
        let term = input.term.as_deref().unwrap_or_default();
        let Page { offset, limit: most } = paging(page, limit);
        let mut query = ResourceQuery {
            words: relevance::words(term),
            order: match input.order {
                Some(models::ResourceOrder::Recent) => ResourceOrder::Recent,
                _ => ResourceOrder::Relevance,
            },
            offset,
            limit: most,
            related: RELATED,
            ..ResourceQuery::default()
        };
        if let Some(filters) = &input.filters {
            filters::apply(filters, &mut query, now);
        }
        let found = trace::stored("search_resources", self.store.search_resources(&query))
            .await
            .map_err(refusal::store)?;
        let language = Preference::of(&context, input.accept_language.as_deref());
        let mut meta = meta(found.total, page, limit);
        meta.clean_search = Some(relevance::is_clean(term));
        let shown = found.items.into_iter().map(|found| self.resource(found, &language, now));
        Ok(models::ResourceListResponse::new(shown.collect(), meta))
    }
}

fn meta(total: u64, page: i64, limit: i64) -> models::PageMeta {
    let total = count(total);
    let last = total.saturating_add(limit - 1).div_euclid(limit).clamp(1, LAST_PAGE);
    models::PageMeta::new(page, last, limit, total)
}

impl Api {
    fn resource(&self, found: FoundResource, language: &Preference, now: Millis) -> models::Resource {
        let FoundResource { resource, of_author, series, others } = found;
        let keyword = |tag: Tag| models::ResourceKeyword::new(tag.name, tag.slug);
        let summaries =
            |all: &[Arc<Summary>]| all.iter().map(|other| self.summary(other, language)).collect();
        let appearance = resource.facets.appearance();
        models::Resource::new(models::ResourceFields {
            id: resource.id,
            title: language.title(&resource.title, &resource.titles).to_owned(),
            url: self.urls.of_catalogue(&resource.key),
            filename: resource.filename,
            licenses: vec![self.license(appearance)],
            products: vec![self.product(appearance)],
            meta: models::ResourceMeta::new(
                timestamp(resource.published_at),
                now.saturating_sub(resource.published_at) < NEW,
                formats(resource.formats),
            ),
            image: self.image(appearance, &resource.preview),
            related: models::RelatedResources::new(
                summaries(&series),
                summaries(&others),
                resource.keywords.into_iter().map(keyword).collect(),
            ),
            stats: models::ResourceStats::new(i64::from(resource.downloads), i64::from(resource.likes)),
            author: self.author(&resource.author, Some(of_author)),
        })
    }

    fn summary(&self, other: &Summary, language: &Preference) -> models::ResourceSummary {
        models::ResourceSummary::new(
            other.id,
            language.title(&other.title, &other.titles),
            self.urls.of_catalogue(&other.key),
            self.image(other.appearance, &other.preview),
            vec![self.license(other.appearance)],
            self.author(&other.author, None),
        )
    }

    fn image(&self, appearance: Appearance, preview: &Thumbnail) -> models::ResourceImage {
        let kind = match appearance.kind {
            Kind::Photo => models::ResourceImageType::Photo,
            Kind::Vector => models::ResourceImageType::Vector,
            Kind::Psd => models::ResourceImageType::Psd,
        };
        let orientation = match appearance.orientation {
            Orientation::Horizontal => models::ResourceImageOrientation::Horizontal,
            Orientation::Vertical => models::ResourceImageOrientation::Vertical,
            Orientation::Square => models::ResourceImageOrientation::Square,
            Orientation::Panoramic => models::ResourceImageOrientation::Panoramic,
            Orientation::Unknown => models::ResourceImageOrientation::Unknown,
        };
        let size = format!("{}x{}", preview.width, preview.height);
        let source = models::ResourceImageSource::new(self.urls.of_catalogue(&preview.key), "large", size);
        models::ResourceImage::new(kind, orientation, source)
    }

    fn license(&self, appearance: Appearance) -> models::ResourceLicense {
        let (kind, page) = if appearance.premium {
            (models::ResourceLicenseType::Premium, "licenses/premium")
        } else {
            (models::ResourceLicenseType::Freemium, "licenses/freemium")
        };
        models::ResourceLicense::new(kind, self.urls.page(page))
    }

    fn product(&self, appearance: Appearance) -> models::ResourceProduct {
        let name = if appearance.premium { "premium" } else { "essential" };
        models::ResourceProduct::new(name, self.urls.page(&format!("products/{name}")))
    }
}

fn formats(mut all: BTreeMap<String, Vec<FormatFile>>) -> models::AvailableFormats {
    let mut of = |name: &str| {
        let files = all.remove(name)?;
        Some(models::FormatFiles::new(
            count(files.len() as u64),
            files.into_iter().map(format_file).collect(),
        ))
    };
    let mut formats = models::AvailableFormats::default();
    formats.psd = of("psd");
    formats.jpg = of("jpg");
    formats.zip = of("zip");
    formats.svg = of("svg");
    formats.ai = of("ai");
    formats.png = of("png");
    formats.eps = of("eps");
    formats.fonts = of("fonts");
    formats.resources = of("resources");
    formats.n_3d_render = of("3d-render");
    formats.atn = of("atn");
    formats
}

fn format_file(file: FormatFile) -> models::FormatFile {
    let mut shown = models::FormatFile::new(file.id, count(file.size));
    shown.name = file.name;
    shown.colorspace = file.colorspace;
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_page_can_be_requested() {
        for (total, limit, last) in
            [(0, 20, 1), (20, 20, 1), (21, 20, 2), (100, 1, 100), (101, 1, 100), (u64::MAX, 1, 100)]
        {
            assert_eq!(meta(total, 1, limit).last_page, last, "{total} {limit}");
        }
    }
}
