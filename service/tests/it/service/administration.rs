//! The administration: its API, and the same at the command line.

use std::time::Duration;

use asset_api_client::models::sound_effects::SoundEffectRequest;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

use super::http_client;
use super::ports::free_address;
use super::running::{Database, Running, on_both_databases};
use super::waiting::eventually;

on_both_databases! {
    operators_see_and_change_tasks
    a_key_opens_only_its_own_api
    refused_requests_of_known_keys_are_in_the_audit_log
    a_paused_family_begins_no_task_in_any_process
}

/// A service with its operators' address and a key of an operator.
struct Operated {
    running: Running,
    admin: String,
    key: String,
}

impl Operated {
    async fn start(database: Database, settings: &str, arguments: &[&str]) -> Option<Self> {
        let admin = free_address().to_string();
        let arguments = [arguments, &["--admin-listen", &admin]].concat();
        let running = database.start(settings, &arguments).await?;
        let key = running.new_key(&["--role", "operator"]);
        Some(Self { running, admin, key })
    }

    async fn send(&self, key: &str, method: Method, path: &str, body: Option<Value>) -> (StatusCode, Value) {
        let mut request = http_client::new().request(method, format!("http://{}{path}", self.admin));
        if !key.is_empty() {
            request = request.header("x-service-api-key", key);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.unwrap();
        (response.status(), response.json().await.unwrap_or_default())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, body) = self.send(&self.key, Method::GET, path, None).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        self.send(&self.key, Method::POST, path, Some(body)).await
    }

