//! The tests without a server that docs/test-your-client.md shows.

use asset_api_client::{
    Client,
    runtime::{Blocking, BoxError},
};

use super::{blocking, recorded};

mod mocked {
    // BEGIN docs/test-your-client.md
    use std::time::Duration;

    use asset_api_client::{
        Client,
        models::{
            common::{TaskCreated, TaskCreatedResponse, TaskStatus},
            voiceover::VoiceoverRequest,
        },
        runtime::{
            BoxError, RetryPolicy,
            mock::{Mock, Reply},
        },
    };
    use uuid::Uuid;

    #[tokio::test]
    async fn a_busy_service_is_called_again() -> Result<(), BoxError> {
        let created = TaskCreatedResponse::new(TaskCreated::new(Uuid::nil(), TaskStatus::Created));
        let mock = Mock::new()
            .on("create_voiceover", Reply::new(503)) // the first attempt
            .on("create_voiceover", Reply::json(200, &created)); // all others
        let client = Client::builder()
            .base_url("http://mock")
            .api_key("any")
            .retry(RetryPolicy::default().base_delay(Duration::ZERO)) // no waits in tests
            .transport(mock.clone())
            .build()?;

        client.create_voiceover(VoiceoverRequest::new("Welcome.", "narrator")).await?;

        let calls = mock.calls_of("create_voiceover");
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[1].json().ok_or("no JSON")?["text"], "Welcome.");
        Ok(())
    }
    // END docs/test-your-client.md

    #[tokio::test]
    async fn errors_are_those_of_the_page() -> Result<(), BoxError> {
        use asset_api_client::runtime::mock::Replay;

        use crate::pages;

        let page = pages::page("docs/test-your-client.md");
        let builder = || Client::builder().base_url("http://mock").api_key("any");
        let mocked = builder().transport(Mock::new().on("create_icon", Reply::new(200))).build()?;
        let recording = pages::only_block(&pages::section(&page, "## Record a server"), "json");
        let replayed = builder().transport(Replay::parse(&recording)?).build()?;
        for (client, section) in [(mocked, "## Script the responses"), (replayed, "## Record a server")] {
            let request = VoiceoverRequest::new("Hello.", "narrator");
            let error = client.create_voiceover(request).await.expect_err("there is no response").to_string();
            assert_eq!(pages::only_block(&pages::section(&page, section), "text"), format!("{error}\n"));
        }
        Ok(())
    }
}

mod in_memory {
    use super::super::server::app;

    // BEGIN docs/test-your-client.md
    use asset_api_client::{Client, models::voiceover::VoiceoverRequest, runtime::BoxError};

    #[tokio::test]
    async fn client_and_server_agree() -> Result<(), BoxError> {
        let server = app()?; // of "Implement the server": an axum router
        let client =
            Client::builder().base_url("http://in-memory").api_key("test-key").transport(server).build()?;

        let created = client.create_voiceover(VoiceoverRequest::new("Welcome.", "narrator")).await?;
        let task = client.get_voiceover(created.data.task_id).await?;
        assert_eq!(task.data.task_id, created.data.task_id);
        Ok(())
    }
    // END docs/test-your-client.md
}

#[tokio::test]
async fn a_recorded_server_is_replayed() -> Result<(), BoxError> {
    let file = std::env::temp_dir().join(format!("recorded-{}.json", std::process::id()));
    recorded::record(&super::start().await, "test-key", &file).await?;
    let text = std::fs::read_to_string(&file)?;
    assert!(text.contains("create_voiceover") && !text.contains("test-key"), "{text}");
    let tested = recorded::test(&file).await;
    std::fs::remove_file(&file)?;
    tested
}

#[test]
fn tasks_and_lists_block() -> Result<(), BoxError> {
    let url = super::start_tasks().block();
    let client = Client::builder().base_url(url).api_key("any").build()?;
    assert_eq!(blocking::speak(&client, "Welcome.")?, ["a.mp3"]);
    assert_eq!(blocking::failures(&client)?, 3);
    Ok(())
}
