//! Runs of workflow apps: what a client gives them is held against what their engines take.

use asset_api_client::models::apps::{RunAppInput, RunAppRequest};
use serde_json::{Value, json};

use super::running::Running;

/// The problem that a run of the narration with these inputs answers.
async fn problem(running: &Running, inputs: Value) -> String {
    let body: RunAppRequest = serde_json::from_value(json!({ "inputs": inputs })).unwrap();
    let refused = running.client().run_app(RunAppInput::new("nArr8d", body)).await.unwrap_err();
    assert_eq!(refused.status().map(|status| status.as_u16()), Some(400), "{refused}");
    format!("{refused:?}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_are_bounded_as_bodies_are() {
    let running = Running::start(&["--threads", "0"]);
    // A file of gigabytes, were it spoken.
    let told = problem(&running, json!({"in_1": "word ".repeat(200_000)})).await;
    assert!(told.contains("inputs.in_1") && told.contains("at most 40000 characters"), "{told}");
    // Longer than one engine takes, and not the other.
    let told = problem(&running, json!({"in_1": "x", "in_2": "rain ".repeat(600)})).await;
    assert!(told.contains("inputs.in_2") && told.contains("at most 2500 characters"), "{told}");
    let told = problem(&running, json!({"in_1": "x", "in_3": 1e300})).await;
    assert!(told.contains("inputs.in_3") && told.contains("from 0.5 to 22"), "{told}");
}
