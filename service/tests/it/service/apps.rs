//! Runs of workflow apps: request validation of the inputs.

use asset_api_client::models::apps::{RunAppInput, RunAppRequest};
use serde_json::{Value, json};

use super::running::Running;

/// Returns the problem that a run of the narration with these inputs responds with.
async fn problem(running: &Running, inputs: Value) -> String {
    let body: RunAppRequest = serde_json::from_value(json!({ "inputs": inputs })).unwrap();
    let refused = running.client().run_app(RunAppInput::new("nArr8d", body)).await.unwrap_err();
    assert_eq!(refused.status().map(|status| status.as_u16()), Some(400), "{refused}");
    format!("{refused:?}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_are_bounded_as_bodies_are() {
    let running = Running::start(&["--threads", "0"]);
    // Spoken aloud, this text would fill a file of gigabytes.
    let told = problem(&running, json!({"in_1": "word ".repeat(200_000)})).await;
    assert!(told.contains("inputs.in_1") && told.contains("at most 40000 characters"), "{told}");
    // Too long for the second engine, although the first one would accept it.
    let told = problem(&running, json!({"in_1": "x", "in_2": "rain ".repeat(600)})).await;
    assert!(told.contains("inputs.in_2") && told.contains("at most 2500 characters"), "{told}");
    let told = problem(&running, json!({"in_1": "x", "in_3": 1e300})).await;
    assert!(told.contains("inputs.in_3") && told.contains("from 0.5 to 22"), "{told}");
}
