//! Tasks: their creation, polls, ends and cancellation.

mod events;

use super::*;

static CREATE: Operation = Operation {
    id: "createTask",
    path: "/v1/{kind}-fast/tasks",
    parameters: &[
        parameter("kind", Location::Path),
        Parameter { required: false, ..parameter("Idempotency-Key", Location::Header) },
    ],
    body: None,
    ..CREATE_ICON
};

static GET: Operation = Operation {
    id: "getTask",
    path: "/v1/{kind}-fast/tasks/{task-id}",
    parameters: &[parameter("task-id", Location::Path), parameter("kind", Location::Path)],
    security: &[],
    body: None,
    ..GET_ICON
};

static CANCEL: Operation = Operation {
    id: "cancelTask",
    path: "/v1/tasks/{id}/cancel",
    parameters: &[parameter("id", Location::Path)],
    body: None,
    ..PING
};

const fn step(operation: &'static Operation, id: &'static str) -> TaskStep {
    TaskStep { operation, id: Some(id) }
}

const ID: Option<&[&str]> = Some(&["data", "id"]);

static TASK: Task = Task {
    get: step(&GET, "task-id"),
    cancel: Some(step(&CANCEL, "id")),
    status: &["data", "status"],
    done: &["DONE"],
    failed: &["FAILED"],
    message: Some(&["data", "error"]),
    progress: Some(&["data", "percent"]),
};

struct Create;

impl Encode for Create {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("kind", &"a/b".to_owned()), ("Idempotency-Key", &Some("once".to_owned()))], None);
    }
}

struct Get;

impl Encode for Get {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("task-id", &"7".to_owned()), ("kind", &"a/b".to_owned())], None);
    }
}

const SHORT_WAIT: Duration = Duration::from_millis(20);

type Started = Wait<Value, NotFound, Value, NotFound>;

fn quick(call: TaskCall<Value, NotFound, Value, NotFound>) -> Started {
    call.wait().interval(Duration::from_millis(1), Duration::from_millis(2))
}

fn create(client: &Client) -> Started {
    quick(client.task(&CREATE, &Create, &TASK, ID).header("x-a", "b").header("Idempotency-Key", "other"))
}

fn get(client: &Client) -> Started {
    quick(client.task(&GET, &Get, &TASK, None))
}

const fn ok(body: &'static str) -> Reply {
    Reply::Response(200, IS_JSON, body)
}

