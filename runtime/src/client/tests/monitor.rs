//! Long-running operations: what reports on them, and where their results are.

use super::*;

const ACCEPTED: &[Row] = &[Row::code(200).contents(&JSON), Row::code(201).contents(&JSON), Row::code(202)];

static PUT: Operation = Operation {
    id: "putThing",
    method: "PUT",
    path: "/things/{id}",
    parameters: &[parameter("id", Location::Path)],
    body: None,
    responses: ACCEPTED,
    ..CREATE_ICON
};
static PATCH: Operation = Operation { method: "PATCH", body: None, ..PUT };
static POST: Operation = Operation { method: "POST", body: None, ..PUT };
static DELETE: Operation = Operation { method: "DELETE", body: None, ..PUT };

/// The output: JSON, or nothing while the work continues.
#[derive(Debug, PartialEq)]
struct Output(Value);

impl Decode for Output {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        match reader.choice() {
            0 | 1 => Value::decode(reader).map(Self),
            _ => Ok(Self(Value::Null)),
        }
    }
}

const LOCATION: &[&str] = &["location: /results/1"];
const MONITOR: &[&str] = &["azure-asyncOperation: /monitors/1?t=9", "location: /results/1", "retry-after: 0"];
const OTHER_MONITOR: &[&str] = &["content-type: application/json", "operation-location: 2"];
const AWAY: &[&str] = &["operation-location: http://127.0.0.1:1/monitor?sig=secret"];

const RESULT_AWAY: &[&str] = &["operation-location: /monitors/1", "location: http://127.0.0.1:1/results/1"];

const fn accepted(headers: &'static [&'static str]) -> Reply {
    Reply::Response(202, headers, "")
}

const fn ok(body: &'static str) -> Reply {
    Reply::Response(200, IS_JSON, body)
}

