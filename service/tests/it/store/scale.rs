//! Searches in thousands of resources, checked against a plain scan.
//!
//! The searches use common and rare words, several words, more results than are ranked, and near and far
//! pages.

use std::cmp::Reverse;
use std::sync::Arc;

use asset_service::catalogue::index::Entry;
use asset_service::catalogue::query::{ResourceOrder, ResourceQuery};
use asset_service::catalogue::{Resource, Summary, relevance, tokens};
use asset_service::store::FoundResource;

use super::fixture::Fixture;

#[path = "../../../benches/support/catalogue.rs"]
mod synthetic;

const RESOURCES: u64 = 4000;

/// Returns the ids and the number of results that a search must find.
fn expected(all: &[(Resource, Vec<String>)], query: &ResourceQuery) -> (Vec<i64>, u64) {
    let wanted = tokens::wanted_resources(query);
    let matches = |(resource, tokens): &&(Resource, Vec<String>)| {
        if query.ids.is_empty() {
            wanted.iter().all(|group| group.iter().any(|token| tokens.binary_search(token).is_ok()))
        } else {
            query.ids.contains(&resource.id)
        }
    };
    let mut found: Vec<&Resource> = all.iter().filter(matches).map(|(resource, _)| resource).collect();
    match query.order {
        ResourceOrder::Recent => found.sort_by_key(|resource| (Reverse(resource.updated_at), resource.id)),
        ResourceOrder::Relevance => {
            found.sort_by_key(|resource| (Reverse(resource.downloads), resource.id));
            if !query.words.is_empty() && query.ids.is_empty() {
                let best = relevance::CANDIDATES.min(found.len());
                found[..best].sort_by_key(|resource| {
                    let keywords = resource.keywords.iter().map(|keyword| keyword.name.as_str());
                    Reverse(relevance::score(&query.words, &resource.title, keywords))
                });
            }
        }
    }
    let ids = found.iter().map(|resource| resource.id);
    let page = ids.skip(query.offset as usize).take(query.limit as usize).collect();
    (page, found.len() as u64)
}

pub async fn searches_are_exact(fixture: Fixture) {
    let all: Vec<(Resource, Vec<String>)> =
        synthetic::resources(RESOURCES, 7).map(|resource| (resource.clone(), tokens_of(&resource))).collect();
    let resources: Vec<Resource> = all.iter().map(|(resource, _)| resource.clone()).collect();
    for batch in resources.chunks(1500) {
        let imported = fixture.store.put_resources(batch).await.expect("an import");
        assert_eq!(imported.new, batch.len() as u64);
    }
    let mut searches: Vec<(&str, ResourceQuery)> =
        synthetic::queries(150, 7).into_iter().map(|search| (search.kind, search.query)).collect();
    // Pages around the end of the ranked results, and around the end of all results.
    let common = ResourceQuery { words: vec!["baba".to_owned()], ..ResourceQuery::default() };
    for (offset, limit) in [(0, 100), (950, 100), (1000, 100), (1090, 4000)] {
        for order in [ResourceOrder::Relevance, ResourceOrder::Recent] {
            searches.push(("about an end", ResourceQuery { offset, limit, order, ..common.clone() }));
        }
    }
    let mut totals = Vec::new();
    for (kind, query) in &searches {
        let found = fixture.store.search_resources(query).await.expect("a search");
        let ids: Vec<i64> = found.items.iter().map(|found| found.resource.id).collect();
        assert_eq!((ids, found.total), expected(&all, query), "{kind}: {query:?}");
        totals.push(found.total);
    }
    for case in [0..1, 1..20, 20..1000, 1001..RESOURCES, RESOURCES..RESOURCES + 1] {
        assert!(
            totals.iter().any(|total| case.contains(total)),
            "no search has a number of results in {case:?}"
        );
    }
    relations_are_the_most_popular(&fixture, &resources).await;
}

fn tokens_of(resource: &Resource) -> Vec<String> {
    let record = serde_json::to_string(resource).expect("a record");
    let entry: Entry<'_> = serde_json::from_str(&record).expect("an entry");
    let mut all = Vec::new();
    tokens::of_resource(&entry, |token| all.push(token.to_owned()));
    all.sort();
    all
}

async fn relations_are_the_most_popular(fixture: &Fixture, resources: &[Resource]) {
    let mut popular: Vec<&Resource> = resources.iter().collect();
    popular.sort_by_key(|resource| (Reverse(resource.downloads), resource.id));
    let query = ResourceQuery { offset: 100, limit: 50, related: 4, ..ResourceQuery::default() };
    let found = fixture.store.search_resources(&query).await.expect("a search").items;
    assert_eq!(found.len(), 50);
    for FoundResource { resource, of_author, series, others } in found {
        let related = |is_related: &dyn Fn(&Resource) -> bool| -> Vec<Arc<Summary>> {
            let related = popular.iter().filter(|other| other.id != resource.id && is_related(other));
            related.take(4).map(|other| summary(other)).collect()
        };
        let is_series = |other: &Resource| other.series.is_some() && other.series == resource.series;
        assert_eq!(series, related(&is_series));
        assert_eq!(others, related(&|other| other.author == resource.author));
        let by_author = resources.iter().filter(|other| other.author == resource.author).count();
        assert_eq!(of_author, by_author as u64);
    }
}

fn summary(of: &Resource) -> Arc<Summary> {
    let Resource { id, title, titles, key, facets, preview, author, .. } = of.clone();
    let (title, key, author) = (title.into(), key.into(), Arc::new(author));
    Arc::new(Summary { id, title, titles, key, appearance: facets.appearance(), preview, author })
}

pub async fn imports_of_another_process_are_found(fixture: Fixture) {
    let all: Vec<Resource> = synthetic::resources(30, 7).collect();
    let other = fixture.database.open().await;
    let everything = ResourceQuery { limit: 100, ..ResourceQuery::default() };
    assert!(!fixture.store.is_search_prepared());
    fixture.store.prepare_search().await.expect("a catalogue");
    assert!(fixture.store.is_search_prepared());
    for (number, resource) in (1..).zip(&all) {
        other.put_resources(std::slice::from_ref(resource)).await.expect("an import");
        assert_eq!(fixture.store.search_resources(&everything).await.expect("a search").total, number);
    }
    let mut changed = all[3].clone();
    changed.title = "Another one".to_owned();
    other.put_resources(&[changed.clone(), changed.clone()]).await.expect("an import");
    let query = ResourceQuery { words: relevance::words("another one"), ..everything };
    let found = fixture.store.search_resources(&query).await.expect("a search").items;
    assert_eq!(found.into_iter().map(|found| found.resource).collect::<Vec<_>>(), [changed]);
}
