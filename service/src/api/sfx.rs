//! `sfx`: sound effects, searched and downloaded.

use asset_api_server::Context;
use asset_api_server::models::{common, sfx as models};
use asset_api_server::sfx::SfxApi;

use super::authenticate::Caller;
use super::icons::count;
use super::{Api, ApiResult, refusal};
use crate::catalogue::query::{AudioOrder, AudioQuery};
use crate::catalogue::{CATEGORIES, Effect, category_id, relevance};
use crate::time::timestamp;
use crate::trace;

impl SfxApi for Api {
    type Principal = Caller;

    async fn search_sfx(
        &self,
        _context: Context<Caller>,
        input: models::SearchSfxInput,
    ) -> ApiResult<models::SfxSearchResponse> {
        let order_by = input.order_by_or_default();
        let query = AudioQuery {
            words: relevance::words(input.q.as_deref().unwrap_or_default()),
            any_of: input.category.map(|category| with_children(category.as_str())).into_iter().collect(),
            premium: input.include_premium_or_default(),
            order: order(order_by),
            // The values with a leading `-` are descending.
            descending: order_by.as_str().starts_with('-'),
            offset: u64::try_from(input.offset_or_default()).unwrap_or_default(),
            limit: u32::try_from(input.limit_or_default()).unwrap_or_default(),
        };
        let found = trace::stored("search_effects", self.store.search_effects(&query))
            .await
            .map_err(refusal::store)?;
        let effects = found.items.iter().map(effect).collect();
        Ok(models::SfxSearchResponse::new(count(found.total), effects))
    }

    async fn download_sfx(
        &self,
        _context: Context<Caller>,
        input: models::DownloadSfxInput,
    ) -> ApiResult<common::Download> {
        let effect = self.store.download_effect(input.id).await.map_err(refusal::store)?;
        let effect = effect.ok_or_else(refusal::no_such_item)?;
        Ok(common::Download::new(effect.id, &effect.title, self.urls.of_catalogue(&effect.key)))
    }
}

/// Returns the facets of a category and of its subcategories.
fn with_children(name: &str) -> Vec<String> {
    let below = CATEGORIES.iter().filter(|(_, parent)| *parent == Some(name)).map(|(child, _)| *child);
    std::iter::once(name).chain(below).map(|name| format!("category:{name}")).collect()
}

fn effect(effect: &Effect) -> models::SfxItem {
    models::SfxItem::new(models::SfxItemFields {
        id: effect.id,
        title: effect.title.clone(),
        tags: effect.tags.clone(),
        category: category(&effect.category.name),
        duration: effect.duration,
        is_premium: effect.premium,
        popularity: effect.popularity,
        download_count: i64::from(effect.downloads),
        created_at: timestamp(effect.created_at),
    })
}

fn category(name: &str) -> models::SfxItemCategory {
    let parent = CATEGORIES.iter().find(|(known, _)| *known == name).and_then(|(_, parent)| *parent);
    let parent =
        parent.map(|parent| models::SfxParentCategory::new(category_id(parent).unwrap_or_default(), parent));
    models::SfxItemCategory::new(category_id(name).unwrap_or_default(), name, parent)
}

const fn order(order: models::SfxOrder) -> AudioOrder {
    use models::SfxOrder as Order;
    match order {
        Order::Relevance => AudioOrder::Relevance,
        Order::Popularity | Order::MinusPopularity => AudioOrder::Popularity,
        Order::CreatedAt | Order::MinusCreatedAt => AudioOrder::CreatedAt,
        Order::Title | Order::MinusTitle => AudioOrder::Title,
        Order::DownloadCount | Order::MinusDownloadCount => AudioOrder::Downloads,
        Order::Duration | Order::MinusDuration => AudioOrder::Seconds,
    }
}
