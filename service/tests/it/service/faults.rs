//! Faults of the database while it is used: what clients get, and what the log shows.

use reqwest::Response;
use serde_json::json;
use sqlx::Executor as _;

use super::running::{Database, Running, on_both_databases};
use super::waiting::eventually;

on_both_databases! { no_search_text_is_too_long }

async fn no_search_text_is_too_long(database: Database) {
    let Some(running) = database.start("", &[]).await else { return };
    let long = "thunder".repeat(60_000 / 7);
    for path in ["/v1/music?q=", "/v1/sfx?q=", "/v1/resources?term=", "/v1/music?genre="] {
        let response = running.get(&format!("{path}{long}")).send().await.unwrap();
        assert!([200, 400].contains(&response.status().as_u16()), "{path}: {}", response.status());
    }
    assert!(!running.log().contains("thunderthunder"), "{}", running.log());
}

async fn create(running: &Running) -> Response {
    let body = json!({"text": "wind", "duration_seconds": 1.0});
    running.post("/v1/ai/sound-effects", &body).send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_database_is_unavailable_and_no_value_is_logged() {
    let Some(setting) = Database::Postgres.setting().await else { return };
    let running = Running::start_with(&setting, &["--threads", "0"], &[]);
    let url = setting.split('"').nth(1).unwrap();
    let pool = sqlx::PgPool::connect(url).await.unwrap();
    let refuse = async |code: &str| {
        let refusal = format!(
            "CREATE OR REPLACE FUNCTION refused() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
                 RAISE EXCEPTION 'a word of the user' USING ERRCODE = '{code}';
             END $$;
             CREATE OR REPLACE TRIGGER refused BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION refused()"
        );
        pool.execute(sqlx::AssertSqlSafe(refusal)).await.unwrap();
        let response = create(&running).await;
        let wait = response.headers().get("retry-after").map(|wait| wait.to_str().unwrap().to_owned());
        (response.status().as_u16(), wait)
    };
    assert_eq!(refuse("53100").await, (503, Some("60".to_owned())), "disk_full");
    assert_eq!(refuse("53200").await, (503, Some("5".to_owned())), "out_of_memory");
    assert_eq!(refuse("53300").await, (503, Some("5".to_owned())), "too_many_connections");
    // These name no value, so that the log shows their messages.
    let shown = || running.log().matches("a word of the user").count();
    eventually("three refusals are logged", async || (shown() == 3).then_some(())).await;
    assert_eq!(refuse("22P02").await, (500, None), "invalid_text_representation");
    assert_eq!(refuse("54000").await, (500, None), "program_limit_exceeded");
    let is_logged = || running.log().contains("code 22P02") && running.log().contains("code 54000");
    eventually("both codes are logged", async || is_logged().then_some(())).await;
    assert_eq!(shown(), 3, "{}", running.log());
    pool.execute("DROP TRIGGER refused ON tasks").await.unwrap();
    assert_eq!(create(&running).await.status(), 200);
    pool.close().await;
}
