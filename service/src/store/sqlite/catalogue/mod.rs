//! The catalogue in SQLite.

mod audio;
mod icons;
mod resources;

use super::Sqlite;
use crate::catalogue::query::{AudioQuery, Found, ResourceQuery};
use crate::catalogue::tokens::{self, Wanted};
use crate::catalogue::{Effect, Icon, Resource, Track};
use crate::store::catalogue::AudioRow;
use crate::store::{Catalogue, Imported, RelatedIcons, RelatedResources, Result};
use async_trait::async_trait;

#[async_trait]
impl Catalogue for Sqlite {
    async fn put_icons(&self, icons: &[Icon]) -> Result<Imported> {
        self.writer.run(icons.to_vec(), |db, icons| Box::pin(icons::put(db, icons))).await
    }

    async fn icon(&self, id: i64) -> Result<Option<(Icon, u64, u64)>> {
        let Some(icon) = icons::get(&self.readers, id).await? else { return Ok(None) };
        let (family, author) = icons::totals(&self.readers, icon.family.id, icon.author.id).await?;
        Ok(Some((icon, family, author)))
    }

    async fn related_icons(&self, icon: &Icon, limit: u32) -> Result<RelatedIcons> {
        icons::related(&self.readers, icon, limit).await
    }

    async fn icon_totals(&self, family: i64, author: i64) -> Result<(u64, u64)> {
        icons::totals(&self.readers, family, author).await
    }

    async fn put_resources(&self, resources: &[Resource]) -> Result<Imported> {
        self.writer.run(resources.to_vec(), |db, all| Box::pin(resources::put(db, all))).await
    }

    async fn search_resources(&self, query: &ResourceQuery) -> Result<Found<Resource>> {
        resources::search(&self.readers, query).await
    }

    async fn related_resources(&self, of: &[Resource], limit: u32) -> Result<Vec<RelatedResources>> {
        let mut related = Vec::with_capacity(of.len());
        for resource in of {
            related.push(resources::related(&self.readers, resource, limit).await?);
        }
        Ok(related)
    }

    async fn resource_totals(&self, authors: &[i64]) -> Result<Vec<u64>> {
        resources::totals(&self.readers, authors).await
    }

    async fn put_tracks(&self, tracks: &[Track]) -> Result<Imported> {
        let rows = tracks.iter().map(AudioRow::of_track).collect::<Result<Vec<_>>>()?;
        self.writer.run(rows, |db, rows| Box::pin(audio::put(db, "music", rows))).await
    }

    async fn search_tracks(&self, query: &AudioQuery) -> Result<Found<Track>> {
        audio::search(&self.readers, "music", query, |track: &Track| {
            let names = track.genres.iter().chain(&track.moods).map(String::as_str);
            crate::catalogue::relevance::score(&query.words, &track.title, names)
        })
        .await
    }

    async fn track(&self, id: i64) -> Result<Option<Track>> {
        audio::get(&self.readers, "music", id).await
    }

    async fn put_effects(&self, effects: &[Effect]) -> Result<Imported> {
        let rows = effects.iter().map(AudioRow::of_effect).collect::<Result<Vec<_>>>()?;
        self.writer.run(rows, |db, rows| Box::pin(audio::put(db, "sfx", rows))).await
    }

    async fn search_effects(&self, query: &AudioQuery) -> Result<Found<Effect>> {
        let mut found = audio::search(&self.readers, "sfx", query, |effect: &Effect| {
            let tags = effect.tags.iter().map(String::as_str);
            crate::catalogue::relevance::score(&query.words, &effect.title, tags)
        })
        .await?;
        let ids: Vec<i64> = found.items.iter().map(|effect| effect.id).collect();
        for (effect, downloads) in found.items.iter_mut().zip(audio::downloads(&self.readers, &ids).await?) {
            effect.downloads = downloads;
        }
        Ok(found)
    }

    async fn download_effect(&self, id: i64) -> Result<Option<Effect>> {
        let Some(effect) = audio::get(&self.readers, "sfx", id).await? else { return Ok(None) };
        self.writer.run(id, |db, id| Box::pin(audio::count_download(db, *id))).await?;
        Ok(Some(effect))
    }
}

/// What a search asks for, as FTS5 has it. Tokens are letters and digits alone, so there is nothing to quote.
fn matching(wanted: &Wanted) -> Option<String> {
    let groups: Vec<String> = wanted.iter().map(|group| format!("({})", group.join(" OR "))).collect();
    (!groups.is_empty()).then(|| groups.join(" AND "))
}

/// What a search for resources asks for.
fn matching_resources(query: &ResourceQuery) -> Option<String> {
    matching(&tokens::wanted_resources(query))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_to_match() {
        let wanted = vec![vec!["wa".to_owned()], vec!["fb".to_owned(), "fc".to_owned()]];
        assert_eq!(matching(&wanted).as_deref(), Some("(wa) AND (fb OR fc)"));
        assert_eq!(matching(&Wanted::new()), None);
    }
}
