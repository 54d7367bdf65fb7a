//! Searches during imports.
//!
//! A search finds everything that was stored when it began, even if another search has updated the index.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;

use super::*;
use crate::catalogue::{Author, Facets, Thumbnail};

fn record(id: i64) -> String {
    let resource = Resource {
        id,
        title: "house".to_owned(),
        titles: BTreeMap::new(),
        filename: String::new(),
        key: String::new(),
        keywords: Vec::new(),
        facets: Facets::default(),
        preview: Thumbnail { width: 1, height: 1, key: String::new() },
        formats: BTreeMap::new(),
        series: None,
        author: Author { id: 1, name: String::new(), slug: String::new(), avatar: String::new() },
        published_at: 0,
        updated_at: 0,
        downloads: 0,
        likes: 0,
    };
    serde_json::to_string(&resource).unwrap()
}

/// Records by id, which is also their `seq`.
///
/// While a statement runs, `meanwhile` is imported and another search finds it.
#[derive(Default)]
struct Busy {
    resources: Resources,
    records: Mutex<BTreeMap<i64, String>>,
    meanwhile: Mutex<Option<i64>>,
}

impl Busy {
    fn of(ids: &[i64]) -> Self {
        let records = ids.iter().map(|id| (*id, record(*id))).collect();
        Self { records: Mutex::new(records), ..Self::default() }
    }

    async fn found(&self) -> (Vec<i64>, u64) {
        let query = ResourceQuery { limit: 10, ..ResourceQuery::default() };
        let found = search(self, &query).await.unwrap();
        (found.items.iter().map(|found| found.resource.id).collect(), found.total)
    }
}

#[async_trait]
impl ResourceTable for Busy {
    async fn last_resource(&self) -> Result<i64> {
        Ok(self.records.lock().unwrap().keys().next_back().copied().unwrap_or_default())
    }

    async fn resource_records_after(&self, seq: i64, _: u32) -> Result<Vec<(i64, i64, String)>> {
        let records = self.records.lock().unwrap();
        Ok(records.range(seq + 1..).map(|(id, record)| (*id, *id, record.clone())).collect())
    }

    async fn resource_records(&self, ids: &[i64]) -> Result<(i64, Vec<String>)> {
        let new = self.meanwhile.lock().unwrap().take();
        if let Some(new) = new {
            self.records.lock().unwrap().insert(new, record(new));
            assert!(self.found().await.0.contains(&new), "the other search finds it");
        }
        let last = self.last_resource().await?;
        let records = self.records.lock().unwrap();
        Ok((last, ids.iter().filter_map(|id| records.get(id).cloned()).collect()))
    }

    fn resources(&self) -> &Resources {
        &self.resources
    }
}

#[tokio::test]
async fn a_search_is_done_again_also_where_another_one_has_caught_up() {
    let busy = Busy::of(&[1]);
    prepare(&busy).await.unwrap();
    *busy.meanwhile.lock().unwrap() = Some(2);
    let (mut ids, total) = busy.found().await;
    ids.sort_unstable();
    assert_eq!((ids, total), (vec![1, 2], 2));
}

#[tokio::test]
async fn a_record_that_cannot_be_read_is_left_out_of_its_page() {
    let busy = Busy::of(&[1, 2]);
    prepare(&busy).await.unwrap();
    busy.records.lock().unwrap().insert(2, "{}".to_owned());
    assert_eq!(busy.found().await.0, [1]);
}
