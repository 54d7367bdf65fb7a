//! The catalogue: one record per id, search by words and facets, and sort orders.

use std::collections::BTreeMap;
use std::sync::Arc;

use asset_service::catalogue::query::{AudioOrder, AudioQuery, ResourceOrder, ResourceQuery};
use asset_service::catalogue::{
    Author, Category, Effect, Facets, Icon, Named, Resource, Summary, Tag, Thumbnail, Track, relevance,
};
use asset_service::store::Imported;

use super::fixture::{Fixture, NOW};

fn author(id: i64) -> Author {
    Author {
        id,
        name: format!("Author {id}"),
        slug: format!("author-{id}"),
        avatar: "avatars/a.svg".to_owned(),
    }
}

fn tag(name: &str) -> Tag {
    Tag { slug: name.to_owned(), name: name.to_owned() }
}

fn picture() -> Thumbnail {
    Thumbnail { width: 64, height: 64, key: "icons/a.png".to_owned() }
}

pub fn icon(id: i64, slug: &str, family: i64, style: i64) -> Icon {
    Icon {
        id,
        slug: slug.to_owned(),
        name: slug.to_owned(),
        names: BTreeMap::new(),
        created_at: NOW,
        style: Named { id: style, name: format!("Style {style}") },
        family: Named { id: family, name: format!("Set {family}") },
        author: author(family),
        free_svg: true,
        tags: vec![tag(slug)],
        concept: slug.to_owned(),
        thumbnails: vec![picture()],
    }
}

pub fn resource(id: i64, title: &str, downloads: u32) -> Resource {
    Resource {
        id,
        title: title.to_owned(),
        titles: BTreeMap::new(),
        filename: format!("{id}.jpg"),
        key: format!("pictures/{id}.jpg"),
        keywords: vec![tag("stock")],
        facets: Facets { kind: "photo".to_owned(), orientation: "square".to_owned(), ..Facets::default() },
        preview: picture(),
        formats: BTreeMap::new(),
        series: None,
        author: author(1),
        published_at: NOW,
        updated_at: NOW + id * 1000,
        downloads,
        likes: 0,
    }
}

fn query(words: &str) -> ResourceQuery {
    ResourceQuery { words: relevance::words(words), limit: 20, now: NOW, ..ResourceQuery::default() }
}

async fn ids(fixture: &Fixture, query: &ResourceQuery) -> Vec<i64> {
    let found = fixture.store.search_resources(query).await.expect("a search");
    found.items.iter().map(|found| found.resource.id).collect()
}

pub async fn existing_records_stay(fixture: Fixture) {
    let store = &fixture.store;
    let mut icons = vec![icon(1, "house", 1, 1), icon(2, "tree", 1, 1)];
    let put = |new, changed, unchanged| Imported { new, changed, unchanged };
    assert_eq!(store.put_icons(&icons).await.expect("icons"), put(2, 0, 0));
    icons[1].name = "Tree".to_owned();
    assert_eq!(store.put_icons(&icons).await.expect("icons"), put(0, 1, 1));
    let (tree, family, author) = store.icon(2).await.expect("an icon").expect("the tree");
    assert_eq!((tree, family, author), (icons[1].clone(), 2, 2));
    assert_eq!(store.icon(3).await.expect("no icon"), None);

    let mut resources = vec![resource(1, "A house", 5), resource(2, "A tree", 9)];
    assert_eq!(store.put_resources(&resources).await.expect("resources"), put(2, 0, 0));
    resources[0].title = "A hut".to_owned();
    resources[0].downloads = 10;
    assert_eq!(store.put_resources(&resources).await.expect("resources"), put(0, 1, 1));
    assert_eq!(ids(&fixture, &query("")).await, [1, 2]);
    assert_eq!(ids(&fixture, &query("house")).await, [0; 0]);
    assert_eq!(ids(&fixture, &query("hut")).await, [1]);
}

pub async fn icons_are_related(fixture: Fixture) {
    let store = &fixture.store;
    let icons = [
        icon(1, "house", 1, 1),
        icon(2, "house-plus", 1, 1),
        icon(3, "tree", 1, 1),
        icon(4, "car", 1, 2),
        icon(5, "house", 2, 1),
    ];
    store.put_icons(&icons).await.expect("icons");
    let related = store.related_icons(&icons[0], 10).await.expect("relations");
    let ids = |icons: &[Icon]| icons.iter().map(|icon| icon.id).collect::<Vec<_>>();
    assert_eq!(ids(&related.concept), [5]);
    assert_eq!(ids(&related.style), [2, 3]);
    assert_eq!(ids(&related.variants), [2]);
    let last = store.related_icons(&icons[2], 1).await.expect("relations");
    assert_eq!(ids(&last.style), [1]);
    assert_eq!(store.icon_totals(&[(1, 2), (9, 1)]).await.expect("totals"), [(4, 1), (0, 4)]);
}

