//! A client guesses names of the inner network.

use std::net::IpAddr;

use serde_json::{Value, json};

use crate::service::running::Running;

/// Returns a name of this machine that resolves to a private address, if `/etc/hosts` has one.
///
/// `localhost` does not count: it means this machine everywhere.
fn inner_name() -> Option<String> {
    let hosts = std::fs::read_to_string("/etc/hosts").ok()?;
    hosts.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        words.next()?.parse::<IpAddr>().ok().filter(IpAddr::is_loopback)?;
        words.find(|name| !name.ends_with("localhost")).map(ToOwned::to_owned)
    })
}

async fn submit(running: &Running, url: &str) -> (u16, Value) {
    let body = json!({"text": "click", "duration_seconds": 0.5, "webhook_url": url});
    let request = reqwest::Client::new().post(format!("{}/v1/ai/sound-effects", running.url)).json(&body);
    let response = request.header("x-service-api-key", &running.key).send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_submission_does_not_tell_which_names_resolve() {
    let strict = [("ASSET_SERVICE_ALLOW_PRIVATE_NETWORKS", "false")];
    let running = Running::start_with("", &["--threads", "0"], &strict);
    let names = ["gone.invalid".to_owned()].into_iter().chain(inner_name());
    for name in names {
        let (status, answer) = submit(&running, &format!("https://{name}/hook")).await;
        assert_eq!((status, &answer["data"]["status"]), (200, &json!("CREATED")), "{name}: {answer}");
    }
    for literal in ["https://127.0.0.1/", "https://0x7f.1/", "https://[::1]/", "https://localhost/"] {
        let (status, answer) = submit(&running, literal).await;
        assert_eq!((status, &answer["invalid_params"][0]["name"]), (400, &json!("webhook_url")), "{literal}");
    }
}
