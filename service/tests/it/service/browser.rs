//! The page `/docs` in a headless Chromium, as a user sees it.
//!
//! The tests drive the browser by chromedriver. Without it they are skipped, except in CI.

use crate::service::waiting::TIMEOUT;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};
use simulated_providers::{Medium, Plan, Provider, Providers};
use tempfile::TempDir;

use super::running::Running;
use crate::service::http_client;

/// The key under which WebDriver returns an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one page. It ends when this is dropped.
struct Browser {
    driver: Child,
    address: SocketAddr,
    /// The path of the session.
    session: String,
    client: Client,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser; `None` without chromedriver.
    async fn start() -> Option<Self> {
        let program = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn();
        let mut driver = match program {
            Ok(driver) => driver,
            Err(error) if std::env::var("CI").is_ok_and(|ci| ci == "true") => {
                panic!("CI has no chromedriver: {error}")
            }
            Err(error) => {
                let message = format!(
                    "SKIPPED: the tests of /docs in a browser, because `chromedriver` can't be started: {error}\n"
                );
                // The test harness would capture the output of a macro.
                std::io::stderr().write_all(message.as_bytes()).unwrap();
                return None;
            }
        };
        let port = port(&mut driver).expect("chromedriver names its port");
        let profile = tempfile::tempdir().unwrap();
        let folder = format!("--user-data-dir={}", profile.path().display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            // A test is not a user, whose click would allow sounds.
            "--autoplay-policy=no-user-gesture-required",
            &folder,
        ];
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let session = "/session".to_owned();
        let mut browser = Self { driver, address, session, client: http_client::new(), _profile: profile };
        let capabilities = json!({"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }});
        let begun = browser.send("", json!({"capabilities": capabilities})).await;
        browser.session = format!("/session/{}", begun["sessionId"].as_str().unwrap());
        Some(browser)
    }

    /// Sends a command, and returns its value.
    async fn send(&self, command: &str, body: Value) -> Value {
        self.tried(command, body).await.unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// Sends a command that may fail.
    async fn tried(&self, command: &str, body: Value) -> Result<Value, Value> {
        let url = format!("http://{}{}{command}", self.address, self.session);
        let response = self.client.post(url).json(&body).timeout(TIMEOUT).send().await.unwrap();
        let is_success = response.status().is_success();
        let value = response.json::<Value>().await.unwrap()["value"].take();
        if is_success { Ok(value) } else { Err(value) }
    }

    async fn open(&self, url: &str) {
        self.send("/url", json!({"url": url})).await;
    }

    /// Waits until the page has an element, and returns its path.
    async fn element(&self, selector: &str) -> String {
        let begun = Instant::now();
        loop {
            let found = self.tried("/element", json!({"using": "css selector", "value": selector})).await;
            if let Ok(found) = &found {
                return format!("/element/{}", found[ELEMENT].as_str().unwrap());
            }
            assert!(begun.elapsed() < TIMEOUT, "{selector}: {found:?} {:?}", self.log().await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Clicks an element, wherever it is: results that load meanwhile move what is below them.
    async fn click(&self, selector: &str) {
        self.element(selector).await;
        self.value(selector, "it.click()").await;
    }

    /// Types a text in place of what an input field holds.
    async fn fill(&self, selector: &str, text: &str) {
        let element = self.element(selector).await;
        self.send(&format!("{element}/clear"), json!({})).await;
        self.send(&format!("{element}/value"), json!({"text": text})).await;
    }

    /// Returns the value of an expression, which may be a promise, over the element `it`.
    async fn value(&self, selector: &str, expression: &str) -> Value {
        // The page replaces elements meanwhile, so a script finds its own.
        let script = format!("const it = document.querySelector(arguments[0]); return it && ({expression});");
        self.send("/execute/sync", json!({"script": script, "args": [selector]})).await
    }

    /// Waits until an expression over an element has this value.
    async fn shows(&self, selector: &str, expression: &str, expected: &Value) {
        let begun = Instant::now();
        loop {
            let value = self.value(selector, expression).await;
            if value == *expected {
                return;
            }
            assert!(
                begun.elapsed() < TIMEOUT,
                "{selector} {expression}: {value}, not {expected}; {:?}",
                self.log().await
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Returns the messages of the console since the last call: errors, violations of the page's policy, failed requests.
    ///
    /// Recommendations to the authors of pages are left out.
    async fn log(&self) -> Vec<String> {
        let entries = self.send("/se/log", json!({"type": "browser"})).await;
        let entries = entries.as_array().unwrap().iter().filter(|entry| entry["level"] != "DEBUG");
        entries.map(ToString::to_string).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Killed alone, chromedriver would leave the browser behind.
        if let Ok(mut stream) = TcpStream::connect(self.address) {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
            let _ = write!(stream, "DELETE {} HTTP/1.1\r\nHost: {}\r\n\r\n", self.session, self.address);
            let _ = stream.read(&mut [0]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Reads the port from what chromedriver prints.
fn port(driver: &mut Child) -> Option<u16> {
    let mut lines = BufReader::new(driver.stdout.take()?).lines();
    let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
        let port = line.split_once("started successfully on port ")?.1;
        port.trim_end_matches('.').parse().ok()
    });
    // Drain it, so that chromedriver never blocks on a full pipe.
    std::thread::spawn(move || lines.for_each(drop));
    port
}

/// Sends a request by the form of an operation.
async fn try_it(browser: &Browser, operation: &str, body: &Value) {
    let form = format!("#{operation} details.try");
    browser.click(&format!("{form} > summary")).await;
    browser.fill(&format!("{form} textarea"), &body.to_string()).await;
    browser.click(&format!("{form} button")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_form_of_an_operation_runs_a_task_and_shows_its_results() {
    // The commands of the service install what reqwest needs.
    drop(super::running::binary());
    let Some(browser) = Browser::start().await else { return };
    let providers = Providers::start().await.unwrap();
    providers.makes("", Medium::Sound);
    providers.plan(Plan::Slow);
    let url = providers.url(Provider::Replicate);
    let settings = format!(
        r#"
        [engines.p]
        kind = "http"
        preset = "replicate"
        base-url = "{url}"
        poll-seconds = 0.1
        key = {{ env = "KEY_OF_THE_PROVIDER" }}
        [families.sound-effects]
        engine = "p"
        model = "maker/sound"
        input = {{ text = "{{{{ request.text }}}}" }}
        "#
    );
    let running = Running::start_with(&settings, &["--threads", "2"], &[("KEY_OF_THE_PROVIDER", "sk-hush")]);
    browser.open(&format!("{}/docs", running.url)).await;
    browser.fill("#key", &running.key).await;
    browser.shows("#key", "sessionStorage.getItem('key')", &json!(running.key)).await;

    // A sound of a provider, whose progress shows first.
    try_it(&browser, "create_sound_effect", &json!({"text": "wind", "duration_seconds": 1})).await;
    let task = "#create_sound_effect details.try .task";
    browser.shows(&format!("{task} progress"), "it.value", &json!(40)).await;
    browser.shows(&format!("{task} strong"), "it.textContent", &json!("IN_PROGRESS")).await;
    providers.finish();
    browser.shows(&format!("{task} strong"), "it.textContent", &json!("COMPLETED")).await;
    let sound = format!("{task} audio[controls]");
    let heard = "it.play().then(() => new Promise((heard) => it.addEventListener('timeupdate', \
                 () => it.currentTime > 0 && heard(it.duration > 0))))";
    assert_eq!(browser.value(&sound, heard).await, json!(true));

    // A picture of the built-in engine.
    try_it(&browser, "create_fast_image", &json!({"prompt": "a red fox"})).await;
    let task = "#create_fast_image details.try .task";
    browser.shows(&format!("{task} strong"), "it.textContent", &json!("COMPLETED")).await;
    browser.shows(&format!("{task} img"), "it.complete && it.naturalWidth > 100", &json!(true)).await;
    let response = "#create_fast_image details.try > pre";
    let shown = browser.value(response, "it.textContent").await;
    assert!(
        shown.as_str().is_some_and(|shown| shown.contains("200 ") && !shown.contains(&running.key)),
        "{shown}"
    );

    // Nothing was wrong on the way; what would be wrong is noticed.
    assert_eq!(browser.log().await, Vec::<String>::new());
    browser.value("#main", "it.append(Object.assign(new Image(), { src: 'https://192.0.2.1/x.png' }))").await;
    browser.shows("#main img[src^='https:']", "it.complete", &json!(true)).await;
    let log = browser.log().await;
    assert!(log.iter().any(|entry| entry.contains("Content Security Policy")), "{log:?}");
}
