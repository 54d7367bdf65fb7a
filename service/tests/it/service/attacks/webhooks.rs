//! A key's receiver hangs, and another key's webhooks go to the same host.

use std::time::{Duration, Instant};

use asset_api_client::models::sound_effects::SoundEffectRequest;
use axum::routing::post;
use tokio::sync::mpsc;

use crate::service::running::{Database, Running};

/// Webhooks of the first key; more than the host may have in delivery for one key.
const HANGING: usize = 30;

async fn create(running: &Running, key: &str, hook: String) {
    let mut request = SoundEffectRequest::new("click", 0.5);
    request.webhook_url = Some(hook);
    running.client_of(key).create_sound_effect(request).await.unwrap();
}

async fn attack(database: Database) {
    let Some(setting) = database.setting().await else { return };
    let (send, mut received) = mpsc::unbounded_channel();
    let (tell, mut hanging) = mpsc::unbounded_channel();
    let app = axum::Router::new()
        .route(
            "/hangs",
            post(async move || {
                let _ = tell.send(());
                std::future::pending::<()>().await;
            }),
        )
        .route(
            "/hook",
            post(async move || {
                let _ = send.send(());
            }),
        );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(axum::serve(listener, app).into_future());

    let running = Running::start_with(&setting, &[], &[]);
    for _ in 0..HANGING {
        create(&running, &running.key, format!("{host}/hangs")).await;
    }
    for _ in 0..8 {
        tokio::time::timeout(Duration::from_secs(60), hanging.recv()).await.unwrap().unwrap();
    }
    let other = running.new_key(&[]);
    let begun = Instant::now();
    create(&running, &other, format!("{host}/hook")).await;
    tokio::time::timeout(Duration::from_secs(60), received.recv()).await.unwrap().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_whose_receiver_hangs_delays_no_other_key() {
    attack(Database::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nor_on_postgresql() {
    attack(Database::Postgres).await;
}
