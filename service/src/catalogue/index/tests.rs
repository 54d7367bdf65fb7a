//! Tests that index scores equal record scores, and that changes are found.

use std::collections::BTreeMap;

use super::*;
use crate::catalogue::{Author, Facets, Tag, Thumbnail};

fn resource(id: i64, title: &str, keywords: &[&str]) -> Resource {
    let tag = |name: &&str| Tag { slug: (*name).to_owned(), name: (*name).to_owned() };
    Resource {
        id,
        title: title.to_owned(),
        titles: BTreeMap::new(),
        filename: String::new(),
        key: String::new(),
        keywords: keywords.iter().map(tag).collect(),
        facets: Facets::default(),
        preview: Thumbnail { width: 1, height: 1, key: String::new() },
        formats: BTreeMap::new(),
        series: None,
        author: Author { id: 1, name: String::new(), slug: String::new(), avatar: String::new() },
        published_at: 0,
        updated_at: 0,
        downloads: 0,
        likes: 0,
    }
}

fn put(index: &mut Index, resources: &[Resource], seq: i64) {
    let row = |resource: &Resource| (seq, resource.id, serde_json::to_string(resource).unwrap());
    index.put(Batch::read(&resources.iter().map(row).collect::<Vec<_>>()));
}

fn found(index: &Index, words: &str) -> Vec<i64> {
    let query = ResourceQuery { words: relevance::words(words), limit: 10, ..ResourceQuery::default() };
    index.search(&query).ids
}

#[test]
fn scores_are_those_of_the_records() {
    let titles = ["White House", "Houses, white", "house", "a white house by the sea", "white", ""];
    let keywords: [&[&str]; 4] = [&[], &["white", "houses"], &["house in white"], &["sea", "white"]];
    let resources: Vec<Resource> = titles
        .iter()
        .flat_map(|title| keywords.iter().map(move |keywords| (title, keywords)))
        .zip(0..)
        .map(|((title, keywords), id)| resource(id, title, keywords))
        .collect();
    let mut index = Index::default();
    put(&mut index, &resources, 1);
    for words in ["white house", "house white", "houses", "sea", "white white", "none"] {
        let words = relevance::words(words);
        let fit = Fit::new(&index, &words);
        for (number, resource) in (0..).zip(&resources) {
            let keywords = resource.keywords.iter().map(|keyword| keyword.name.as_str());
            let score = relevance::score(&words, &resource.title, keywords);
            assert_eq!(fit.score(number), score, "{words:?} in {resource:?}");
        }
    }
}

#[test]
fn changed_records_are_found_in_their_new_form() {
    let mut index = Index::default();
    put(&mut index, &[resource(1, "house", &["sea"]), resource(2, "tree", &["sea"])], 2);
    assert!(!index.is_at(2));
    index.settle();
    assert!(index.is_at(2) && !index.is_at(3));
    assert_eq!(found(&index, "sea"), [1, 2]);
    let mut hut = resource(2, "hut", &[]);
    hut.series = Some("huts".to_owned());
    put(&mut index, &[hut, resource(3, "sea", &[])], 4);
    index.settle();
    assert_eq!(found(&index, "tree"), [0; 0]);
    assert_eq!(found(&index, "hut"), [2]);
    assert_eq!(found(&index, "sea"), [3, 1]);
    assert_eq!(found(&index, ""), [1, 2, 3]);
    assert_eq!((index.total_of_author(1), index.total_of_author(2)), (3, 0));
    assert!(!index.postings.contains_key("ttree"));
}

#[test]
fn removed_records_are_not_found_until_they_return() {
    let mut index = Index::default();
    put(
        &mut index,
        &[resource(1, "house", &["sea"]), resource(2, "tree", &["sea"]), resource(3, "sea", &[])],
        3,
    );
    index.settle();
    index.put(Batch::read(&[(4, 2, String::new()), (5, 9, String::new())]));
    assert!(index.is_at(5), "nothing has to settle");
    assert_eq!(
        (found(&index, "sea"), found(&index, "tree"), found(&index, "")),
        (vec![3, 1], vec![], vec![1, 3])
    );
    let all = index.search(&ResourceQuery { limit: 10, ..ResourceQuery::default() });
    let by_id = index.search(&ResourceQuery { ids: vec![1, 2], limit: 10, ..ResourceQuery::default() });
    assert_eq!((all.total, by_id.ids, index.len(), index.total_of_author(1)), (2, vec![1], 2, 2));
    put(&mut index, &[resource(2, "oak", &["sea"])], 6);
    index.settle();
    assert_eq!(
        (found(&index, "tree"), found(&index, "oak"), found(&index, "")),
        (vec![], vec![2], vec![1, 2, 3])
    );
}
