//! Removed records of the catalogue, and their files.

use asset_service::catalogue::query::ResourceQuery;
use asset_service::catalogue::{AnyRecord, RecordKind};
use asset_service::files::{Area, Files};
use asset_service::store::{Imported, SharedStore};
use bytes::Bytes;

use super::catalogue::{effect, icon, resource, track};
use super::fixture::{Fixture, NOW};

async fn titles(store: &SharedStore, kind: RecordKind) -> Vec<String> {
    let records = store.records_after(kind, i64::MIN, 9).await.unwrap();
    let parsed = records.iter().map(|(_, record)| AnyRecord::parse(kind, record).unwrap());
    parsed.map(|record| record.title).collect()
}

pub async fn removed_records_are_found_no_more_and_come_back(fixture: Fixture) {
    let store = &fixture.store;
    let other = fixture.database.open().await;
    let resources = [resource(1, "house", 5), resource(2, "tree", 4), resource(3, "sea", 3)];
    store.put_resources(&resources).await.unwrap();
    store.put_icons(&[icon(1, "bell", 7, 1), icon(2, "house", 7, 1)]).await.unwrap();
    store.put_tracks(&[track(1, "Calm", "Jazz", 0.5)]).await.unwrap();
    store.put_effects(&[effect(1, "Rain"), effect(2, "Wind")]).await.unwrap();
    let found = async |store: &SharedStore| {
        let everything = ResourceQuery { limit: 9, ..ResourceQuery::default() };
        let found = store.search_resources(&everything).await.unwrap();
        let ids: Vec<i64> = found.items.iter().map(|found| found.resource.id).collect();
        (ids, found.total)
    };
    assert_eq!((found(store).await, found(&other).await), ((vec![1, 2, 3], 3), (vec![1, 2, 3], 3)));

    assert_eq!(store.remove_records(RecordKind::Resources, &[2, 9], NOW).await.unwrap(), 1);
    assert_eq!(store.remove_records(RecordKind::Resources, &[2], NOW).await.unwrap(), 0, "it is gone");
    for store in [store, &other] {
        assert_eq!(found(store).await, (vec![1, 3], 2));
        assert_eq!(titles(store, RecordKind::Resources).await, ["house", "sea"]);
    }
    assert_eq!(found(&fixture.database.open().await).await, (vec![1, 3], 2), "also after a restart");
    let again = Imported { new: 1, unchanged: 2, ..Imported::default() };
    assert_eq!(store.put_resources(&resources).await.unwrap(), again);
    assert_eq!((found(store).await, found(&other).await), ((vec![1, 2, 3], 3), (vec![1, 2, 3], 3)));

    assert_eq!(store.remove_records(RecordKind::Icons, &[1], NOW).await.unwrap(), 1);
    assert_eq!(store.icon(1).await.unwrap(), None);
    assert_eq!(store.remove_records(RecordKind::Music, &[1, 2], NOW).await.unwrap(), 1);
    assert_eq!(store.remove_records(RecordKind::Effects, &[1], NOW).await.unwrap(), 1);
    assert_eq!(
        (store.track(1).await.unwrap(), titles(store, RecordKind::Effects).await),
        (None, vec!["Wind".to_owned()])
    );
    assert_eq!(store.put_effects(&[effect(1, "Rain")]).await.unwrap().new, 1);
}

pub async fn a_file_goes_only_while_it_is_noted(Fixture { store, .. }: Fixture) {
    let files = Files::in_memory();
    let of = |resource: &asset_service::catalogue::Resource| -> Vec<String> {
        resource.files().into_iter().map(str::to_owned).collect()
    };
    let house = resource(1, "house", 5);
    let mut keys = of(&house);
    keys.sort();
    for key in &keys {
        files.put(Area::Catalogue, key, Bytes::from_static(b"picture")).await.unwrap();
    }
    let there = async || {
        let mut count = 0;
        for key in &keys {
            count += usize::from(files.size(Area::Catalogue, key).await.unwrap().is_some());
        }
        count
    };
    store.put_resources(std::slice::from_ref(&house)).await.unwrap();
    assert_eq!(store.unused_files(i64::MAX, 9).await.unwrap(), [""; 0]);
    assert_eq!(store.remove_unused(&keys, &files).await.unwrap(), 0);

    store.remove_records(RecordKind::Resources, &[1], NOW).await.unwrap();
    assert_eq!(store.unused_files(NOW, 9).await.unwrap(), [""; 0], "it was removed just now");
    let mut noted = store.unused_files(NOW + 1, 9).await.unwrap();
    noted.sort();
    assert_eq!(noted, keys);
    // An import stores the record again, before the sweep removes its files.
    store.put_resources(std::slice::from_ref(&house)).await.unwrap();
    assert_eq!((store.remove_unused(&keys, &files).await.unwrap(), there().await), (0, 3));

    store.remove_records(RecordKind::Resources, &[1], NOW).await.unwrap();
    store.keep_files(&keys[..1]).await.unwrap();
    assert_eq!((store.remove_unused(&keys, &files).await.unwrap(), there().await), (2, 1));
    assert_eq!(store.unused_files(i64::MAX, 9).await.unwrap(), [""; 0]);
}
