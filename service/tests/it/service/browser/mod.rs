//! The pages in a headless Chromium, as users see them.
//!
//! The test drives the browser by chromedriver. Without it, it is skipped, except in CI.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::http_client;
use crate::service::waiting::TIMEOUT;

mod docs;
mod operators;

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
                    "SKIPPED: the test of the pages in a browser, because `chromedriver` can't be started: {error}\n"
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

/// One browser is used for all pages, because its start takes seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_do_what_they_show() {
    // The commands of the service install what reqwest needs.
    drop(super::running::binary());
    let Some(browser) = Browser::start().await else { return };
    docs::the_form_of_an_operation_runs_a_task_and_shows_its_results(&browser).await;
    operators::operators_see_and_change_what_the_api_has(&browser).await;
}
