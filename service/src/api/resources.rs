//! `resources`: stock resources, searched and filtered.

use asset_api_server::models::resources as models;
use asset_api_server::resources::ResourcesApi;
use asset_api_server::{Context, Failure};

use super::authenticate::Caller;
use super::icons::count;
use super::language::Preference;
use super::{Answer, Api, refusal};
use crate::catalogue::query::{Found, ResourceOrder, ResourceQuery};
use crate::catalogue::{Facets, FormatFile, Resource, Summary, Tag, Thumbnail, relevance};
use crate::store::RelatedResources;
use crate::tasks::view;
use crate::time::Millis;

mod filters;

/// The most resources of a page.
const MAX_LIMIT: i64 = 100;

/// How many related resources of each kind are named.
const RELATED: u32 = 4;

/// For how long a resource is new.
const NEW: Millis = 30 * 24 * 60 * 60 * 1000;

impl ResourcesApi for Api {
    type Principal = Caller;

    async fn list_resources(
        &self,
        context: Context<Caller>,
        input: models::ListResourcesInput,
    ) -> Answer<models::ResourceListResponse> {
        let now = self.submitter.clock.now();
        let limit = input.limit.unwrap_or(20).clamp(1, MAX_LIMIT);
        let page = input.page.unwrap_or(1).max(1);
        let mut query = ResourceQuery {
            words: relevance::words(input.term.as_deref().unwrap_or_default()),
            order: match input.order {
                Some(models::ResourceOrder::Recent) => ResourceOrder::Recent,
                _ => ResourceOrder::Relevance,
            },
            offset: u64::try_from((page - 1).saturating_mul(limit)).unwrap_or_default(),
            limit: u32::try_from(limit).unwrap_or_default(),
            ..ResourceQuery::default()
        };
        if let Some(filters) = &input.filters {
            filters::apply(filters, &mut query, now);
        }
        let mut found = self.store.search_resources(&query).await.map_err(refusal::store)?;
        let authors: Vec<i64> = found.items.iter().map(|resource| resource.author.id).collect();
        let assets = self.store.resource_totals(&authors).await.map_err(refusal::store)?;
        let mut related =
            self.store.related_resources(&found.items, RELATED).await.map_err(refusal::store)?;
        let language = Preference::of(&context, input.accept_language.as_deref());
        let others =
            related.iter_mut().flat_map(|related| [&mut related.series, &mut related.others]).flatten();
        others.for_each(|summary| language.summary(summary));
        found.items.iter_mut().for_each(|resource| language.resource(resource));
        let mut shown = Vec::with_capacity(found.items.len());
        for ((resource, related), assets) in found.items.iter().zip(&related).zip(assets) {
            shown.push(self.resource(resource, related, assets, now)?);
        }
        Ok(models::ResourceListResponse::new(shown, meta(&found, page, limit)))
    }
}

fn meta(found: &Found<Resource>, page: i64, limit: i64) -> models::PageMeta {
    let total = count(found.total);
    let last = total.saturating_add(limit - 1).div_euclid(limit).max(1);
    let mut meta = models::PageMeta::new(page, last, limit, total);
    meta.clean_search = Some(true);
    meta
}

impl Api {
    fn resource(
        &self,
        resource: &Resource,
        related: &RelatedResources,
        assets: u64,
        now: Millis,
    ) -> Answer<models::Resource> {
        let published = view::timestamp(resource.published_at)
            .ok_or_else(|| Failure::internal("a resource's time is out of range"))?;
        let keyword = |tag: &Tag| models::ResourceKeyword::new(&tag.name, &tag.slug);
        Ok(models::Resource::new(models::ResourceFields {
            id: resource.id,
            title: resource.title.clone(),
            url: self.urls.of_catalogue(&resource.key),
            filename: resource.filename.clone(),
            licenses: vec![self.license(&resource.facets)],
            products: vec![self.product(&resource.facets)],
            meta: models::ResourceMeta::new(
                published,
                now.saturating_sub(resource.published_at) < NEW,
                formats(resource),
            ),
            image: self.image(&resource.facets, &resource.preview),
            related: models::RelatedResources::new(
                related.series.iter().map(|other| self.summary(other)).collect(),
                related.others.iter().map(|other| self.summary(other)).collect(),
                resource.keywords.iter().map(keyword).collect(),
            ),
            stats: models::ResourceStats::new(i64::from(resource.downloads), i64::from(resource.likes)),
            author: self.author(&resource.author, Some(assets)),
        }))
    }

    fn summary(&self, resource: &Summary) -> models::ResourceSummary {
        models::ResourceSummary::new(
            resource.id,
            &resource.title,
            self.urls.of_catalogue(&resource.key),
            self.image(&resource.facets, &resource.preview),
            vec![self.license(&resource.facets)],
            self.author(&resource.author, None),
        )
    }

    fn image(&self, facets: &Facets, preview: &Thumbnail) -> models::ResourceImage {
        use models::{ResourceImageOrientation as Orientation, ResourceImageType as Kind};
        let kind = match facets.kind.as_str() {
            "vector" => Kind::Vector,
            "psd" => Kind::Psd,
            _ => Kind::Photo,
        };
        let orientation = match facets.orientation.as_str() {
            "horizontal" => Orientation::Horizontal,
            "vertical" => Orientation::Vertical,
            "square" => Orientation::Square,
            "panoramic" => Orientation::Panoramic,
            _ => Orientation::Unknown,
        };
        let size = format!("{}x{}", preview.width, preview.height);
        let source = models::ResourceImageSource::new(self.urls.of_catalogue(&preview.key), "large", size);
        models::ResourceImage::new(kind, orientation, source)
    }

    fn license(&self, facets: &Facets) -> models::ResourceLicense {
        let (kind, name) = if facets.premium {
            (models::ResourceLicenseType::Premium, "premium")
        } else {
            (models::ResourceLicenseType::Freemium, "freemium")
        };
        models::ResourceLicense::new(kind, self.urls.page(&format!("licenses/{name}")))
    }

    fn product(&self, facets: &Facets) -> models::ResourceProduct {
        let name = if facets.premium { "premium" } else { "essential" };
        models::ResourceProduct::new(name, self.urls.page(&format!("products/{name}")))
    }
}

fn formats(resource: &Resource) -> models::AvailableFormats {
    let of = |name: &str| {
        let files = resource.formats.get(name)?;
        Some(models::FormatFiles::new(count(files.len() as u64), files.iter().map(format_file).collect()))
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

fn format_file(file: &FormatFile) -> models::FormatFile {
    let mut shown = models::FormatFile::new(file.id, count(file.size));
    shown.name.clone_from(&file.name);
    shown.colorspace.clone_from(&file.colorspace);
    shown
}