const CREATED: Reply = ok(r#"{"data": {"id": 7}}"#);
const WAITS: Reply = ok(r#"{"data": {"status": "WAITS"}}"#);
const RUNS: Reply = ok(r#"{"data": {"status": "RUNS", "percent": 40}}"#);
const MORE: Reply = ok(r#"{"data": {"status": "RUNS", "percent": 80}}"#);
const DONE: Reply = ok(r#"{"data": {"status": "DONE", "result": 3}}"#);
const FAILED: Reply = ok(r#"{"data": {"status": "FAILED", "error": "no room"}}"#);
const BUSY: Reply = Reply::Response(503, &["retry-after: 0"], "");

#[tokio::test]
async fn a_task_is_created_once_and_polled_until_its_end() {
    let server = serve([BUSY, CREATED, WAITS, BUSY, RUNS, Reply::Close, DONE]).await;
    assert_eq!(create(&client(&server)).await.unwrap()["data"]["result"], 3);
    let requests = server.requests();
    let lines: Vec<_> = requests.iter().map(|request| request.lines().next().unwrap()).collect();
    assert_eq!(lines[..2], ["POST /v1/a%2Fb-fast/tasks HTTP/1.1"; 2]);
    assert_eq!(lines[2..], ["GET /v1/a%2Fb-fast/tasks/7 HTTP/1.1"; 5]);
    assert!(requests[1].contains("idempotency-key: other"), "{}", requests[1]);
    assert!(requests[2].contains("x-a: b") && !requests[2].contains("idempotency-key"), "{}", requests[2]);
}

#[tokio::test]
async fn a_task_is_waited_for_again_by_its_id() {
    let server = serve([RUNS, DONE]).await;
    let running = get(&client(&server)).start().await.unwrap();
    assert_eq!((running.id(), server.requests().len()), ("7", 0));
    assert_eq!(running.finish().await.unwrap()["data"]["result"], 3);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_failure_has_the_task() {
    let server = serve([CREATED, FAILED]).await;
    let error = create(&client(&server)).await.unwrap_err();
    assert_eq!(error.to_string(), "task 7 ended as FAILED: no room");
    assert_eq!(error.id(), Some("7"));
    assert_eq!(error.task().unwrap()["data"]["status"], "FAILED");
}

#[tokio::test]
async fn each_change_is_an_update() {
    let server = serve([CREATED, WAITS, WAITS, RUNS, MORE, MORE, DONE]).await;
    let mut running = create(&client(&server)).start().await.unwrap();
    let mut changes = Vec::new();
    while let Some(change) = running.next().await {
        let change = change.unwrap();
        changes.push((change.status, change.progress, change.is_done));
    }
    let expected = [
        ("WAITS", None, false),
        ("RUNS", Some(40.0), false),
        ("RUNS", Some(80.0), false),
        ("DONE", None, true),
    ];
    assert_eq!(changes, expected.map(|(status, progress, is_done)| (status.to_owned(), progress, is_done)));

    let server = serve([FAILED]).await;
    let mut updates = get(&client(&server)).start().await.unwrap().updates();
    let mut next = async || {
        std::future::poll_fn(|context| {
            futures_core::Stream::poll_next(std::pin::Pin::new(&mut updates), context)
        })
        .await
    };
    assert!(matches!(next().await, Some(Err(WaitError::Failed { .. }))));
    assert!(next().await.is_none());
}

#[tokio::test]
async fn what_is_no_task_is_an_error() {
    let text = |error: WaitError<Value, NotFound>| error.to_string();
    let server = serve([Reply::Response(404, IS_JSON, r#"{"message": "no such kind"}"#)]).await;
    let error = create(&client(&server)).await.unwrap_err();
    assert_eq!(error.id(), None);
    assert_eq!(text(error), "POST /v1/{kind}-fast/tasks: 404 Not Found: no such kind");

    let server = serve([ok(r#"{"data": {}}"#)]).await;
    let error = create(&client(&server)).await.unwrap_err();
    assert_eq!(text(error), "POST /v1/{kind}-fast/tasks: the response has no id of the task");

    let server = serve([CREATED, Reply::Response(404, IS_JSON, r#"{"message": "gone"}"#)]).await;
    let error = create(&client(&server)).await.unwrap_err();
    assert_eq!(error.id(), Some("7"));
    let expected = "task 7 can't be followed: GET /v1/{kind}-fast/tasks/{task-id}: 404 Not Found: gone";
    assert_eq!(text(error), expected);

    let server = serve([CREATED, ok("{}")]).await;
    let expected =
        "task 7 can't be followed: GET /v1/{kind}-fast/tasks/{task-id}: the response has no status";
    assert_eq!(text(create(&client(&server)).await.unwrap_err()), expected);
}

#[tokio::test]
async fn polls_may_fail_a_few_times() {
    let never = |server: &Server| builder(server).retry(RetryPolicy::never()).build().unwrap();
    let server = serve([CREATED, BUSY, Reply::Close, BUSY, BUSY, RUNS, BUSY, DONE]).await;
    create(&never(&server)).await.unwrap();
    let server = serve([CREATED, BUSY]).await;
    let error = create(&never(&server)).await.unwrap_err();
    assert!(matches!(error, WaitError::Poll { .. }), "{error:?}");
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn waiting_ends_at_its_deadline() {
    let server = serve([CREATED, RUNS]).await;
    let error = create(&client(&server)).deadline(Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(error.to_string(), "task 7 didn't end within 1s");
    let count = server.requests().len();
    assert!(count > 2, "{count}");

    // The server asks for a wait beyond the deadline, so no poll is sent.
    const LATER: Reply = Reply::Response(
        200,
        &["content-type: application/json", "retry-after: 60"],
        r#"{"data": {"id": 7}}"#,
    );
    let server = serve([LATER, DONE]).await;
    let error = create(&client(&server)).deadline(Duration::from_secs(1)).await.unwrap_err();
    assert!(matches!(error, WaitError::Deadline { .. }), "{error:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_dropped_future_delays_no_poll() {
    let server = serve([RUNS, DONE]).await;
    let call: TaskCall<Value, NotFound, Value, NotFound> = client(&server).task(&GET, &Get, &TASK, None);
    let mut running = call.wait().interval(SHORT_WAIT * 4, SHORT_WAIT * 4).start().await.unwrap();
    running.next().await.unwrap().unwrap();
    let mut ticks = 0;
    while tokio::time::timeout(SHORT_WAIT, running.next()).await.is_err() {
        ticks += 1;
        assert!(ticks < 100, "each tick restarts the wait");
    }
}

#[tokio::test]
async fn the_bound_does_not_outlast_the_deadline() {
    let server = serve([Reply::Silence]).await;
    let client = client(&server);
    let limit = PollLimit::new(1);
    let other = tokio::spawn(get(&client).poll_limit(&limit).into_future());
    while server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    let wait = get(&client).poll_limit(&limit).deadline(SHORT_WAIT);
    let waited = tokio::time::timeout(SHORT_WAIT * 100, wait.into_future()).await.unwrap();
    assert!(matches!(waited, Err(WaitError::Deadline { .. })), "{waited:?}");
    assert_eq!(server.requests().len(), 1);
    other.abort();
}

#[tokio::test]
async fn a_poll_without_a_token_is_repeated() {
    static WITH_TOKEN: Operation = Operation { security: &[&[needs(&TOKEN)]], body: None, ..GET };
    static TASK_WITH_TOKEN: Task = Task { get: step(&WITH_TOKEN, "task-id"), ..TASK };
    let server = serve([DONE]).await;
    let calls = std::sync::atomic::AtomicU32::new(0);
    let provider = move || {
        let number = calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        std::future::ready(if number < 2 { Err("no token yet") } else { Ok("secret".to_owned()) })
    };
    let client = builder(&server).credential(&TOKEN, Credential::provider(provider)).build().unwrap();
    let done: Value = quick(client.task(&WITH_TOKEN, &Get, &TASK_WITH_TOKEN, None)).await.unwrap();
    assert_eq!(done["data"]["result"], 3);
}

#[tokio::test]
async fn a_created_task_has_its_id_whatever_its_response() {
    let server =
        serve([Reply::Response(200, &["content-type: application/json"], r#"{"data": {"id": 7}}"#)]).await;
    let call: TaskCall<u64, NotFound, Value, NotFound> = client(&server).task(&CREATE, &Create, &TASK, ID);
    let error = call.wait().await.unwrap_err();
    assert!(matches!(error, WaitError::Created { .. }), "{error:?}");
    assert_eq!(error.id(), Some("7"));
}

/// Operations whose paths have parameters in styles, one of which has the name of the task's id.
mod styles {
    use super::*;

    const QUEUE: Parameter = Parameter { style: Style::Label, ..parameter("queue", Location::Path) };
    const BATCH: Parameter = parameter("id", Location::Path);
    const ID: Parameter = Parameter { style: Style::Matrix, ..parameter("id", Location::Path) };

    pub static RETRY: Operation = Operation {
        path: "/v1/{queue}/batches/{id}-{queue}/retry",
        parameters: &[QUEUE, BATCH],
        body: None,
        ..CREATE_ICON
    };
    pub static GET: Operation = Operation {
        path: "/v1/{queue}/tasks/{id}",
        parameters: &[ID, QUEUE],
        security: &[],
        body: None,
        ..GET_ICON
    };
    pub static CANCEL: Operation =
        Operation { path: "/v1/batches/{id}", parameters: &[BATCH], body: None, ..PING };
    pub static TASK: Task = Task {
        get: step(&GET, "id"),
        cancel: Some(TaskStep { operation: &CANCEL, id: None }),
        ..super::TASK
    };

    pub struct Retry;

    impl Encode for Retry {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("queue", &"a.b".to_owned()), ("id", &5_u64)], None);
        }
    }

    pub struct Get;

    impl Encode for Get {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("id", &7_u64), ("queue", &"a.b".to_owned())], None);
        }
    }
}

#[tokio::test]
async fn the_parameters_of_a_path_keep_their_values_and_styles() {
    let server = serve([CREATED, DONE, ok("")]).await;
    let call: TaskCall<Value, NotFound, Value, NotFound> =
        client(&server).task(&styles::RETRY, &styles::Retry, &styles::TASK, ID);
    let mut running = quick(call).start().await.unwrap();
    running.next().await.unwrap().unwrap();
    assert!(running.cancel().await.unwrap(), "it cancels all of the batch");
    let requests = server.requests();
    let lines: Vec<_> = requests.iter().map(|request| request.split(" HTTP").next().unwrap()).collect();
    let expected =
        ["POST /v1/.a%2Eb/batches/5-.a%2Eb/retry", "GET /v1/.a%2Eb/tasks/;id=7", "GET /v1/batches/5"];
    assert_eq!(lines, expected);

    // Without the call that created the task, its batch is unknown.
    let server = serve([DONE]).await;
    let call: TaskCall<Value, NotFound, Value, NotFound> =
        client(&server).task(&styles::GET, &styles::Get, &styles::TASK, None);
    let mut running = quick(call).start().await.unwrap();
    assert_eq!(running.id(), "7");
    running.next().await.unwrap().unwrap();
    let error = running.cancel().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Encode(EncodeError::Path { .. })), "{error:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_task_that_can_not_be_followed_is_not_created() {
    static SECRET: Operation = Operation { security: &[&[needs(&TOKEN)]], body: None, ..GET };
    static SECRET_TASK: Task = Task { get: step(&SECRET, "task-id"), ..TASK };
    let server = serve([CREATED, DONE]).await;
    let client = Client::builder().base_url(&server.url).build().unwrap();
    let call =
        || -> TaskCall<Value, NotFound, Value, NotFound> { client.task(&CREATE, &Create, &SECRET_TASK, ID) };
    let error = call().wait().await.unwrap_err();
    assert!(
        matches!(&error, WaitError::Start(error) if error.operation().is_some_and(|it| it.id == "getTask"))
    );
    assert!(error.to_string().contains("no credential is set: set `token`"), "{error}");
    assert_eq!(server.requests().len(), 0);
    quick(call().header("authorization", "Bearer t")).await.unwrap();
}

#[tokio::test]
async fn a_task_is_cancelled_by_the_operation_of_the_api() {
    let server = serve([CREATED, Reply::Response(204, &[], ""), FAILED]).await;
    let mut running = create(&client(&server)).start().await.unwrap();
    assert!(running.cancel().await.unwrap());
    assert!(server.requests()[1].starts_with("GET /v1/tasks/7/cancel "), "{:?}", server.requests());
    assert!(running.finish().await.is_err());
}

#[tokio::test]
async fn many_tasks_share_a_bound() {
    // A server that never responds: one poll is sent at a time.
    let server = serve([Reply::Silence]).await;
    let client = client(&server);
    let limit = PollLimit::new(1);
    let tasks: Vec<_> = (0..3).map(|_| tokio::spawn(get(&client).poll_limit(&limit).into_future())).collect();
    while server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(server.requests().len(), 1);
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
}
