//! Runs flows on a running Prefect server, as a user of the generated client does.
//!
//! The argument is the URL of the server's API. Ends with an error or a panic where the server or the client does not
//! behave.

mod automations;
mod deployments;
mod errors;
mod flow_runs;
mod variables;

use std::{env, error::Error, process::ExitCode, time::Duration};

use prefect_client::{
    Client,
    models::{
        common::{
            Flow, FlowCreate, FlowCreateLabelsValue, FlowFilter, FlowFilterTags, FlowUpdate, ReadFlowsBody,
        },
        root::HelloInput,
        types::Map,
    },
};

/// The name of the flow.
const FLOW: &str = "etl";

/// The limit of the whole run.
const LIMIT: Duration = Duration::from_secs(90);

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match tokio::time::timeout(LIMIT, run()).await {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
        Err(_) => {
            eprintln!("error: the server has not responded to everything within {LIMIT:?}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let url = env::args().nth(1).ok_or("give the URL of the server's API as the argument")?;
    let client = Client::builder().base_url(&url).timeout(Duration::from_secs(20)).build()?;
    assert!(client.health_check().await?);
    println!(
        "prefect: {} from a server of API {}",
        client.hello(HelloInput::default()).await?,
        client.server_version().await?
    );
    let flow = flows(&client).await?;
    flow_runs::run(&client, &flow).await?;
    deployments::run(&client, &flow).await?;
    variables::run(&client).await?;
    automations::run(&client).await?;
    errors::run(&client, &flow, &url).await?;
    client.delete_flow(flow.id).await?;
    Ok(())
}

/// Creates a flow, finds it by name, and changes it.
async fn flows(client: &Client) -> Result<Flow> {
    let labels = Map::from([
        ("team".to_owned(), FlowCreateLabelsValue::String("data".to_owned())),
        ("priority".to_owned(), FlowCreateLabelsValue::Integer(3)),
        ("share".to_owned(), FlowCreateLabelsValue::Number(0.5)),
        ("nightly".to_owned(), FlowCreateLabelsValue::Boolean(true)),
    ]);
    let create = FlowCreate::new(FLOW).with_tags(vec!["nightly".to_owned()]).with_labels(labels);
    // The document has 200 alone. The server sends 201 for a new flow, and 200 for one that exists.
    let created = client.create_flow(create.clone()).send_with_response().await?;
    assert_eq!((created.status.as_u16(), created.is_documented), (201, false));
    let found = client.create_flow(create).send_with_response().await?;
    assert_eq!((found.status.as_u16(), found.is_documented), (200, true));
    assert_eq!(found.value.id, created.value.id);

    let flow = client.read_flow_by_name(FLOW).await?;
    assert_eq!(flow, client.read_flow(flow.id).await?);
    let labels = flow.labels.as_ref().ok_or("the labels are gone")?;
    assert_eq!(
        serde_json::to_value(labels)?,
        serde_json::json!({"team": "data", "priority": 3, "share": 0.5, "nightly": true})
    );
    assert!(flow.created.is_some() && flow.created <= flow.updated, "{flow:?}");

    let tags = vec!["daily".to_owned(), "import".to_owned()];
    client.update_flow((flow.id, FlowUpdate::default().with_tags(tags.clone()))).await?;
    let filter = FlowFilter::default().with_tags(FlowFilterTags::default().with_all(tags.clone()));
    let flows = client.read_flows(ReadFlowsBody::default().with_flows(filter).with_limit(5)).await?;
    let [changed] = flows.as_slice() else { return Err("the flow has no tags".into()) };
    assert_eq!((changed.id, changed.tags.as_ref()), (flow.id, Some(&tags)));
    Ok(changed.clone())
}
