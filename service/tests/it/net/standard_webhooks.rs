//! Delivers webhooks and verifies them with another implementation.
//!
//! That implementation is `standardwebhooks` from PyPI, in a virtual environment that the test creates once.
//! Without Python or a network, the test prints that it skipped this verification.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::service::outside::serve;
use asset_service::domain::{
    Claim, Created, Demand, Ended, Engines, EventQuery, EventState, NewTask, Only, Page, Payload, Role, Task,
    TaskStatus,
};
use asset_service::keys::issue::{NewKey, issue};
use asset_service::store::{self, SharedStore};
use asset_service::time::Clock;
use asset_service::webhooks::deliver::Sender;
use asset_service::webhooks::dispatcher::{Dispatcher, Settings};
use asset_service::webhooks::sign;
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

/// The package that verifies the webhooks.
const PACKAGE: &str = "standardwebhooks==1.0.1";

#[tokio::test(flavor = "multi_thread")]
async fn another_implementation_verifies_the_deliveries() {
    let folder = tempfile::tempdir().unwrap();
    let store =
        store::open(None, folder.path(), store::Schema::Migrate, store::Access::DEFAULT).await.unwrap();
    let clock = Clock::System;
    let now = clock.now();
    let new = NewKey {
        name: "test".into(),
        enterprise: false,
        tier: "default".into(),
        expires_at: None,
        role: Role::Client,
    };
    let (token, old) = issue(&*store, new, now).await.unwrap();
    let fresh = sign::generate(now + 1);
    store.rotate_webhook_secret(token.id(), &fresh, now + 3_600_000).await.unwrap();

    let (url, mut received) = receiver().await;
    let sender = Sender::new(super::guard(), clock.clone()).unwrap();
    let dispatcher = Dispatcher::new(Arc::clone(&store), sender, clock, Settings::default());
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(dispatcher.run(async {
        let _ = stopped.await;
    }));
    let task = complete_a_task(&store, token.id(), url, now).await;
    let (headers, body) = loop {
        let arrival = tokio::time::timeout(Duration::from_secs(120), received.recv()).await;
        let (headers, body) = arrival.expect("a webhook").unwrap();
        // The IN_PROGRESS event may or may not arrive before the terminal one.
        if body.contains("COMPLETED") {
            break (headers, body);
        }
    };
    stop.send(()).unwrap();
    running.await.unwrap();

    let query =
        EventQuery { task_id: Some(task), state: Some(EventState::Delivered), ..EventQuery::default() };
    let events = store.events(&query, Page { offset: 0, limit: 10 }).await.unwrap();
    let event = events.iter().find(|event| event.terminal).expect("a delivered terminal event");
    assert_eq!((headers["webhook-id"].as_str().unwrap(), &body), (event.id.as_str(), &event.payload));
    assert_eq!(store.attempts(&event.id).await.unwrap()[0].attempt.response, "thanks");

    let case = |secret: &str, body: &str| json!({"secret": secret, "headers": headers, "body": body});
    let tampered = body.replace("COMPLETED", "FAILED");
    let other = sign::reveal(&sign::generate(now));
    let (old, fresh) = (sign::reveal(&old), sign::reveal(&fresh));
    let cases = json!([case(&old, &body), case(&fresh, &body), case(&other, &body), case(&fresh, &tampered)]);
    match python() {
        Ok(python) => assert_eq!(accepted(&python, &cases), "[true, true, false, false]"),
        Err(why) => {
            let note = format!("SKIPPED: PyPI's {PACKAGE} was not asked about webhooks: {why}\n");
            // The test harness would capture the output of a macro.
            std::io::stderr().write_all(note.as_bytes()).unwrap();
        }
    }
}

/// Starts a receiver; the channel gets each request's headers and body.
async fn receiver() -> (String, mpsc::UnboundedReceiver<(Value, String)>) {
    let (send, received) = mpsc::unbounded_channel();
    let keep = move |headers: HeaderMap, body: String| async move {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().into()));
        send.send((Value::Object(headers.collect()), body)).unwrap();
        (StatusCode::ACCEPTED, "thanks")
    };
    let address = serve(Router::new().route("/", post(keep))).await;
    (format!("http://hooks.test:{}/", address.port()), received)
}

async fn complete_a_task(store: &SharedStore, key_id: &str, url: String, now: i64) -> Uuid {
    let task = Task {
        id: Uuid::now_v7(),
        key_id: key_id.to_owned(),
        family: "sound-effects".into(),
        model: None,
        status: TaskStatus::Created,
        results: Vec::new(),
        error: None,
        engine: "procedural sound".into(),
        folder: Uuid::new_v4().simple().to_string(),
        webhook_url: Some(url),
        app: None,
        ignored: Vec::new(),
        progress: None,
        created_at: now,
        updated_at: now,
    };
    let id = task.id;
    let created = store
        .create_task(&NewTask {
            task,
            work: "{}".into(),
            demand: Demand { engines: Engines::built_in(["sound-effects"]), size: 10 },
            input_bytes: 0,
            idempotency: None,
            daily_quota: None,
            trace: None,
        })
        .await
        .unwrap();
    assert_eq!(created, Created::New);
    let payload: Payload = Arc::new(|task| json!({"task_id": task.id, "status": "IN_PROGRESS"}).to_string());
    let lease_until = now + 60_000;
    let claim = Claim {
        owner: "test".to_owned(),
        now,
        lease_until,
        limit: 1,
        running_per_key: 1,
        max_attempts: 3,
        only: Only::default(),
    };
    let claimed = store.claim_tasks(&claim, &payload).await.unwrap().remove(0);
    let payload =
        json!({"task_id": id, "status": "COMPLETED", "generated": ["caf\u{e9} \"quoted\""]}).to_string();
    let ended = Ended {
        results: Vec::new(),
        error: None,
        engine: None,
        result_bytes: 0,
        engine_time: None,
        now,
        payload,
    };
    assert!(store.end_task(&claimed.lease, &ended).await.unwrap());
    id
}

/// Returns a Python with the package installed, or why there is none.
fn python() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(PACKAGE);
    let (python, installed) = (folder.join("bin/python"), folder.join("installed"));
    if !installed.exists() {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE];
        run(Command::new(&python).args(install))?;
        std::fs::write(installed, "").map_err(|error| error.to_string())?;
    }
    Ok(python)
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().rfind(|line| !line.is_empty()).unwrap_or("no error message");
    if output.status.success() { Ok(()) } else { Err(format!("{}: {last}", command.get_program().display())) }
}

/// Returns which of these deliveries the other implementation accepts.
fn accepted(python: &Path, cases: &Value) -> String {
    const SCRIPT: &str = r#"
import json, sys
from standardwebhooks import Webhook, WebhookVerificationError

def accepted(case):
    try:
        Webhook(case["secret"]).verify(case["body"], case["headers"])
        return True
    except WebhookVerificationError:
        return False

print(json.dumps([accepted(case) for case in json.load(sys.stdin)]))
"#;
    let mut python = Command::new(python);
    python.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = python.spawn().unwrap();
    running.stdin.take().unwrap().write_all(cases.to_string().as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
