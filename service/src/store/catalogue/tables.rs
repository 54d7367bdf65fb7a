//! The statements that each database adds to the catalogue.

use async_trait::async_trait;

use super::{AudioRow, IconRow, Imported, Kind, ResourceRow, Resources};
use crate::catalogue::Icon;
use crate::catalogue::query::AudioOrder;
use crate::catalogue::tokens::Wanted;
use crate::store::{Page, Result};

/// The records of the icons related to an icon.
#[derive(Debug, Default)]
pub struct RelatedRecords {
    pub concept: Vec<String>,
    pub style: Vec<String>,
    pub variants: Vec<String>,
}

/// Reads and writes the catalogue's tables.
#[async_trait]
pub trait Tables: Send + Sync {
    /// Stores icons by id, in one transaction.
    async fn put_icon_rows(&self, rows: Vec<IconRow>) -> Result<Imported>;

    async fn icon_record(&self, id: i64) -> Result<Option<String>>;

    async fn related_icon_records(&self, icon: &Icon, limit: u32) -> Result<RelatedRecords>;

    /// Counts the icons of these sets; sets without icons may be missing.
    async fn count_icons_by_family(&self, families: &[i64]) -> Result<Vec<(i64, i64)>>;

    /// Counts the icons of these authors; authors without icons may be missing.
    async fn count_icons_by_author(&self, authors: &[i64]) -> Result<Vec<(i64, i64)>>;

    /// Stores resources by id, in one transaction.
    ///
    /// A new or changed resource gets a `seq` above all that any reader has seen.
    async fn put_resource_rows(&self, rows: Vec<ResourceRow>) -> Result<Imported>;

    /// Returns the highest `seq`.
    async fn last_resource(&self) -> Result<i64>;

    /// Returns `seq`, id and record of the resources after `seq`, in order of `seq`.
    ///
    /// Returns at most `limit` resources.
    async fn resource_records_after(&self, seq: i64, limit: u32) -> Result<Vec<(i64, i64, String)>>;

    /// Returns the highest `seq`, and the records of these resources in any order.
    ///
    /// One statement reads both.
    async fn resource_records(&self, ids: &[i64]) -> Result<(i64, Vec<String>)>;

    /// Returns the search index of resources.
    fn resources(&self) -> &Resources;

    /// Stores music or sound effects by id, in one transaction.
    async fn put_audio_rows(&self, kind: Kind, rows: Vec<AudioRow>) -> Result<Imported>;

    async fn audio_record(&self, kind: Kind, id: i64) -> Result<Option<String>>;

    /// Counts the matching records.
    async fn count_audio(&self, kind: Kind, wanted: &Wanted) -> Result<i64>;

    /// Returns a page of matching records with their numbers of downloads.
    ///
    /// Records that are equal in this order are sorted by id.
    async fn audio_records(
        &self,
        kind: Kind,
        wanted: &Wanted,
        order: (AudioOrder, bool),
        page: Page,
    ) -> Result<Vec<(String, i64)>>;

    /// Counts a download of a sound effect.
    async fn count_download(&self, id: i64) -> Result<()>;
}
