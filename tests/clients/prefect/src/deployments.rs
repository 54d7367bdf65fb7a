//! Work pools and deployments, whose schedules are a union without a discriminator.

use prefect_client::{
    Client,
    models::{
        common::{
            CronSchedule, DeploymentCreate, DeploymentFlowRunCreate, DeploymentScheduleCreate,
            DeploymentScheduleCreateSchedule as NewSchedule, DeploymentScheduleSchedule as Schedule,
            DeploymentUpdate, Flow, IntervalScheduleInput, IntervalScheduleInputInterval,
            PaginateDeploymentsBody, RRuleSchedule, WorkPoolCreate, WorkPoolStatus, WorkPoolUpdate,
        },
        types::{Map, Nullable, Timestamp},
    },
};
use serde_json::json;

use crate::{FLOW, Result};

const POOL: &str = "machines";
const DEPLOYMENT: &str = "nightly";

pub async fn run(client: &Client, flow: &Flow) -> Result<()> {
    pool(client).await?;
    deployment(client, flow).await?;
    client.delete_work_pool(POOL).await?;
    Ok(())
}

async fn pool(client: &Client) -> Result<()> {
    let create = WorkPoolCreate::new(POOL).with_type("process").with_concurrency_limit(4);
    let pool = client.create_work_pool(create).await?;
    assert_eq!((pool.concurrency_limit, pool.description), (Some(4), None));
    // Absent leaves the limit as it is, null removes it.
    client.update_work_pool((POOL, WorkPoolUpdate::default().with_description("Two old machines"))).await?;
    assert_eq!(client.read_work_pool(POOL).await?.concurrency_limit, Some(4));
    client.update_work_pool((POOL, WorkPoolUpdate::default().with_concurrency_limit(None))).await?;
    let pool = client.read_work_pool(POOL).await?;
    assert_eq!((pool.concurrency_limit, pool.description), (None, Some("Two old machines".into())));
    assert_eq!(pool.status, Some(WorkPoolStatus::NotReady));
    // Two path parameters.
    assert_eq!(client.read_work_queue((POOL, "default")).await?.work_pool_name, Some(POOL.into()));
    Ok(())
}

async fn deployment(client: &Client, flow: &Flow) -> Result<()> {
    let start: Timestamp = "2026-01-01T00:00:00+01:00".parse()?;
    let interval = IntervalScheduleInput::new(IntervalScheduleInputInterval::String("PT1H".to_owned()))
        .with_anchor_date(start)
        .with_timezone("Europe/Berlin");
    let schedules = [
        NewSchedule::IntervalScheduleInput(interval),
        NewSchedule::CronSchedule(CronSchedule::new("0 3 * * *").with_day_or(false)),
        NewSchedule::RRuleSchedule(RRuleSchedule::new("FREQ=DAILY;COUNT=3")),
    ];
    let schedules = schedules.map(|schedule| DeploymentScheduleCreate::new(schedule).with_active(false));
    let create = DeploymentCreate::new(DEPLOYMENT, flow.id)
        .with_work_pool_name(POOL)
        .with_parameters(Map::from([("source".to_owned(), json!("ftp"))]))
        .with_schedules(schedules.to_vec());
    let created = client.create_deployment(create).await?;
    let found = client.read_deployment_by_name((FLOW, DEPLOYMENT)).await?;
    assert_eq!((found.id, found.work_pool_name), (created.id, Some(POOL.into())));
    assert!(found.last_polled.is_none() && found.created.is_some(), "{:?}", found.last_polled);

    let schedules = client.read_deployment_schedules(created.id).await?;
    let mut seen = Vec::new();
    for schedule in schedules {
        seen.push(match schedule.schedule {
            Schedule::IntervalScheduleOutput(interval) => {
                assert_eq!((interval.interval, interval.anchor_date), (3600.0, Some(start)));
                "interval"
            }
            Schedule::CronSchedule(cron) => {
                assert_eq!(
                    (cron.cron.as_str(), cron.day_or, cron.timezone),
                    ("0 3 * * *", Some(false), Some(Nullable::Null))
                );
                "cron"
            }
            Schedule::RRuleSchedule(rule) => {
                assert!(rule.rrule.ends_with("FREQ=DAILY;COUNT=3"), "{rule:?}");
                "rrule"
            }
            Schedule::Unknown(schedule) => return Err(format!("unknown schedule {schedule}").into()),
        });
    }
    seen.sort_unstable();
    assert_eq!(seen, ["cron", "interval", "rrule"]);

    let run =
        DeploymentFlowRunCreate::default().with_parameters(Map::from([("source".to_owned(), json!("s3"))]));
    let run = client.create_flow_run_from_deployment((created.id, run)).await?;
    assert_eq!((run.deployment_id, run.flow_id), (Some(created.id), flow.id));
    client.update_deployment((created.id, DeploymentUpdate::default().with_paused(true))).await?;
    let page = client.paginate_deployments(PaginateDeploymentsBody::default().with_limit(1)).await?;
    assert_eq!(page.results.first().and_then(|first| first.paused), Some(true));
    println!("prefect: deployment with schedules {}", seen.join(", "));
    client.delete_deployment(created.id).await?;
    Ok(())
}
