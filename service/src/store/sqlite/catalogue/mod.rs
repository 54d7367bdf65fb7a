//! The catalogue in SQLite.

mod audio;
mod icons;
mod removal;
mod resources;

use async_trait::async_trait;
use serde_json::Value;

use super::Sqlite;
use crate::catalogue::Icon;
use crate::catalogue::query::AudioOrder;
use crate::catalogue::tokens::Wanted;
use crate::store::catalogue::{AudioRow, IconRow, Kind, RelatedRecords, ResourceRow, Resources, Tables};
use crate::store::{Imported, Page, Result};

#[async_trait]
impl Tables for Sqlite {
    async fn put_icon_rows(&self, rows: Vec<IconRow>) -> Result<Imported> {
        self.writer.run(rows, |db, rows| Box::pin(icons::put(db, rows))).await
    }

    async fn icon_record(&self, id: i64) -> Result<Option<String>> {
        icons::get(&self.readers, id).await
    }

    async fn related_icon_records(&self, icon: &Icon, limit: u32) -> Result<RelatedRecords> {
        icons::related(&self.searches, icon, limit).await
    }

    async fn count_icons_by_family(&self, families: &[i64]) -> Result<Vec<(i64, i64)>> {
        icons::count_by_family(&self.readers, families).await
    }

    async fn count_icons_by_author(&self, authors: &[i64]) -> Result<Vec<(i64, i64)>> {
        icons::count_by_author(&self.readers, authors).await
    }

    async fn put_resource_rows(&self, rows: Vec<ResourceRow>) -> Result<Imported> {
        self.writer.run(rows, |db, rows| Box::pin(resources::put(db, rows))).await
    }

    async fn last_resource(&self) -> Result<i64> {
        resources::last(&self.readers).await
    }

    async fn resource_records_after(&self, seq: i64, limit: u32) -> Result<Vec<(i64, i64, String)>> {
        resources::after(&self.readers, seq, limit).await
    }

    async fn resource_records(&self, ids: &[i64]) -> Result<(i64, Vec<String>)> {
        resources::of(&self.readers, ids).await
    }

    fn resources(&self) -> &Resources {
        &self.resources
    }

    async fn put_audio_rows(&self, kind: Kind, rows: Vec<AudioRow>) -> Result<Imported> {
        self.writer.run((kind, rows), |db, (kind, rows)| Box::pin(audio::put(db, *kind, rows))).await
    }

    async fn audio_record(&self, kind: Kind, id: i64) -> Result<Option<String>> {
        audio::get(&self.readers, kind, id).await
    }

    async fn count_audio(&self, kind: Kind, wanted: &Wanted) -> Result<i64> {
        audio::count(&self.searches, kind, wanted).await
    }

    async fn audio_records(
        &self,
        kind: Kind,
        wanted: &Wanted,
        order: (AudioOrder, bool),
        page: Page,
    ) -> Result<Vec<(String, i64)>> {
        audio::records(&self.searches, kind, wanted, order, page).await
    }

    async fn count_download(&self, id: i64) -> Result<()> {
        self.writer.run(id, |db, id| Box::pin(audio::count_download(db, *id))).await
    }
}

/// Converts values for `json_each`, so that one statement takes any number of them.
fn list(ids: impl Into<Value>) -> String {
    ids.into().to_string()
}