pub async fn resources_are_found_by_words_and_facets(fixture: Fixture) {
    let mut house = resource(1, "White houses by the sea", 5);
    house.facets.colors = vec!["white".to_owned()];
    house.series = Some("sea".to_owned());
    let mut tree = resource(2, "A tree", 50);
    tree.keywords = vec![tag("house"), tag("garden")];
    tree.facets.kind = "vector".to_owned();
    tree.author = author(2);
    let mut boat = resource(3, "A boat at sea", 1);
    boat.series = Some("sea".to_owned());
    boat.published_at = NOW - 100 * 24 * 60 * 60 * 1000;
    let all = [house, tree, boat];
    fixture.store.put_resources(&all).await.expect("resources");

    // The title counts more than the downloads, and a plural matches its singular.
    assert_eq!(ids(&fixture, &query("house")).await, [1, 2]);
    assert_eq!(ids(&fixture, &query("SEA white")).await, [1]);
    assert_eq!(ids(&fixture, &query("house \" OR ' ) *")).await, [0; 0]);
    let with = |change: &dyn Fn(&mut ResourceQuery)| {
        let mut query = query("");
        change(&mut query);
        query
    };
    let facet = |text: &str| vec![text.to_owned()];
    let kinds = vec!["kind:photo".to_owned(), "kind:vector".to_owned()];
    let rows: Vec<(ResourceQuery, &[i64])> = vec![
        (with(&|query| query.any_of = vec![facet("kind:vector")]), &[2]),
        (with(&|query| query.any_of = vec![kinds.clone(), facet("color:white")]), &[1]),
        (with(&|query| query.any_of = vec![facet("color:black")]), &[]),
        (with(&|query| query.author = Some(2)), &[2]),
        (with(&|query| query.published_since = Some(NOW - 31 * 24 * 60 * 60 * 1000)), &[2, 1]),
        (with(&|query| query.order = ResourceOrder::Recent), &[3, 2, 1]),
        (with(&|query| query.ids = vec![3, 1, 77]), &[1, 3]),
    ];
    for (query, expected) in rows {
        assert_eq!(ids(&fixture, &query).await, expected, "{query:?}");
    }
    let query = ResourceQuery { related: 5, ..query("") };
    let found = fixture.store.search_resources(&query).await.expect("a search").items;
    let ids = |some: &[Arc<Summary>]| some.iter().map(|other| other.id).collect::<Vec<_>>();
    let found: Vec<_> = found
        .iter()
        .map(|found| (found.resource.id, ids(&found.series), ids(&found.others), found.of_author))
        .collect();
    assert_eq!(found, [(2, vec![], vec![], 1), (1, vec![3], vec![3], 2), (3, vec![1], vec![1], 2)]);
}

pub async fn searches_have_pages(fixture: Fixture) {
    let all: Vec<Resource> =
        (1..=25).map(|id| resource(id, "House", 100 - u32::try_from(id).expect("small"))).collect();
    fixture.store.put_resources(&all).await.expect("resources");
    for words in ["", "house"] {
        let mut seen = Vec::new();
        for page in 0..4 {
            let query = ResourceQuery { offset: page * 10, limit: 10, ..query(words) };
            let found = fixture.store.search_resources(&query).await.expect("a page");
            assert_eq!(found.total, 25);
            seen.extend(found.items.iter().map(|found| found.resource.id));
        }
        assert_eq!(seen, (1..=25).collect::<Vec<_>>(), "{words:?}");
    }
}

pub fn track(id: i64, title: &str, genre: &str, popularity: f64) -> Track {
    Track {
        id,
        title: title.to_owned(),
        artist: "Band".to_owned(),
        genres: vec![genre.to_owned()],
        moods: vec!["Happy".to_owned()],
        key: "music/a.wav".to_owned(),
        preview: None,
        cover: "avatars/a.svg".to_owned(),
        seconds: id as f64,
        bpm: 60.0 + id as f64,
        popularity,
        premium: id == 3,
        created_at: NOW,
    }
}

