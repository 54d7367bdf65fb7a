//! The catalogue in PostgreSQL.

mod audio;
mod icons;
mod removal;
mod resources;

use async_trait::async_trait;
use sqlx::Connection as _;

use super::Postgres;
use crate::catalogue::Icon;
use crate::catalogue::query::AudioOrder;
use crate::catalogue::tokens::Wanted;
use crate::store::catalogue::{AudioRow, IconRow, Kind, RelatedRecords, ResourceRow, Resources, Tables};
use crate::store::{Imported, Page, Result};

#[async_trait]
impl Tables for Postgres {
    async fn put_icon_rows(&self, rows: Vec<IconRow>) -> Result<Imported> {
        let mut connection = self.pool.acquire().await?;
        let mut transaction = connection.begin().await?;
        let imported = icons::put(&mut transaction, &rows).await?;
        transaction.commit().await?;
        Ok(imported)
    }

    async fn icon_record(&self, id: i64) -> Result<Option<String>> {
        icons::get(&self.pool, id).await
    }

    async fn related_icon_records(&self, icon: &Icon, limit: u32) -> Result<RelatedRecords> {
        icons::related(&self.pool, icon, limit).await
    }

    async fn count_icons_by_family(&self, families: &[i64]) -> Result<Vec<(i64, i64)>> {
        icons::count_by_family(&self.pool, families).await
    }

    async fn count_icons_by_author(&self, authors: &[i64]) -> Result<Vec<(i64, i64)>> {
        icons::count_by_author(&self.pool, authors).await
    }

    async fn put_resource_rows(&self, rows: Vec<ResourceRow>) -> Result<Imported> {
        let mut connection = self.pool.acquire().await?;
        let mut transaction = connection.begin().await?;
        let imported = resources::put(&mut transaction, &rows).await?;
        transaction.commit().await?;
        Ok(imported)
    }

    async fn last_resource(&self) -> Result<i64> {
        resources::last(&self.pool).await
    }

    async fn resource_records_after(&self, seq: i64, limit: u32) -> Result<Vec<(i64, i64, String)>> {
        resources::after(&self.pool, seq, limit).await
    }

    async fn resource_records(&self, ids: &[i64]) -> Result<(i64, Vec<String>)> {
        resources::of(&self.pool, ids).await
    }

    fn resources(&self) -> &Resources {
        &self.resources
    }

    async fn put_audio_rows(&self, kind: Kind, rows: Vec<AudioRow>) -> Result<Imported> {
        let mut connection = self.pool.acquire().await?;
        let mut transaction = connection.begin().await?;
        let imported = audio::put(&mut transaction, kind, &rows).await?;
        transaction.commit().await?;
        Ok(imported)
    }

    async fn audio_record(&self, kind: Kind, id: i64) -> Result<Option<String>> {
        audio::get(&self.pool, kind, id).await
    }

    async fn count_audio(&self, kind: Kind, wanted: &Wanted) -> Result<i64> {
        audio::count(&self.pool, kind, wanted).await
    }

    async fn audio_records(
        &self,
        kind: Kind,
        wanted: &Wanted,
        order: (AudioOrder, bool),
        page: Page,
    ) -> Result<Vec<(String, i64)>> {
        audio::records(&self.pool, kind, wanted, order, page).await
    }

    async fn count_download(&self, id: i64) -> Result<()> {
        audio::count_download(&self.pool, id).await
    }
}
