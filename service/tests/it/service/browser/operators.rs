//! The page for operators, with texts of clients that would run if the page took them for markup.

use asset_api_client::models::sound_effects::SoundEffectRequest;
use serde_json::{Value, json};
use sqlx::Connection as _;

use super::Browser;
use crate::service::http_client;
use crate::service::ports::free_address;
use crate::service::running::Running;
use crate::service::waiting::eventually;

const HOSTILE: &str = "<img src=x onerror=\"document.title='ran'\">";

/// An engine that does not work.
const SETTINGS: &str = "[engines.m]\nkind = 'openai'\nbase-url = 'http://127.0.0.1:9/v1'\n
                        [families.improve-prompt]\nengine = 'm'\nmodel = 'm'\n";

const CELLS: &str = "[...it.querySelectorAll('tbody td')].map((cell) => cell.textContent)";

/// Opens a view, and returns the cells of its table once one of them has this text.
async fn cells(browser: &Browser, view: &str, expected: &str) -> Vec<String> {
    browser.click(&format!("nav a[href='#{view}']")).await;
    browser.shows("#rows", &format!("{CELLS}.includes({})", json!(expected)), &json!(true)).await;
    serde_json::from_value(browser.value("#rows", CELLS).await).unwrap()
}

/// Fails the newest task with a hostile message.
async fn fail(running: &Running) {
    let file = format!("sqlite://{}", running.data().join("service.db").display());
    let mut database = sqlx::SqliteConnection::connect(&file).await.unwrap();
    let error = json!({"code": "fetch_failed", "message": HOSTILE}).to_string();
    let fail = "UPDATE tasks SET status = 3, error = ? WHERE seq = (SELECT max(seq) FROM tasks)";
    assert_eq!(sqlx::query(fail).bind(error).execute(&mut database).await.unwrap().rows_affected(), 1);
    database.close().await.unwrap();
}

pub async fn operators_see_and_change_what_the_api_has(browser: &Browser) {
    let admin = free_address().to_string();
    let running = Running::start_with(SETTINGS, &["--threads", "0", "--admin-listen", &admin], &[]);
    let key = running.new_key(&["--role", "operator"]);
    let create = async || {
        let request = SoundEffectRequest::new(format!("rain {HOSTILE}"), 0.5);
        running.client().create_sound_effect(request).await.unwrap().data.task_id.to_string()
    };
    let (waiting, failed) = (create().await, create().await);
    fail(&running).await;
    let new = http_client::new().post(format!("http://{admin}/v1/keys")).header("x-service-api-key", &key);
    assert_eq!(new.json(&json!({"name": HOSTILE})).send().await.unwrap().status(), 201);

    browser.open(&format!("http://{admin}/")).await;
    browser.fill("#key", &key).await;
    browser.click("#refresh").await;
    let queue = cells(browser, "queues", "sound-effects").await;
    assert_eq!((queue[1].as_str(), queue[5].as_str()), ("1", "false"), "{queue:?}");
    for (action, paused) in [("pause", "true"), ("resume", "false")] {
        browser.shows("#rows td button", "it.textContent", &json!(action)).await;
        browser.click("#rows td button").await;
        browser.shows("#rows", &format!("{CELLS}[5]"), &json!(paused)).await;
    }

    let tasks = cells(browser, "tasks", &format!("fetch_failed: {HOSTILE}")).await;
    assert!(tasks.contains(&waiting) && tasks.contains(&failed), "{tasks:?}");
    browser.fill("#filters [name=error]", "fetch_failed").await;
    browser.click("#refresh").await;
    browser.shows("#rows", "it.querySelectorAll('tbody tr').length", &json!(1)).await;
    browser.click("#rows td button").await;
    browser.shows("#details pre", "JSON.parse(it.textContent).task.id", &json!(failed)).await;
    let details = browser.value("#details pre", "JSON.parse(it.textContent)").await;
    assert!(details["work"].to_string().contains("<img src=x"), "{details}");
    let batch = async |action: &str, outcome: &str| {
        browser.click("#rows input[type=checkbox]").await;
        let button = format!("[...it.children].find((button) => button.textContent === '{action}')");
        // A question would hold up the script.
        browser.value("#filters", &format!("setTimeout(() => {button}.click())")).await;
        if action == "delete" {
            let accept = async || browser.tried("/alert/accept", json!({})).await.ok();
            eventually("the page does not ask", accept).await;
        }
        browser.shows("#message", "it.textContent", &json!(outcome)).await;
    };
    batch("retry", "done: 1 of 1").await;
    batch("cancel", &format!("done: 0 of 1; task {failed} has ended already")).await;
    batch("delete", "done: 1 of 1").await;

    cells(browser, "keys", HOSTILE).await;
    assert!(cells(browser, "tiers", "default").await.contains(&"50".to_owned()));
    let engine = cells(browser, "engines", "closed").await;
    assert_eq!(engine[..3], ["m", "openai", "improve-prompt"], "{engine:?}");
    browser.click("#rows td button").await;
    browser.shows("#details td:nth-child(3)", "it.textContent", &json!("failed")).await;
    cells(browser, "storage", &running.data().join("files").display().to_string()).await;
    cells(browser, "audit", HOSTILE).await;

    // Nothing ran, and the browser would refuse markup.
    let state = "[document.title, document.images.length, sessionStorage.length + localStorage.length]";
    assert_eq!(browser.value("body", state).await, json!(["Operators", 0, 0]));
    assert_eq!(browser.log().await, Vec::<String>::new());
    let markup = json!({"script": "document.body.innerHTML = arguments[0]", "args": [HOSTILE]});
    let refused = browser.tried("/execute/sync", markup).await;
    assert!(refused.as_ref().is_err_and(|why| why.to_string().contains("TrustedHTML")), "{refused:?}");
    browser.fill("#key", "svc_x").await;
    browser.click("#refresh").await;
    let is_refused = "it.textContent.startsWith('401')";
    browser.shows("#message", is_refused, &Value::Bool(true)).await;
}
