//! A key sends large bodies that are invalid: their decoding must hold up no request of another key.

use futures_util::future::join_all;

use crate::service::http_client;
use crate::service::running::Running;
use crate::service::victim::{Percentiles, Victim, hurts_nobody};

const UNLIMITED: &str = "[tiers.default]\nburst = 10000\nper-second = 10000.0\n";

/// The items of the array, of which the operation accepts three.
const ITEMS: usize = 5_000_000;

/// Two bodies for each thread of the service.
const AT_ONCE: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_invalid_bodies_delay_no_other_key() {
    hurts_nobody(async || vec![invalid_bodies().await]).await;
}

async fn invalid_bodies() -> Percentiles {
    let running = Running::start_with(UNLIMITED, &[], &[]);
    let victim = Victim::start(&running).await;
    let items = vec!["1"; ITEMS].join(",");
    let body = format!(r#"{{"prompt":"a house","reference_images":[{items}]}}"#);
    let (client, url) = (http_client::new(), format!("{}/v1/ai/gemini-2-5-flash-image-preview", running.url));
    let send = async || {
        let request = client.post(&url).header("x-service-api-key", &running.key);
        let response =
            request.header("content-type", "application/json").body(body.clone()).send().await.unwrap();
        assert_eq!(response.status(), 400);
    };
    let attack = async { join_all((0..AT_ONCE).map(|_| send())).await };
    victim.measure_during(attack).await.0
}
