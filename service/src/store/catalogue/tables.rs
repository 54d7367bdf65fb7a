//! What a database does for the catalogue: statements, and no more.

use async_trait::async_trait;

use super::{AudioRow, IconRow, Imported, Kind, ResourceRow, Resources};
use crate::catalogue::Icon;
use crate::catalogue::query::AudioOrder;
use crate::catalogue::tokens::Wanted;
use crate::store::{Page, Result};

/// The records of the icons that belong to an icon.
#[derive(Debug, Default)]
pub struct RelatedRecords {
    pub concept: Vec<String>,
    pub style: Vec<String>,
    pub variants: Vec<String>,
}

/// The catalogue's tables.
#[async_trait]
pub trait Tables: Send + Sync {
    /// Keeps icons by their ids, in one transaction.
    async fn put_icon_rows(&self, rows: Vec<IconRow>) -> Result<Imported>;

    async fn icon_record(&self, id: i64) -> Result<Option<String>>;

    async fn related_icon_records(&self, icon: &Icon, limit: u32) -> Result<RelatedRecords>;

    /// How many icons these sets have; those without any may be missing.
    async fn count_icons_by_family(&self, families: &[i64]) -> Result<Vec<(i64, i64)>>;

    /// How many icons these authors have; those without any may be missing.
    async fn count_icons_by_author(&self, authors: &[i64]) -> Result<Vec<(i64, i64)>>;

    /// Keeps resources by their ids, in one transaction. What is new or changed gets a `seq` above all that any reader has
    /// seen.
    async fn put_resource_rows(&self, rows: Vec<ResourceRow>) -> Result<Imported>;

    /// The highest `seq`.
    async fn last_resource(&self) -> Result<i64>;

    /// `seq`, id and record of what follows, at most so many, in the order of `seq`.
    async fn resource_records_after(&self, seq: i64, limit: u32) -> Result<Vec<(i64, i64, String)>>;

    /// The records of the resources of these ids, in any order, and the highest `seq` of all: by one statement.
    async fn resource_records(&self, ids: &[i64]) -> Result<(i64, Vec<String>)>;

    /// What resources are found by.
    fn resources(&self) -> &Resources;

    /// Keeps music or sound effects by their ids, in one transaction.
    async fn put_audio_rows(&self, kind: Kind, rows: Vec<AudioRow>) -> Result<Imported>;

    async fn audio_record(&self, kind: Kind, id: i64) -> Result<Option<String>>;

    /// How many match.
    async fn count_audio(&self, kind: Kind, wanted: &Wanted) -> Result<i64>;

    /// Records of what matches, and how often each was downloaded. What is the same in this order is in the order of ids.
    async fn audio_records(
        &self,
        kind: Kind,
        wanted: &Wanted,
        order: (AudioOrder, bool),
        page: Page,
    ) -> Result<Vec<(String, i64)>>;

    /// Counts one more download of a sound effect.
    async fn count_download(&self, id: i64) -> Result<()>;
}
