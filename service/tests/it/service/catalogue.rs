//! The catalogue of `serve --demo`, as a new user sees it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::image_to_prompt::ImageToPromptRequest;
use asset_api_client::models::music::{DownloadMusicInput, SearchMusicInput};
use asset_api_client::models::resources::{
    ContentTypeFilter, FilterFlag, ListResourcesInput, PeopleFilter, ResourceFilters,
};
use asset_api_client::models::sfx::{DownloadSfxInput, SearchSfxInput, SfxCategory};

use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use super::bare::Bare;
use super::ports::free_address;
use super::running::Running;
use super::waiting::{ended, eventually};
use crate::service::http_client;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demo_can_be_searched() {
    let running = Running::start(&["--demo", "--threads", "0"]);
    let client = running.client();
    // The demo imports the catalogue while it serves the first requests.
    let music = async || client.search_music(SearchMusicInput::default()).await.unwrap().count;
    eventually("the demo has too little music", async || (music().await == 2).then_some(())).await;
    let mut search = ListResourcesInput::default();
    search.term = Some("space".to_owned());
    let found = client.list_resources(search.clone()).await.unwrap();
    assert_eq!((found.data.len(), found.meta.total, found.meta.last_page), (2, 2, 1));
    assert_eq!(found.meta.clean_search, Some(true));
    search.term = Some("space!".to_owned());
    let changed = client.list_resources(search).await.unwrap();
    assert_eq!((changed.meta.total, changed.meta.clean_search), (2, Some(false)));
    assert_eq!(found.data[0].related.serie.len(), 1);
    let rocket = &found.data[0];
    let files = [&rocket.url, &rocket.image.source.url, &rocket.author.avatar];
    for url in files.into_iter().chain([&rocket.licenses[0].url, &rocket.products[0].url]) {
        assert_eq!(http_client::get(url).await.unwrap().status(), 200, "{url}");
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
    let file = http_client::get(&download.download_url).await.unwrap();
    assert_eq!(file.headers()["content-type"], "audio/wav");

    let mut search = SearchMusicInput::default();
    search.q = Some("bells".to_owned());
    let music = client.search_music(search.clone()).await.unwrap();
    assert_eq!(music.results[0].title, "Slow bells");
    let download = client.download_music(DownloadMusicInput::new(music.results[0].id)).await.unwrap();
    assert_eq!(http_client::get(&download.download_url).await.unwrap().status(), 200);
    search.q = Some("nothing like it".to_owned());
    assert_eq!(client.search_music(search).await.unwrap().count, 0);
}

/// Starts the demo; returns the process and its output, including the calls.
fn printed(bare: &Bare, free: &str) -> (Process, Vec<String>) {
    let mut command = bare.binary(&["serve", "--demo", "--listen", free]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first_lines =
        lines.map(Result::unwrap).take_while(|line| !line.starts_with("All operations")).collect();
    (Process(child), first_lines)
}

/// A process that is killed when this is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends the request of a printed curl line, parsed as a shell would.
async fn curl(line: &str) -> serde_json::Value {
    let mut words = Vec::new();
    for (number, part) in line.split('\'').enumerate() {
        match number % 2 {
            0 => words.extend(part.split_whitespace()),
            _ => words.push(part),
        }
    }
    let url = words.iter().find(|word| word.starts_with("http")).unwrap();
    let pairs: Vec<_> = words.iter().zip(words.iter().skip(1)).collect();
    let client = http_client::new();
    let mut request = match pairs.iter().find(|(flag, _)| **flag == "-d") {
        Some((_, body)) => client.post(*url).body((**body).to_owned()),
        None => client.get(*url),
    };
    for (_, header) in pairs.iter().filter(|(flag, _)| **flag == "-H") {
        let (name, value) = header.split_once(": ").unwrap();
        request = request.header(name, value);
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200, "{line}");
    response.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_that_the_demo_prints_works() {
    let bare = Bare::new("");
    let free = free_address().to_string();
    let (_process, first_lines) = printed(&bare, &free);
    assert!(
        first_lines[0].starts_with("listening on ") && first_lines[1].contains("importing"),
        "{first_lines:?}"
    );
    let calls: Vec<_> = first_lines.iter().filter(|line| line.trim().starts_with("curl")).collect();
    assert_eq!(calls.len(), 6, "{first_lines:?}");
    let mut tasks = Vec::new();
    for call in &calls[..4] {
        let response = curl(call).await;
        tasks.extend(response["data"]["task_id"].as_str().map(ToOwned::to_owned));
    }
    assert_webhook_arrives(calls[2]).await;
    for (call, task) in calls[4..].iter().zip(&tasks) {
        let call = call.replace("<task_id>", task);
        let file = async || Some(curl(&call).await["data"]["generated"][0].as_str()?.to_owned());
        let file = eventually(&call, file).await;
        assert_eq!(http_client::get(&file).await.unwrap().status(), 200, "{file}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_the_service_are_media_without_a_request() {
    // The strict policy: https on port 443, and no private networks.
    let strict = [("ASSET_SERVICE_ALLOW_PRIVATE_NETWORKS", "false")];
    let running = Running::start_with("", &["--demo"], &strict);
    let client = running.client();
    let picture = async || {
        let found = client.list_resources(ListResourcesInput::default()).await.unwrap();
        found.data.first().map(|found| found.image.source.url.clone())
    };
    let picture = eventually("the demo has no pictures", picture).await;
    let id = client.create_image_to_prompt(ImageToPromptRequest::new(&picture)).await.unwrap().data.task_id;
    let task = ended(async || client.get_image_to_prompt(id).await.unwrap().data).await;
    assert_eq!(task.status, TaskStatus::Completed, "{task:?}");

    let refused = async |url: String| {
        let error = client.create_image_to_prompt(ImageToPromptRequest::new(url)).await.unwrap_err();
        error.message().unwrap_or_default()
    };
    let gone = refused(format!("{}/catalogue/previews/none.jpg", running.url)).await;
    assert!(gone.contains("must be an existing file of this service"), "{gone}");
    let other = refused(format!("{}/metrics", running.url)).await;
    assert!(other.contains("https"), "any other URL must pass the usual checks: {other}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_served_by_ranges() {
    let running = Running::start(&["--demo", "--threads", "0"]);
    let client = running.client();
    let effect = async || {
        let found = client.search_sfx(SearchSfxInput::default()).await.unwrap();
        found.results.first().map(|effect| effect.id)
    };
    let effect = eventually("the demo has no effects", effect).await;
    let url = client.download_sfx(DownloadSfxInput::new(effect)).await.unwrap().download_url;
    let whole = http_client::get(&url).await.unwrap().bytes().await.unwrap();
    let http = http_client::new();
    let part = http.get(&url).header("range", "bytes=8-11").send().await.unwrap();
    assert_eq!(part.status(), 206);
    assert_eq!(part.headers()["content-range"], format!("bytes 8-11/{}", whole.len()));
    assert_eq!(part.bytes().await.unwrap(), "WAVE");
    let report = http.head(&url).header("range", "bytes=8-11").send().await.unwrap();
    assert_eq!(report.status(), 200);
    assert_eq!(report.headers()["content-length"], whole.len().to_string());
    assert_eq!(report.headers()["content-type"], "audio/wav");
    assert!(report.bytes().await.unwrap().is_empty());
    let beyond = http.get(&url).header("range", "bytes=999999999-").send().await.unwrap();
    assert_eq!(beyond.status(), 416);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_of_resources_resolve() {
    let running = Running::start(&["--threads", "0"]);
    for path in ["licenses/freemium", "licenses/premium", "products/essential", "products/premium"] {
        let page = http_client::get(format!("{}/{path}", running.url)).await.unwrap();
        assert_eq!(page.status(), 200, "{path}");
        assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
        let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        let name = path.rsplit('/').next().unwrap();
        assert!(page.text().await.unwrap().contains(&format!(": {name}</h1>")), "{path}");
    }
    for path in ["licenses/other", "products/freemium", "licenses/premium/more"] {
        assert_eq!(
            http_client::get(format!("{}/{path}", running.url)).await.unwrap().status(),
            404,
            "{path}"
        );
    }
}

/// Sends a printed call with the URL of a receiver on this machine, which needs no settings.
async fn assert_webhook_arrives(call: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let response = curl(&call.replacen('{', &format!(r#"{{"webhook_url": "{url}", "#), 1)).await;
    let (mut receiver, _) = listener.accept().await.unwrap();
    let mut text = String::new();
    let task = response["data"]["task_id"].as_str().unwrap();
    while !text.contains(task) {
        let mut bytes = [0; 4096];
        let count = receiver.read(&mut bytes).await.unwrap();
        assert!(count > 0, "no task in {text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    assert!(text.contains("webhook-signature: v1,"), "{text}");
}
