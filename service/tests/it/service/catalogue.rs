//! The catalogue of `serve --demo`, as a new user meets it.

use asset_api_client::models::music::{DownloadMusicInput, SearchMusicInput};
use asset_api_client::models::resources::{
    ContentTypeFilter, FilterFlag, ListResourcesInput, PeopleFilter, ResourceFilters,
};
use asset_api_client::models::sfx::{DownloadSfxInput, SearchSfxInput, SfxCategory};

use super::running::Running;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demo_can_be_searched() {
    let running = Running::start(&["--demo", "--threads", "0"]);
    let client = running.client();
    // The catalogue is imported beside the first requests.
    for _ in 0..300 {
        if client.search_music(SearchMusicInput::default()).await.unwrap().count == 2 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    let mut search = ListResourcesInput::default();
    search.term = Some("space".to_owned());
    let found = client.list_resources(search).await.unwrap();
    assert_eq!((found.data.len(), found.meta.total, found.meta.last_page), (2, 2, 1));
    assert_eq!(found.data[0].related.serie.len(), 1);
    let rocket = &found.data[0];
    let files = [&rocket.url, &rocket.image.source.url, &rocket.author.avatar];
    for url in files.into_iter().chain([&rocket.licenses[0].url, &rocket.products[0].url]) {
        assert_eq!(reqwest::get(url).await.unwrap().status(), 200, "{url}");
    }

    let mut filters = ResourceFilters::default();
    let mut kinds = ContentTypeFilter::default();
    kinds.photo = Some(FilterFlag::N1);
    filters.content_type = Some(kinds);
    let mut people = PeopleFilter::default();
    people.include = Some(FilterFlag::N1);
    filters.people = Some(people);
    let mut search = ListResourcesInput::default();
    search.filters = Some(filters);
    let found = client.list_resources(search).await.unwrap();
    assert_eq!(found.data.len(), 1);
    assert!(found.data[0].title.contains("astronaut"));

    let mut search = SearchSfxInput::default();
    search.category = Some(SfxCategory::Ambience);
    let effects = client.search_sfx(search).await.unwrap();
    assert_eq!(effects.count, 3);
    let download = client.download_sfx(DownloadSfxInput::new(effects.results[0].id)).await.unwrap();
    let file = reqwest::get(&download.download_url).await.unwrap();
    assert_eq!(file.headers()["content-type"], "audio/wav");

    let mut search = SearchMusicInput::default();
    search.q = Some("bells".to_owned());
    let music = client.search_music(search.clone()).await.unwrap();
    assert_eq!(music.results[0].title, "Slow bells");
    let download = client.download_music(DownloadMusicInput::new(music.results[0].id)).await.unwrap();
    assert_eq!(reqwest::get(&download.download_url).await.unwrap().status(), 200);
    search.q = Some("nothing like it".to_owned());
    assert_eq!(client.search_music(search).await.unwrap().count, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_served_by_ranges() {
    let running = Running::start(&["--demo", "--threads", "0"]);
    let client = running.client();
    let effect = loop {
        let found = client.search_sfx(SearchSfxInput::default()).await.unwrap();
        if let Some(effect) = found.results.first() {
            break effect.id;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    };
    let url = client.download_sfx(DownloadSfxInput::new(effect)).await.unwrap().download_url;
    let whole = reqwest::get(&url).await.unwrap().bytes().await.unwrap();
    let http = reqwest::Client::new();
    let part = http.get(&url).header("range", "bytes=8-11").send().await.unwrap();
    assert_eq!(part.status(), 206);
    assert_eq!(part.headers()["content-range"], format!("bytes 8-11/{}", whole.len()));
    assert_eq!(part.bytes().await.unwrap(), "WAVE");
    let told = http.head(&url).send().await.unwrap();
    assert_eq!(told.status(), 200);
    assert_eq!(told.headers()["content-length"], whole.len().to_string());
    assert_eq!(told.headers()["content-type"], "audio/wav");
    assert!(told.bytes().await.unwrap().is_empty());
    let beyond = http.get(&url).header("range", "bytes=999999999-").send().await.unwrap();
    assert_eq!(beyond.status(), 416);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_resources_lead_to_is_there() {
    let running = Running::start(&["--threads", "0"]);
    for path in ["licenses/freemium", "licenses/premium", "products/essential", "products/premium"] {
        let page = reqwest::get(format!("{}/{path}", running.url)).await.unwrap();
        assert_eq!(page.status(), 200, "{path}");
        assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
        let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        let name = path.rsplit('/').next().unwrap();
        assert!(page.text().await.unwrap().contains(&format!(": {name}</h1>")), "{path}");
    }
    for path in ["licenses/other", "products/freemium", "licenses/premium/more"] {
        assert_eq!(reqwest::get(format!("{}/{path}", running.url)).await.unwrap().status(), 404, "{path}");
    }
}
