//! `icons`: icons by id, in the expanded form.

use std::collections::HashMap;

use asset_api_server::Context;
use asset_api_server::icons::IconsApi;
use asset_api_server::models::{common, icons as models};

use super::authenticate::Caller;
use super::language::Preference;
use super::{Api, ApiResult, refusal};
use crate::catalogue::{Author, Icon};
use crate::time::timestamp;

/// The maximum number of related icons per kind of relation.
const RELATED: u32 = 10;

impl IconsApi for Api {
    type Principal = Caller;

    async fn get_icon(
        &self,
        context: Context<Caller>,
        input: models::GetIconInput,
    ) -> ApiResult<models::IconResponse> {
        let found = self.store.icon(input.id).await.map_err(refusal::store)?;
        let (mut icon, set, of_author) = found.ok_or_else(refusal::no_such_icon)?;
        let mut related = self.store.related_icons(&icon, RELATED).await.map_err(refusal::store)?;
        let language = Preference::of(&context, input.accept_language.as_deref());
        language.icon(&mut icon);
        let kinds = [&mut related.concept, &mut related.style, &mut related.variants];
        kinds.into_iter().flatten().for_each(|icon| language.icon(icon));
        let mut expanded = expanded(self.icon(&icon, set, of_author));
        expanded.tags =
            Some(icon.tags.iter().map(|tag| models::IconTag::new(&tag.slug, &tag.name)).collect());
        let kinds = [&related.concept, &related.style, &related.variants];
        let owners: Vec<(i64, i64)> =
            kinds.into_iter().flatten().map(|icon| (icon.family.id, icon.author.id)).collect();
        let totals = self.store.icon_totals(&owners).await.map_err(refusal::store)?;
        let totals: HashMap<(i64, i64), (u64, u64)> = owners.into_iter().zip(totals).collect();
        let mut relations = models::RelatedIcons::default();
        relations.visual_concept = Some(self.icons(&related.concept, &totals));
        relations.style = Some(self.icons(&related.style, &totals));
        relations.variants = Some(self.icons(&related.variants, &totals));
        expanded.related = Some(relations);
        Ok(models::IconResponse::new(expanded))
    }
}

impl Api {
    /// Converts icons; `totals` holds the numbers of icons of their sets and authors.
    fn icons(&self, icons: &[Icon], totals: &HashMap<(i64, i64), (u64, u64)>) -> Vec<models::RelatedIcon> {
        let shown = |icon: &Icon| {
            let (set, of_author) = totals.get(&(icon.family.id, icon.author.id)).copied().unwrap_or_default();
            self.icon(icon, set, of_author)
        };
        icons.iter().map(shown).collect()
    }

    fn icon(&self, icon: &Icon, set: u64, of_author: u64) -> models::RelatedIcon {
        let thumbnails = icon.thumbnails.iter().map(|thumbnail| {
            let (width, height) = (i64::from(thumbnail.width), i64::from(thumbnail.height));
            models::IconThumbnail::new(width, height, self.urls.of_catalogue(&thumbnail.key))
        });
        models::RelatedIcon::new(models::RelatedIconFields {
            id: icon.id,
            name: icon.name.clone(),
            created: timestamp(icon.created_at),
            slug: icon.slug.clone(),
            style: models::IconStyle::new(icon.style.id, &icon.style.name),
            family: models::IconFamily::new(icon.family.id, &icon.family.name, count(set)),
            author: self.author(&icon.author, Some(of_author)),
            thumbnails: thumbnails.collect(),
            free_svg: icon.free_svg,
        })
    }

    /// Converts an author; `assets` is the number of the author's assets, if it is known.
    pub(super) fn author(&self, author: &Author, assets: Option<u64>) -> common::Author {
        let avatar = self.urls.of_catalogue(&author.avatar);
        let mut shown = common::Author::new(author.id, &author.name, avatar, &author.slug);
        shown.assets = assets.map(count);
        shown
    }
}

/// Returns an icon in the form that can have tags and related icons.
fn expanded(icon: models::RelatedIcon) -> models::Icon {
    let models::RelatedIcon { id, name, created, slug, style, family, author, thumbnails, free_svg, .. } =
        icon;
    models::Icon::new(models::IconFields {
        id,
        name,
        created,
        slug,
        style,
        family,
        author,
        thumbnails,
        free_svg,
    })
}

/// Converts a count to the API's integer type; too large ones become the maximum.
pub(super) fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
