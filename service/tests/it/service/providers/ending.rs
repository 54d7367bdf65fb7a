//! Tasks that end before their provider's job, which must not run on.

use std::time::Duration;

use simulated_providers::{End, Fault, Plan, Provider, Providers, Step};
use uuid::Uuid;

use super::{KEY, create, end, polls, providers, settings, started, until};
use crate::service::running::Running;
use crate::service::waiting::eventually;

/// The providers with jobs that can be cancelled.
const WITH_JOBS: [Provider; 3] = [Provider::Replicate, Provider::Fal, Provider::ComfyUi];

/// Longer than the time in which the worker notices a cancelled task.
const LATE: Fault = Fault::AcceptedLate(Duration::from_millis(1500));

/// A deadline of attempts.
const DEADLINE: &str = "[deadlines]\nsound-effects = 3";

/// Starts a service whose requests may take longer than [`LATE`].
fn start_with_long_timeout(providers: &Providers, provider: Provider, first: &str, more: &str) -> Running {
    let settings = settings(providers, provider, more).replace("timeout-seconds = 1", "timeout-seconds = 20");
    Running::start_with(&format!("{first}{settings}"), &["--threads", "2"], KEY)
}

async fn cancelled_job(providers: &Providers, index: usize) {
    until(providers, |providers| providers.creations()[index].end == Some(End::Cancelled)).await;
}

async fn cancel(running: &Running, id: Uuid) {
    assert!(running.command(&["tasks", "cancel", &id.to_string()]).status.success());
    assert_eq!(running.sound(id).await.error.unwrap().code, "cancelled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_ends_cancels_the_job() {
    for provider in WITH_JOBS {
        let providers = providers().await;
        let running = started(&providers, provider, "");
        providers.plan(Plan::Slow);
        let id = create(&running, "wind").await;
        until(&providers, |providers| polls(providers) > 1).await;
        cancel(&running, id).await;
        cancelled_job(&providers, 0).await;
        drop(running);
        let running = started(&providers, provider, DEADLINE);
        providers.plan(Plan::Slow);
        assert_eq!(end(&running).await, "deadline_exceeded");
        cancelled_job(&providers, 1).await;
        assert_eq!(providers.creations().len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_ends_during_the_create_cancels_the_job() {
    for provider in WITH_JOBS {
        let providers = providers().await;
        let running = start_with_long_timeout(&providers, provider, "", "");
        providers.plan(Plan::Slow);
        providers.fault(Step::Create, LATE);
        let id = create(&running, "wind").await;
        until(&providers, |providers| providers.creations().len() == 1).await;
        cancel(&running, id).await;
        cancelled_job(&providers, 0).await;
        assert!(!running.log().contains("may run"), "{provider:?}: {}", running.log());
        drop(running);

        let running = start_with_long_timeout(&providers, provider, "", DEADLINE);
        providers.plan(Plan::Slow);
        providers.fault(Step::Create, Fault::AcceptedLate(Duration::from_secs(4)));
        assert_eq!(end(&running).await, "deadline_exceeded", "{provider:?}");
        // The task has ended after the create, so its job is cancelled already.
        assert_eq!(providers.creations()[1].end, Some(End::Cancelled), "{provider:?}");
        assert_eq!(providers.creations().len(), 2, "{provider:?}");
        assert!(!running.log().contains("may run"), "{provider:?}: {}", running.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_can_not_be_cancelled_is_logged() {
    let providers = providers().await;
    // The first create has no response in time, which is enough for the command that cancels its task.
    let settings =
        settings(&providers, Provider::Fal, "").replace("timeout-seconds = 1", "timeout-seconds = 8");
    let running = Running::start_with(&settings, &["--threads", "2"], KEY);
    for (create_fault, cancel_faults, message) in [
        (Fault::AcceptedLate(Duration::from_secs(10)), 0, "a provider may run a job that nobody waits for"),
        (Fault::AcceptedLate(Duration::from_millis(500)), 50, "which may run on"),
    ] {
        let index = providers.creations().len();
        providers.plan(Plan::Slow);
        providers.fault(Step::Create, create_fault);
        for _ in 0..cancel_faults {
            providers.fault(Step::Cancel, Fault::Status(503));
        }
        let id = create(&running, "wind").await;
        until(&providers, |providers| providers.creations().len() > index).await;
        cancel(&running, id).await;
        eventually(message, async || running.log().contains(message).then_some(())).await;
    }
    assert!(!running.log().contains("sk-hush"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancellation_that_fails_is_repeated() {
    let providers = providers().await;
    let running = start_with_long_timeout(&providers, Provider::Replicate, "", "");
    providers.plan(Plan::Slow);
    for fault in [Fault::Status(503), Fault::Truncated] {
        providers.fault(Step::Cancel, fault);
    }
    let id = create(&running, "wind").await;
    until(&providers, |providers| polls(providers) > 0).await;
    cancel(&running, id).await;
    cancelled_job(&providers, 0).await;
    until(&providers, |providers| providers.faults_left() == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_without_attempts_left_cancels_the_job() {
    for provider in WITH_JOBS {
        let providers = providers().await;
        let settings = settings(&providers, provider, "").replace("max-attempts = 5", "max-attempts = 1");
        let crashing = [KEY[0], ("ASSET_SERVICE_CRASH_AT", "between-polls")];
        let mut running = Running::start_with(&settings, &["--threads", "2"], &crashing);
        providers.plan(Plan::Slow);
        let id = create(&running, "wind").await;
        eventually("the process has not ended", async || running.has_ended().then_some(())).await;
        assert!(running.kill_and_restart_with(&["--threads", "2"], KEY));
        assert_eq!(running.sound(id).await.error.unwrap().code, "attempts_exhausted");
        assert_eq!(providers.creations()[0].end, Some(End::Cancelled), "{provider:?}: {}", running.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_stops_during_the_create_loses_no_job() {
    for provider in WITH_JOBS {
        let providers = providers().await;
        let mut running = start_with_long_timeout(&providers, provider, "shutdown-seconds = 0\n", "");
        providers.fault(Step::Create, LATE);
        let id = create(&running, "wind").await;
        until(&providers, |providers| providers.creations().len() == 1).await;
        assert!(running.terminate().success());
        assert!(running.kill_and_restart_with(&["--threads", "2"], KEY));
        let task = running.sound(id).await;
        assert!(task.error.is_none(), "{provider:?}: {task:?} {}", running.log());
        assert_eq!(providers.creations().len(), 1, "{provider:?}: {}", running.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_ends_while_its_job_is_searched_cancels_the_job() {
    let providers = providers().await;
    let running = start_with_long_timeout(&providers, Provider::ComfyUi, "", "");
    providers.plan(Plan::Slow);
    providers.fault(Step::Create, Fault::AcceptedStatus(500));
    providers.fault(Step::Poll, Fault::Late(Duration::from_secs(10)));
    let id = create(&running, "wind").await;
    until(&providers, |providers| polls(providers) == 1).await;
    cancel(&running, id).await;
    cancelled_job(&providers, 0).await;
    assert_eq!(providers.creations().len(), 1);
}
