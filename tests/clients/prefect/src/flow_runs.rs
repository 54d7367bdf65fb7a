//! Flow runs: states, filters, pages and history.

use prefect_client::{
    Client,
    models::{
        common::{
            CountFlowRunsBody, Flow, FlowRunCreate, FlowRunFilter, FlowRunFilterState,
            FlowRunFilterStateType, FlowRunHistoryBody, FlowRunOrchestrationResultDetails as Details,
            FlowRunSort, FlowRunUpdate, OrchestrationResult, PaginateFlowRunsBody, ReadFlowRunsBody,
            SetFlowRunStateBody, SetStateStatus, StateCreate, StateDetails, StateType,
        },
        flow_run_states::ReadFlowRunStatesInput,
        flow_runs::CountFlowRunsInput,
        types::{Map, Timestamp, Uuid},
    },
};
use serde_json::json;

use crate::Result;

/// How many flow runs exist in the end.
const RUNS: i64 = 5;

pub async fn run(client: &Client, flow: &Flow) -> Result<()> {
    let id = scheduled(client, flow).await?;
    states(client, id).await?;
    filters(client, flow, id).await?;
    pages(client).await?;
    history(client, flow).await
}

/// Creates a flow run for a time in the future. The server does not let it start before.
async fn scheduled(client: &Client, flow: &Flow) -> Result<Uuid> {
    // With an offset; the server keeps the instant.
    let time: Timestamp = "2040-01-01T02:00:00.5+02:00".parse()?;
    let state = StateCreate::new(StateType::Scheduled)
        .with_message("in the future")
        .with_state_details(StateDetails::default().with_scheduled_time(time));
    let create = FlowRunCreate::new(flow.id)
        .with_name("first")
        .with_state(state)
        .with_parameters(Map::from([
            ("date".to_owned(), json!("2040-01-01")),
            ("limit".to_owned(), json!(null)),
        ]))
        .with_idempotency_key("first-run");
    let created = client.create_flow_run(create.clone()).send_with_response().await?;
    assert_eq!((created.status.as_u16(), created.is_documented), (201, false));
    let run = created.value;
    assert_eq!(run.state_type, Some(StateType::Scheduled));
    assert_eq!(run.expected_start_time, Some(time));
    assert_eq!("2040-01-01T00:00:00.500Z".parse(), Ok(time));
    assert_eq!((run.start_time, run.work_pool_name), (None, None));
    assert_eq!(run.parameters.as_ref().and_then(|all| all.get("limit")), Some(&json!(null)));
    assert_eq!(client.create_flow_run(create).await?.id, run.id, "the key makes the call idempotent");

    let refused = set(client, run.id, StateCreate::new(StateType::Running)).await?;
    assert_eq!(refused.status, SetStateStatus::Wait);
    // Four kinds of details, distinguished by the constant in `type`.
    let Details::StateWaitDetails(details) = refused.details else { return Err("it does not wait".into()) };
    assert!(details.delay_seconds > 100_000_000, "{details:?}");
    assert_eq!(details.reason, Some("Scheduled time is in the future".into()));
    Ok(run.id)
}

