//! The catalogue in PostgreSQL.

mod audio;
mod icons;
mod resources;

use super::Postgres;
use crate::catalogue::query::{AudioQuery, Found, ResourceQuery};
use crate::catalogue::tokens::{self, Wanted};
use crate::catalogue::{Effect, Icon, Resource, Track};
use crate::store::catalogue::AudioRow;
use crate::store::{Catalogue, Imported, RelatedIcons, RelatedResources, Result};
use async_trait::async_trait;

#[async_trait]
impl Catalogue for Postgres {
    async fn put_icons(&self, icons: &[Icon]) -> Result<Imported> {
        let mut transaction = self.pool.begin().await?;
        let imported = icons::put(&mut transaction, icons).await?;
        transaction.commit().await?;
        Ok(imported)
    }

    async fn icon(&self, id: i64) -> Result<Option<(Icon, u64, u64)>> {
        let Some(icon) = icons::get(&self.pool, id).await? else { return Ok(None) };
        let (family, author) = icons::totals(&self.pool, icon.family.id, icon.author.id).await?;
        Ok(Some((icon, family, author)))
    }

    async fn related_icons(&self, icon: &Icon, limit: u32) -> Result<RelatedIcons> {
        icons::related(&self.pool, icon, limit).await
    }

    async fn icon_totals(&self, family: i64, author: i64) -> Result<(u64, u64)> {
        icons::totals(&self.pool, family, author).await
    }

    async fn put_resources(&self, resources: &[Resource]) -> Result<Imported> {
        let mut transaction = self.pool.begin().await?;
        let imported = resources::put(&mut transaction, resources).await?;
        transaction.commit().await?;
        Ok(imported)
    }

    async fn search_resources(&self, query: &ResourceQuery) -> Result<Found<Resource>> {
        resources::search(&self.pool, query).await
    }

    async fn related_resources(&self, of: &[Resource], limit: u32) -> Result<Vec<RelatedResources>> {
        let mut related = Vec::with_capacity(of.len());
        for resource in of {
            related.push(resources::related(&self.pool, resource, limit).await?);
        }
        Ok(related)
    }

    async fn resource_totals(&self, authors: &[i64]) -> Result<Vec<u64>> {
        resources::totals(&self.pool, authors).await
    }

    async fn put_tracks(&self, tracks: &[Track]) -> Result<Imported> {
        let rows = tracks.iter().map(AudioRow::of_track).collect::<Result<Vec<_>>>()?;
        let mut transaction = self.pool.begin().await?;
        let imported = audio::put(&mut transaction, "music", &rows).await?;
        transaction.commit().await?;
        Ok(imported)
    }

    async fn search_tracks(&self, query: &AudioQuery) -> Result<Found<Track>> {
        audio::search(&self.pool, "music", query, |track: &Track| {
            let names = track.genres.iter().chain(&track.moods).map(String::as_str);
            crate::catalogue::relevance::score(&query.words, &track.title, names)
        })
        .await
    }

    async fn track(&self, id: i64) -> Result<Option<Track>> {
        audio::get(&self.pool, "music", id).await
    }

    async fn put_effects(&self, effects: &[Effect]) -> Result<Imported> {
        let rows = effects.iter().map(AudioRow::of_effect).collect::<Result<Vec<_>>>()?;
        let mut transaction = self.pool.begin().await?;
        let imported = audio::put(&mut transaction, "sfx", &rows).await?;
        transaction.commit().await?;
        Ok(imported)
    }

    async fn search_effects(&self, query: &AudioQuery) -> Result<Found<Effect>> {
        let mut found = audio::search(&self.pool, "sfx", query, |effect: &Effect| {
            let tags = effect.tags.iter().map(String::as_str);
            crate::catalogue::relevance::score(&query.words, &effect.title, tags)
        })
        .await?;
        let ids: Vec<i64> = found.items.iter().map(|effect| effect.id).collect();
        for (effect, downloads) in found.items.iter_mut().zip(audio::downloads(&self.pool, &ids).await?) {
            effect.downloads = downloads;
        }
        Ok(found)
    }

    async fn download_effect(&self, id: i64) -> Result<Option<Effect>> {
        let Some(effect) = audio::get(&self.pool, "sfx", id).await? else { return Ok(None) };
        audio::count_download(&self.pool, id).await?;
        Ok(Some(effect))
    }
}

/// What a search asks for, as a `tsquery`. Tokens are letters and digits alone, so there is nothing to quote but that.
fn matching(wanted: &Wanted) -> Option<String> {
    let token = |token: &String| format!("'{token}'");
    let group =
        |group: &Vec<String>| format!("({})", group.iter().map(token).collect::<Vec<_>>().join(" | "));
    (!wanted.is_empty()).then(|| wanted.iter().map(group).collect::<Vec<_>>().join(" & "))
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
        assert_eq!(matching(&wanted).as_deref(), Some("('wa') & ('fb' | 'fc')"));
        assert_eq!(matching(&Wanted::new()), None);
    }
}