    /// Runs a command with `--json`, and returns its lines.
    fn command(&self, arguments: &[&str]) -> Vec<Value> {
        let output = self.running.command(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    async fn create(&self) -> Uuid {
        let mut request = SoundEffectRequest::new("rain and wind", 0.5);
        request.webhook_url = Some("http://127.0.0.1:9/hook".to_owned());
        self.running.client().create_sound_effect(request).await.unwrap().data.task_id
    }
}

/// Removes what differs between two readings of the same.
fn settled(mut value: Value) -> Value {
    if let Some(events) = value.get_mut("events") {
        events.take();
    }
    value
}

async fn operators_see_and_change_tasks(database: Database) {
    let arguments = ["--threads", "0"];
    let Some(service) = Operated::start(database, "[tiers.gold]\nburst = 70\n", &arguments).await else {
        return;
    };
    let (first, second) = (service.create().await, service.create().await);

    let listed = service.get("/v1/tasks?status=CREATED&family=sound-effects&limit=1").await;
    assert_eq!(listed["data"][0]["id"], json!(second), "{listed}");
    assert_eq!(service.get("/v1/tasks?page=2&limit=1").await["data"][0]["id"], json!(first));
    for none in
        ["family=voiceover", "engine=x", "key=AAAA0000", "error=x", "created_before=2020-01-01T00:00:00Z"]
    {
        assert_eq!(service.get(&format!("/v1/tasks?{none}")).await, json!({"data": []}), "{none}");
    }
    let rows = service.command(&["tasks", "list", "--family", "sound-effects", "--newer-than", "1h"]);
    assert_eq!(json!(rows), service.get("/v1/tasks").await["data"], "both print the same");
    assert!(service.command(&["tasks", "list", "--older-than", "1h"]).is_empty());
    let shown = service.get(&format!("/v1/tasks/{first}")).await;
    assert!(
        shown["work"].to_string().contains("rain and wind")
            && shown["task"]["key"] == service.running.key_id()
    );
    assert_eq!(shown["webhook_url"], "http://127.0.0.1:9/hook");
    let of_command = service.command(&["tasks", "show", &first.to_string()]).remove(0);
    assert_eq!(settled(of_command), settled(shown));
    let (status, body) =
        service.send(&service.key, Method::GET, &format!("/v1/tasks/{}", Uuid::nil()), None).await;
    assert_eq!(status, 404, "{body}");

    // A task that can't be changed does not keep the others from it.
    let missing = Uuid::now_v7();
    let (status, body) = service.post("/v1/tasks/cancel", json!({"ids": [missing, first]})).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!((&body["data"][0]["done"], &body["data"][1]["done"]), (&json!(false), &json!(true)), "{body}");
    let failed = service.get("/v1/tasks?error=cancelled").await;
    assert_eq!(failed["data"][0]["error"]["code"], "cancelled", "{failed}");
    let events = service.get(&format!("/v1/tasks/{first}")).await["events"].take();
    assert_eq!(events[0]["task"], json!(first), "{events}");
    assert_eq!(service.command(&["webhooks", "deliveries"])[0]["id"], events[0]["id"]);

    let (_, retried) = service.post("/v1/tasks/retry", json!({"ids": [first, second]})).await;
    assert!(retried["data"][0]["new_id"].is_string(), "{retried}");
    assert!(retried["data"][1]["reason"].as_str().unwrap().contains("only FAILED tasks"), "{retried}");
    let metrics = http_client::get(format!("http://{}/metrics", service.admin)).await.unwrap();
    let metrics = metrics.text().await.unwrap();
    super::metrics::check(&metrics);
    for expected in
        ["tasks_failed_total{code=\"cancelled\"} 1", "tasks_created_total{family=\"sound-effects\"} 3"]
    {
        assert!(metrics.contains(expected), "{expected}: {metrics}");
    }
    let (_, deleted) = service.post("/v1/tasks/delete", json!({"ids": [first]})).await;
    assert_eq!(deleted["data"][0]["done"], true, "{deleted}");
    assert_eq!(service.get("/v1/tasks?error=cancelled").await["data"], json!([]));
    for body in [json!({"ids": []}), json!({}), json!({"ids": ["x"]}), json!({"ids": [second, second]})] {
        assert_eq!(service.post("/v1/tasks/cancel", body).await.0, 400);
    }

    let storage = service.get("/v1/storage").await;
    assert_eq!((&storage["created"], &storage["failed"]), (&json!(2), &json!(0)), "{storage}");
    assert_eq!(service.command(&["storage"])[0]["created"], 2);
    let queues = service.get("/v1/queues").await["data"].take();
    assert_eq!((&queues[0]["waiting"], &queues[0]["paused"]), (&json!(2), &json!(false)), "{queues}");
    assert_eq!(json!(service.command(&["queues", "list"])), queues);
    assert_eq!(service.get("/v1/engines").await, json!({"data": []}));
    assert_eq!(service.get("/v1/tiers").await["data"][1]["burst"], 70);

    // Everything is in the log, with who did it.
    let log = service.get("/v1/audit").await["data"].take();
    let operator = service.key.split('_').nth(1).unwrap();
    let entry = |action: &str| {
        let entries = log.as_array().unwrap().iter();
        entries
            .clone()
            .find(|entry| entry["action"] == action)
            .unwrap_or_else(|| panic!("{action}: {log}"))
            .clone()
    };
    assert_eq!(
        (&entry("delete tasks")["who"], &entry("delete tasks")["result"]),
        (&json!(operator), &json!("done"))
    );
    assert!(entry("cancel tasks")["result"].as_str().unwrap().contains("done but for 1"), "{log}");
    assert_eq!(entry("create key")["who"], "command line");
    assert_eq!(json!(service.command(&["audit"])), log);
}

async fn a_key_opens_only_its_own_api(database: Database) {
    let arguments = ["--threads", "0"];
    let Some(service) = Operated::start(database, "[tiers.gold]\nburst = 70\n", &arguments).await else {
        return;
    };
    let reader = service.running.new_key(&["--role", "read-only"]);
    let client = service.running.key.clone();
    for (key, reading, changing) in [
        ("", 401, 401),
        (client.as_str(), 401, 401),
        (reader.as_str(), 200, 403),
        (service.key.as_str(), 200, 404),
    ] {
        assert_eq!(service.send(key, Method::GET, "/v1/keys", None).await.0, reading, "{key}");
        let pause = service.send(key, Method::POST, "/v1/queues/none/pause", None);
        assert_eq!(pause.await.0, changing, "{key}");
    }
    for key in [&reader, &service.key] {
        let refused =
            service.running.client_of(key).create_sound_effect(SoundEffectRequest::new("click", 0.5)).await;
        assert_eq!(refused.unwrap_err().status().unwrap(), 401);
    }

    // Operators create, change and revoke keys of clients, and no others.
    let body = json!({"name": "checkout", "tier": "gold", "expires_in_days": 90});
    let (status, created) = service.post("/v1/keys", body).await;
    assert_eq!(status, 201, "{created}");
    let (id, key) = (created["id"].as_str().unwrap(), created["key"].as_str().unwrap());
    service.running.client_of(key).create_sound_effect(SoundEffectRequest::new("click", 0.5)).await.unwrap();
    let (status, refused) = service.post("/v1/keys", json!({"name": "a", "tier": "silver"})).await;
    assert!(
        status == 409 && refused["detail"].as_str().unwrap().contains("known tiers: default, gold"),
        "{refused}"
    );
    let tier = |tier: &str| Some(json!({"tier": tier}));
    let put = async |id: &str, body| {
        service.send(&service.key, Method::PUT, &format!("/v1/keys/{id}/tier"), body).await.0
    };
    assert_eq!(
        (put(id, tier("default")).await, put(id, tier("silver")).await),
        (StatusCode::NO_CONTENT, StatusCode::CONFLICT)
    );
    let operator = service.key.split('_').nth(1).unwrap();
    assert_eq!(put(operator, tier("gold")).await, 404);
    assert_eq!(service.post(&format!("/v1/keys/{operator}/revoke"), json!({})).await.0, 404);
    let used = async || {
        let keys = service.get("/v1/keys").await["data"].take();
        let key = keys.as_array().unwrap().iter().find(|key| key["id"] == id).cloned().unwrap();
        key["last_used"].is_string().then_some(key)
    };
    let listed = eventually("its use is not stored", used).await;
    assert_eq!(
        (&listed["role"], &listed["tier"], &listed["state"]),
        (&json!("client"), &json!("default"), &json!("valid"))
    );
    let row = service.command(&["keys", "list"]).into_iter().find(|key| key["id"] == id).unwrap();
    assert_eq!(row["created"], listed["created"]);
    service.command(&["keys", "set-tier", id, "gold"]);
    assert_eq!(used().await.unwrap()["tier"], "gold");
    let refused = service.running.command(&["keys", "set-tier", id, "silver"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let revoke = service.send(&service.key, Method::POST, &format!("/v1/keys/{id}/revoke"), None).await;
    assert_eq!(revoke.0, 204);
    assert_eq!(used().await.unwrap()["state"], "revoked");

    // No secret is anywhere else.
    let log = service.running.log();
    let audit = service.get("/v1/audit").await.to_string();
    for secret in [&reader, &service.key, key] {
        let secret = secret.rsplit('_').next().unwrap();
        assert!(!log.contains(secret) && !audit.contains(secret));
    }
    // PostgreSQL stores no NUL.
    for (method, path) in [(Method::GET, "/v1/tasks?key=%00"), (Method::POST, "/v1/keys/%00/revoke")] {
        assert_eq!(service.send(&service.key, method, path, None).await.0, 400, "{path}");
    }
    // Who guesses keys has to wait.
    let guess = async || service.send("svc_x", Method::GET, "/v1/keys", None).await.0 == 429;
    eventually("guesses have no limit", async || guess().await.then_some(())).await;
}

async fn refused_requests_of_known_keys_are_in_the_audit_log(database: Database) {
    let Some(service) = Operated::start(database, "", &["--threads", "0"]).await else { return };
    let reader = service.running.new_key(&["--role", "read-only"]);
    let id = |key: &str| key.split('_').nth(1).unwrap().to_owned();
    for _ in 0..15 {
        let pause = service.send(&reader, Method::POST, "/v1/queues/none/pause", None);
        assert_eq!(pause.await.0, 403);
    }
    assert_eq!(service.send(&service.running.key, Method::GET, "/v1/keys", None).await.0, 401);
    assert_eq!(service.send("svc_x", Method::GET, "/v1/keys", None).await.0, 401);
    assert_eq!(service.post(&format!("/v1/keys/{}/revoke", id(&reader)), json!({})).await.0, 404);
    let log = async || {
        let log = service.get("/v1/audit?limit=100").await["data"].take();
        let log: Vec<[String; 4]> = log
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| {
                ["who", "action", "target", "result"].map(|field| entry[field].as_str().unwrap().to_owned())
            })
            .filter(|[who, ..]| who != "command line")
            .collect();
        (log.len() >= 12 && log.iter().all(|[.., result]| result != "begun")).then_some(log)
    };
    let log = eventually("entries are missing", log).await;
    let count = |entry: [&str; 4]| log.iter().filter(|known| **known == entry).count();
    let (reader, client, operator) = (id(&reader), id(&service.running.key), id(&service.key));
    let may_read = "refused: the key may only read";
    assert_eq!(count([&reader, "request", "POST /v1/queues/none/pause", may_read]), 10, "{log:?}");
    assert_eq!(
        count([&client, "request", "GET /v1/keys", "refused: it is not a key of operators"]),
        1,
        "{log:?}"
    );
    let revoked = format!("no active key has the id `{reader}`; `keys list` shows all keys");
    assert_eq!(count([&operator, "revoke key", &reader, &revoked]), 1, "{log:?}");
    assert_eq!(log.len(), 12, "{log:?}");
}

async fn a_paused_family_begins_no_task_in_any_process(database: Database) {
    let Some(service) = Operated::start(database, "", &["--threads", "1"]).await else { return };
    let beside =
        (database == Database::Postgres).then(|| service.running.start_beside(&["--threads", "1"], &[]));
    assert_eq!(service.post("/v1/queues/sound-effects/pause", json!({})).await.0, 204);
    // Processes read the pauses every two seconds.
    tokio::time::sleep(Duration::from_millis(2500)).await;
    let task = service.create().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let status = async || service.running.client().get_sound_effect(task).await.unwrap().data.status;
    assert_eq!(status().await.as_str(), "CREATED");
    let queue = service.command(&["queues", "list"]).remove(0);
    assert_eq!((&queue["waiting"], &queue["paused"]), (&json!(1), &json!(true)), "{queue}");
    service.command(&["queues", "resume", "sound-effects"]);
    eventually("it does not begin", async || (status().await.as_str() == "COMPLETED").then_some(())).await;
    drop(beside);
}

#[test]
fn settings_are_checked_and_shown_without_secrets() {
    let data = tempfile::tempdir().unwrap();
    let run = |settings: &str, arguments: &[&str]| {
        std::fs::write(data.path().join("asset-service.toml"), settings).unwrap();
        let output = super::running::command(data.path(), arguments);
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let check = |settings: &str| run(settings, &["settings", "check"]);
    assert_eq!(check("").0, Some(0));
    for (settings, expected) in [
        ("[worker]\nlease-seconds = 0", "lease-seconds"),
        ("[families.voiceover]\nengine = 'x'", "families.voiceover"),
        ("[deadlines]\nnothing = 3", "nothing"),
        ("redirect-downloads = true", "redirect-downloads"),
    ] {
        let (code, text) = check(settings);
        assert!(code == Some(1) && text.contains(expected), "{settings}: {code:?} {text}");
    }
    let settings = "database-url = 'postgres://me:swordfish@127.0.0.1:9/x'\n[tiers.gold]\nburst = 7\n";
    let (code, text) = run(settings, &["settings", "show", "--threads", "3"]);
    assert!(code == Some(0) && !text.contains("swordfish"), "{text}");
    let shown: toml::Table = text.parse().unwrap();
    assert_eq!(shown["worker"]["threads"].as_integer(), Some(3));
    assert_eq!(shown["worker"]["lease-seconds"].as_integer(), Some(30));
    assert_eq!(shown["retention"]["task-days"].as_integer(), Some(30));
    assert_eq!(shown["listen"].as_str(), Some("127.0.0.1:8080"));
    assert_eq!(shown["tiers"]["gold"]["burst"].as_integer(), Some(7));
    let (_, json) = run(settings, &["settings", "show", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["drain-seconds"], 5);
}