pub async fn audio_is_found_and_ordered(fixture: Fixture) {
    let store = &fixture.store;
    let tracks = [
        track(1, "Morning", "Jazz", 0.2),
        track(2, "Evening", "Hip Hop", 0.9),
        track(3, "Night", "Jazz", 0.5),
    ];
    store.put_tracks(&tracks).await.expect("tracks");
    let query = || AudioQuery { limit: 10, premium: true, ..AudioQuery::default() };
    let titles = async |query: AudioQuery| {
        let found = store.search_tracks(&query).await.expect("a search");
        assert_eq!(found.total, found.items.len() as u64);
        found.items.into_iter().map(|track| track.title).collect::<Vec<_>>()
    };
    assert_eq!(titles(query()).await, ["Evening", "Night", "Morning"]);
    assert_eq!(titles(AudioQuery { premium: false, ..query() }).await, ["Evening", "Morning"]);
    assert_eq!(
        titles(AudioQuery { order: AudioOrder::Title, ..query() }).await,
        ["Evening", "Morning", "Night"]
    );
    let slowest = AudioQuery { order: AudioOrder::Bpm, descending: true, ..query() };
    assert_eq!(titles(slowest).await, ["Night", "Evening", "Morning"]);
    let genres = vec![vec!["genre:Hip Hop".to_owned()]];
    assert_eq!(titles(AudioQuery { any_of: genres, ..query() }).await, ["Evening"]);
    assert_eq!(titles(AudioQuery { words: relevance::words("night"), ..query() }).await, ["Night"]);
    assert_eq!(store.track(2).await.expect("a track"), Some(tracks[1].clone()));
    // Music must not appear among sound effects.
    assert_eq!(store.search_effects(&query()).await.expect("a search").total, 0);
}

pub async fn audio_without_a_rank_follows_ranked_audio(fixture: Fixture) {
    // The first thousand results are sorted by relevance; pages of any size must contain each once.
    let title = |id| if id == 1020 { "Rain" } else { "Rain on the roof" };
    let tracks: Vec<Track> = (1..=1050).map(|id| track(id, title(id), "Jazz", 1.0 / id as f64)).collect();
    fixture.store.put_tracks(&tracks).await.expect("tracks");
    let mut seen = Vec::new();
    for offset in (0..1100).step_by(70) {
        let words = relevance::words("rain");
        let query = AudioQuery { words, offset, limit: 70, premium: true, ..AudioQuery::default() };
        let found = fixture.store.search_tracks(&query).await.expect("a page");
        assert_eq!(found.total, 1050);
        seen.extend(found.items.iter().map(|track| track.id));
    }
    // The most relevant track is not among the thousand most popular ones.
    let ids: Vec<i64> = (1..=1050).collect();
    assert_eq!(seen, ids);
}

pub fn effect(id: i64, title: &str) -> Effect {
    Effect {
        id,
        title: title.to_owned(),
        tags: vec!["rain".to_owned()],
        category: Category { name: "rain-and-storm".to_owned() },
        key: "sfx/a.wav".to_owned(),
        duration: 3.0,
        premium: false,
        popularity: 0.0,
        downloads: 0,
        created_at: NOW,
    }
}

pub async fn downloads_are_counted(fixture: Fixture) {
    let effect = effect(7, "Rain");
    fixture.store.put_effects(std::slice::from_ref(&effect)).await.expect("effects");
    for _ in 0..2 {
        assert!(fixture.store.download_effect(7).await.expect("a download").is_some());
    }
    assert_eq!(fixture.store.download_effect(8).await.expect("no download"), None);
    let query = AudioQuery {
        any_of: vec![vec!["category:ambience".to_owned(), "category:rain-and-storm".to_owned()]],
        limit: 10,
        ..AudioQuery::default()
    };
    let found = fixture.store.search_effects(&query).await.expect("a search");
    assert_eq!((found.total, found.items[0].downloads), (1, 2));

    // An import replaces the downloads that the record came with, and keeps the counted ones.
    for (declared, downloads) in [(0, 2), (10, 12), (5, 7)] {
        let title = format!("Rain with {declared}");
        let changed = Effect { title, downloads: declared, ..effect.clone() };
        let imported = fixture.store.put_effects(&[changed]).await.expect("effects");
        assert_eq!(imported.changed, 1);
        let found = fixture.store.search_effects(&query).await.expect("a search");
        assert_eq!(found.items[0].downloads, downloads, "{declared}");
    }
}

pub async fn no_search_is_too_long(fixture: Fixture) {
    let long = ["x".repeat(60_000), "Ä".repeat(60_000), "y ".repeat(30_000)];
    for (id, text) in (1..).zip(&long) {
        let words = relevance::words(text);
        let query = AudioQuery { words, limit: 9, premium: true, ..AudioQuery::default() };
        assert_eq!(fixture.store.search_tracks(&query).await.expect("a search").total, 0);
        fixture.store.put_tracks(&[track(id, text, text, 1.0)]).await.expect("a track");
        assert_eq!(fixture.store.search_tracks(&query).await.expect("a search").total, 1);
        let any_of = vec![vec![format!("genre:{text}")]];
        let query = AudioQuery { any_of, limit: 9, premium: true, ..AudioQuery::default() };
        assert_eq!(fixture.store.search_tracks(&query).await.expect("a search").total, 1);
    }
}