const RUNS: Reply = ok(r#"{"status": "InProgress", "percentComplete": 40}"#);
const DONE: Reply = ok(r#"{"status": "Succeeded", "result": 1}"#);
const FAILED: Reply = ok(r#"{"status": "Canceled", "error": {"message": "no room"}}"#);
const THING: Reply = ok(r#"{"name": "thing"}"#);

async fn run<const N: usize>(
    operation: &'static Operation,
    state: FinalState,
    script: [Reply; N],
) -> (Result<Value, String>, Vec<String>) {
    let server = serve(script).await;
    let call: MonitoredCall<Output, NotFound> = client(&server).monitored(operation, &GetIcon("7"), state);
    let wait = call.wait().interval(Duration::from_millis(1), Duration::from_millis(2));
    let result = wait.await.map(|output| output.0).map_err(|error| error.to_string());
    let requests = server.requests();
    let lines = requests.iter().map(|request| request.split(" HTTP").next().unwrap().to_owned());
    (result, lines.collect())
}

#[tokio::test]
async fn results_are_where_the_document_says() {
    let named = ok(r#"{"status": "succeeded", "resourceLocation": "../things/9"}"#);
    let poll = "GET /monitors/1?t=9";
    for (operation, state, last, then) in [
        (&PUT, FinalState::Original, DONE, Some("GET /things/7")),
        (&PATCH, FinalState::Location, DONE, Some("GET /results/1")),
        (&POST, FinalState::Location, DONE, Some("GET /results/1")),
        (&POST, FinalState::Location, named, Some("GET /things/9")),
        (&POST, FinalState::Monitor, DONE, None),
        (&DELETE, FinalState::Nothing, DONE, None),
    ] {
        let script = [accepted(MONITOR), RUNS, Reply::Response(503, &[], ""), last, THING];
        let (result, lines) = run(operation, state, script).await;
        let first = format!("{} /things/7", operation.method);
        let expected: Vec<_> = [first.as_str(), poll, poll, poll].into_iter().chain(then).collect();
        assert_eq!(lines, expected, "{state:?}");
        let value = match state {
            FinalState::Nothing => Value::Null,
            FinalState::Monitor => json!({"status": "Succeeded", "result": 1}),
            _ => json!({"name": "thing"}),
        };
        assert_eq!(result, Ok(value), "{state:?}");
    }
}

#[tokio::test]
async fn a_location_reports_by_its_status() {
    let script = [accepted(LOCATION), accepted(&["location: 2"]), accepted(&[]), THING];
    let (result, lines) = run(&POST, FinalState::Location, script).await;
    assert_eq!(lines, ["POST /things/7", "GET /results/1", "GET /results/2", "GET /results/2"]);
    assert_eq!(result, Ok(json!({"name": "thing"})));
    let gone = Reply::Response(404, IS_JSON, r#"{"message": "gone"}"#);
    let (result, _) = run(&POST, FinalState::Location, [accepted(LOCATION), gone]).await;
    assert!(result.unwrap_err().contains("404 Not Found: gone"));
}

#[tokio::test]
async fn a_resource_reports_by_its_state() {
    let creating = Reply::Response(201, IS_JSON, r#"{"properties": {"provisioningState": "Creating"}}"#);
    let created = ok(r#"{"provisioningState": "Succeeded"}"#);
    let (result, lines) = run(&PUT, FinalState::Original, [creating, creating, created]).await;
    assert_eq!(lines, ["PUT /things/7", "GET /things/7", "GET /things/7"]);
    assert_eq!(result, Ok(json!({"provisioningState": "Succeeded"})));
    // Without a state, `201` and `202` say that the work continues.
    let accepted = Reply::Response(201, IS_JSON, "{}");
    let (result, lines) = run(&PUT, FinalState::Original, [accepted, THING]).await;
    assert_eq!((result, lines.len()), (Ok(json!({"name": "thing"})), 2));
    for operation in [&PUT, &POST] {
        let (result, lines) = run(operation, FinalState::Original, [THING]).await;
        assert_eq!((result, lines.len()), (Ok(json!({"name": "thing"})), 1), "it was done at once");
    }
    let refused = Reply::Response(404, IS_JSON, r#"{"message": "no group"}"#);
    let (result, lines) = run(&PUT, FinalState::Original, [refused]).await;
    assert_eq!((result.unwrap_err().as_str(), lines.len()), ("PUT /things/{id}: 404 Not Found: no group", 1));
}

#[tokio::test]
async fn a_monitor_without_a_status_reports_no_success() {
    for monitor in [THING, Reply::Response(204, &[], "")] {
        let (result, lines) = run(&POST, FinalState::Monitor, [accepted(MONITOR), monitor]).await;
        let message = result.unwrap_err();
        assert!(message.ends_with("POST /things/{id}: the response has no status"), "{message}");
        assert_eq!(lines.len(), 2);
    }
}

#[tokio::test]
async fn failures_and_changes_have_the_state() {
    let (result, _) = run(&PUT, FinalState::Original, [accepted(MONITOR), FAILED]).await;
    let message = result.unwrap_err();
    assert!(message.contains("/monitors/1?… ended as Canceled: no room"), "{message}");

    let server = serve([accepted(OTHER_MONITOR), RUNS, DONE, THING]).await;
    let call: MonitoredCall<Output, NotFound> =
        client(&server).monitored(&PUT, &GetIcon("7"), FinalState::Original);
    let wait = call.wait().interval(Duration::from_millis(1), Duration::from_millis(2));
    let mut running = wait.start().await.unwrap();
    assert!(!running.cancel().await.unwrap());
    let change = running.next().await.unwrap().unwrap();
    assert_eq!((change.status.as_str(), change.progress, change.is_done), ("InProgress", Some(40.0), false));
    assert_eq!(change.task["status"], "InProgress");
    assert_eq!(running.finish().await.unwrap(), Output(json!({"name": "thing"})));
    assert!(server.requests()[1].starts_with("GET /things/2 "), "{:?}", server.requests());
}

#[tokio::test]
async fn credentials_stay_on_the_server_of_the_operation() {
    let (result, lines) = run(&PUT, FinalState::Original, [accepted(AWAY)]).await;
    assert_eq!(lines.len(), 1);
    let message = result.unwrap_err();
    assert!(message.ends_with(
        "`http://127.0.0.1:1/monitor?…` that the response names isn't on the server of the operation"
    ));

    // A URL that the client does not need can be anywhere.
    let script = [accepted(RESULT_AWAY), DONE, THING];
    assert_eq!(run(&PUT, FinalState::Original, script).await.0, Ok(json!({"name": "thing"})));
    let (result, lines) = run(&POST, FinalState::Location, script).await;
    assert_eq!(lines.len(), 2);
    assert!(result.unwrap_err().contains("`http://127.0.0.1:1/results/1`"));
}
