//! `music`: music, searched and downloaded.

use asset_api_server::Context;
use asset_api_server::models::{common, music as models};
use asset_api_server::music::MusicApi;

use super::authenticate::Caller;
use super::icons::count;
use super::{Api, ApiResult, refusal};
use crate::catalogue::query::{AudioOrder, AudioQuery};
use crate::catalogue::{Track, relevance};
use crate::time::timestamp;
use crate::trace;

impl MusicApi for Api {
    type Principal = Caller;

    async fn search_music(
        &self,
        _context: Context<Caller>,
        input: models::SearchMusicInput,
    ) -> ApiResult<models::MusicSearchResponse> {
        let order_by = input.order_by_or_default();
        let facets = |kind: &str, names: Vec<String>| {
            names.into_iter().map(|name| format!("{kind}:{name}")).collect::<Vec<_>>()
        };
        let genres = input.genre.iter().flatten().map(|genre| genre.as_str().to_owned()).collect();
        let moods = input.mood.iter().flatten().map(|mood| mood.as_str().to_owned()).collect();
        let query = AudioQuery {
            words: relevance::words(input.q.as_deref().unwrap_or_default()),
            any_of: [facets("genre", genres), facets("mood", moods)]
                .into_iter()
                .filter(|group| !group.is_empty())
                .collect(),
            premium: input.include_premium_or_default(),
            order: order(order_by),
            // The values with a leading `-` are descending.
            descending: order_by.as_str().starts_with('-'),
            offset: u64::try_from(input.offset_or_default()).unwrap_or_default(),
            limit: u32::try_from(input.limit_or_default()).unwrap_or_default(),
        };
        let found =
            trace::stored("search_tracks", self.store.search_tracks(&query)).await.map_err(refusal::store)?;
        let tracks = found.items.iter().map(|track| self.track(track)).collect();
        Ok(models::MusicSearchResponse::new(count(found.total), tracks))
    }

    async fn download_music(
        &self,
        _context: Context<Caller>,
        input: models::DownloadMusicInput,
    ) -> ApiResult<common::Download> {
        let track = self.store.track(input.id).await.map_err(refusal::store)?;
        let track = track.ok_or_else(refusal::no_such_item)?;
        Ok(common::Download::new(track.id, &track.title, self.urls.of_catalogue(&track.key)))
    }
}

impl Api {
    fn track(&self, track: &Track) -> models::MusicTrack {
        models::MusicTrack::new(models::MusicTrackFields {
            id: track.id,
            title: track.title.clone(),
            artist: models::MusicArtist::new(&track.artist),
            genres: track.genres.iter().map(models::MusicGenreName::new).collect(),
            moods: track.moods.iter().map(models::MusicMoodName::new).collect(),
            cover_url: self.urls.of_catalogue(&track.cover),
            preview_url: self.urls.of_catalogue(track.preview.as_ref().unwrap_or(&track.key)),
            seconds: track.seconds,
            bpm: track.bpm,
            popularity: track.popularity,
            is_premium: track.premium,
            created_at: timestamp(track.created_at),
        })
    }
}

const fn order(order: models::MusicOrder) -> AudioOrder {
    use models::MusicOrder as Order;
    match order {
        Order::Relevance => AudioOrder::Relevance,
        Order::Popularity | Order::MinusPopularity => AudioOrder::Popularity,
        Order::CreatedAt | Order::MinusCreatedAt => AudioOrder::CreatedAt,
        Order::Title | Order::MinusTitle => AudioOrder::Title,
        Order::Seconds | Order::MinusSeconds => AudioOrder::Seconds,
        Order::Bpm | Order::MinusBpm => AudioOrder::Bpm,
    }
}