/// Takes a flow run from pending to completed. A completed one stays so.
async fn states(client: &Client, id: Uuid) -> Result<()> {
    let pending = set(client, id, StateCreate::new(StateType::Pending)).await?;
    assert!(matches!(pending.details, Details::StateAcceptDetails(_)), "{pending:?}");
    let running = StateCreate::new(StateType::Running).with_name("Loading");
    let waits = set(client, id, running.clone()).await?;
    assert_eq!(waits.status, SetStateStatus::Wait, "its time has not come");
    let forced = SetFlowRunStateBody::new(running).with_force(true);
    assert_eq!(client.set_flow_run_state((id, forced)).await?.status, SetStateStatus::Accept);
    let completed =
        StateCreate::new(StateType::Completed).with_data(json!({"rows": 12})).with_message("all loaded");
    // The end of the run is waited for meanwhile.
    let wait = client.read_flow_run(id).wait();
    let (run, completed) = tokio::join!(wait.into_future(), set(client, id, completed));
    let (run, state) = (run?, completed?.state.ok_or("there is no state")?);
    assert_eq!(state.data, Some(json!({"rows": 12})));

    let rejected = set(client, id, StateCreate::new(StateType::Completed)).await?;
    assert_eq!(rejected.status, SetStateStatus::Reject);
    let Details::StateRejectDetails(details) = rejected.details else { return Err("it is accepted".into()) };
    let reason = details.reason.ok_or("there is no reason")?;
    assert!(reason.starts_with("Cannot overwrite a COMPLETED state"), "{reason}");

    let states = client.read_flow_run_states(ReadFlowRunStatesInput::new(id)).await?;
    let names: Vec<_> = states.iter().filter_map(|state| state.name.as_deref()).collect();
    assert_eq!(names, ["Scheduled", "Pending", "Loading", "Completed"]);
    assert_eq!(run.state.map(|last| last.id), Some(state.id));
    assert!(run.end_time.is_some() && run.end_time >= run.start_time);
    Ok(())
}

/// Creates further runs, and finds runs by state and by name.
async fn filters(client: &Client, flow: &Flow, completed: Uuid) -> Result<()> {
    for number in 2..=RUNS {
        // Without a state, the server chooses one.
        let run =
            client.create_flow_run(FlowRunCreate::new(flow.id).with_name(format!("run-{number}"))).await?;
        client.update_flow_run((run.id, FlowRunUpdate::default().with_tags(vec!["more".to_owned()]))).await?;
    }
    let of = |states: Vec<StateType>| {
        let types = FlowRunFilterStateType::default().with_any(states);
        FlowRunFilter::default().with_state(FlowRunFilterState::default().with_type(types))
    };
    let filter = of(vec![StateType::Completed, StateType::Failed]);
    let found = client.read_flow_runs(ReadFlowRunsBody::default().with_flow_runs(filter)).await?;
    assert_eq!(found.iter().map(|run| run.id).collect::<Vec<_>>(), [completed]);
    let pending = client
        .count_flow_runs(CountFlowRunsBody::default().with_flow_runs(of(vec![StateType::Pending])))
        .await?;
    assert_eq!(pending, RUNS - 1);
    // Without a body, which is optional.
    assert_eq!(client.count_flow_runs(CountFlowRunsInput::default()).await?, RUNS);
    Ok(())
}

/// Reads all runs, two per page.
async fn pages(client: &Client) -> Result<()> {
    let mut names = Vec::new();
    let body = PaginateFlowRunsBody::default().with_sort(FlowRunSort::NameAsc).with_limit(2);
    let mut runs = client.paginate_flow_runs(body).items();
    while let Some(run) = runs.next().await {
        names.extend(run?.name);
    }
    assert_eq!(names, ["first", "run-2", "run-3", "run-4", "run-5"]);
    println!("prefect: flow runs {}", names.join(", "));
    Ok(())
}

/// Counts runs by state within a day around now.
async fn history(client: &Client, flow: &Flow) -> Result<()> {
    let now = flow.created.ok_or("the flow has no time")?.unix_seconds();
    let time = |hours: i64| Timestamp::from_unix_seconds(now + hours * 3600).ok_or("no such time");
    let history = FlowRunHistoryBody::new(time(-12)?, time(12)?, 43200.0);
    let history = client.flow_run_history(history).await?;
    let [before, after] = history.as_slice() else { return Err("there are not two intervals".into()) };
    assert_eq!((before.interval_start, after.interval_end), (time(-12)?, time(12)?));
    let pending = after.states.iter().find(|state| state.state_type == StateType::Pending);
    assert_eq!(pending.map(|state| state.count_runs), Some(RUNS - 1), "{after:?}");
    Ok(())
}

/// Asks the server for another state of a flow run.
async fn set(client: &Client, id: Uuid, state: StateCreate) -> Result<OrchestrationResult> {
    Ok(client.set_flow_run_state((id, SetFlowRunStateBody::new(state))).await?)
}
