//! Events in place of polls, from receivers that lose, repeat and reorder them.

use super::*;

const HOUR: Duration = Duration::from_secs(3600);

/// Creates a task that is polled by its events alone.
fn waiting(server: &Server, events: &TaskEvents) -> Started {
    create(&client(server)).interval(HOUR, HOUR).events(events)
}

async fn until_requests(server: &Server, count: usize) {
    while server.requests().len() < count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_event_ends_the_wait_before_a_poll() {
    let server = serve([CREATED, RUNS, DONE]).await;
    let events = TaskEvents::new();
    let task = tokio::spawn(waiting(&server, &events).into_future());
    until_requests(&server, 1).await;
    events.notify(br#"{"id": 7, "status": "RUNS"}"#);
    until_requests(&server, 2).await;
    events.notify(br#"{"type": "task", "data": [{"task": {"id": "7"}}]}"#);
    assert_eq!(task.await.unwrap().unwrap()["data"]["result"], 3);
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn an_event_can_precede_the_response_that_creates_its_task() {
    let server = serve([CREATED, DONE]).await;
    let events = TaskEvents::new();
    let mut task = waiting(&server, &events).into_future();
    assert!(tokio::time::timeout(Duration::ZERO, &mut task).await.is_err());
    events.notify(br#"{"id": 7, "status": "DONE"}"#);
    task.await.unwrap();
}

/// The state is that of the response: the event of the end arrives twice, and before that of the start.
#[tokio::test]
async fn duplicate_and_reordered_events_change_no_result() {
    let server = serve([CREATED, DONE]).await;
    let events = TaskEvents::new();
    let mut task = waiting(&server, &events).into_future();
    assert!(tokio::time::timeout(Duration::ZERO, &mut task).await.is_err());
    for status in ["DONE", "DONE", "RUNS"] {
        events.notify(format!(r#"{{"id": 7, "status": "{status}"}}"#).as_bytes());
    }
    task.await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn events_of_other_tasks_send_no_poll() {
    let server = serve([CREATED, DONE]).await;
    let events = TaskEvents::new();
    let task = tokio::spawn(waiting(&server, &events).into_future());
    until_requests(&server, 1).await;
    for body in [&br#"{"id": 70}"#[..], b"[7.5, \"07\"]", b"", b"{\"7\": 8}", b"{7: 8}"] {
        events.notify(body);
    }
    tokio::time::sleep(SHORT_WAIT).await;
    assert_eq!(server.requests().len(), 1);
    // The values before a syntax error count.
    events.notify(b"[7, }");
    task.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_task_that_has_lost_events_is_polled() {
    let server = serve([CREATED, DONE]).await;
    let events = TaskEvents::new();
    let mut task = waiting(&server, &events).into_future();
    assert!(tokio::time::timeout(Duration::ZERO, &mut task).await.is_err());
    for number in 0..1000 {
        events.notify(format!("[{}]", 100 + number).as_bytes());
    }
    task.await.unwrap();
}

#[tokio::test]
async fn polls_without_events_go_on() {
    let server = serve([CREATED, RUNS, RUNS, DONE]).await;
    create(&client(&server)).events(&TaskEvents::new()).await.unwrap();
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn events_do_not_extend_the_deadline() {
    let server = serve([CREATED, RUNS]).await;
    let events = TaskEvents::new();
    let source = events.clone();
    // Each poll is preceded by an event.
    let client = builder(&server).before_attempt(move |_, _| {
        source.notify(b"[7]");
        Ok(())
    });
    let task =
        create(&client.build().unwrap()).interval(HOUR, HOUR).events(&events).deadline(SHORT_WAIT * 10);
    let ended = tokio::time::timeout(Duration::from_secs(30), task.into_future()).await.unwrap();
    assert!(matches!(ended, Err(WaitError::Deadline { .. })), "{ended:?}");
}

#[tokio::test]
async fn an_event_with_many_texts_may_be_of_any_task() {
    let server = serve([CREATED, DONE]).await;
    let events = TaskEvents::new();
    let task = tokio::spawn(waiting(&server, &events).into_future());
    until_requests(&server, 1).await;
    let many: Vec<u32> = (1000..3000).collect();
    events.notify(format!("{many:?}").as_bytes());
    tokio::time::timeout(Duration::from_secs(30), task).await.unwrap().unwrap().unwrap();
}

/// The id of a task with a monitor is a URL.
#[tokio::test]
async fn an_id_can_be_long() {
    let id = "7".repeat(300);
    let created = format!(r#"{{"data": {{"id": "{id}", "status": "RUNS"}}}}"#).leak();
    let server = serve([ok(created), DONE]).await;
    let events = TaskEvents::new();
    let task = tokio::spawn(waiting(&server, &events).into_future());
    until_requests(&server, 1).await;
    events.notify(format!(r#"["{id}"]"#).as_bytes());
    tokio::time::timeout(Duration::from_secs(30), task).await.unwrap().unwrap().unwrap();
}
