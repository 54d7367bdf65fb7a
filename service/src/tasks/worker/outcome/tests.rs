use super::*;
use crate::domain::{Demand, Engines, Lease, Task, TaskStatus};

const NOW: Millis = 1_790_000_000_000;

fn demand() -> Demand {
    Demand { engines: Engines::built_in(["voiceover"]), size: 3 }
}

fn claimed(tries: u32, outages: u32, refusals: u32) -> Claimed {
    let task = Task {
        id: uuid::Uuid::nil(),
        key_id: "A".to_owned(),
        family: "voiceover".to_owned(),
        model: None,
        status: TaskStatus::InProgress,
        results: Vec::new(),
        error: None,
        engine: String::new(),
        folder: String::new(),
        webhook_url: None,
        app: None,
        ignored: Vec::new(),
        progress: None,
        created_at: NOW,
        updated_at: NOW,
    };
    let lease = Lease { task_id: task.id, attempt: 1, owner: "me".to_owned() };
    let (work, demand) = (String::new(), demand());
    Claimed { task, work, lease, demand, tries, outages, refusals, crashes: 0, call: None, trace: None }
}

/// Describes the outcome: the label, what the store does, and the code with which the task fails if it does.
fn row(outcome: Outcome) -> (&'static str, String, String) {
    let (label, effect) = outcome.row();
    let (store, cause) = match effect {
        Effect::Complete(_) => ("complete".to_owned(), None),
        Effect::Fail(_, cause) => ("fail".to_owned(), Some(cause)),
        Effect::Advance(_) => ("advance".to_owned(), None),
        Effect::Requeue(Requeue { counts, wait, cause, is_slow, .. }) => {
            let beside = if is_slow { "slow" } else { "" };
            (format!("{counts:?} {wait:?} {beside}").trim_end().to_owned(), cause)
        }
        Effect::Nothing => ("nothing".to_owned(), None),
    };
    (label, store, cause.map(|cause| cause.code).unwrap_or_default())
}

#[test]
fn each_outcome_has_one_row() {
    let text = || "why".to_owned();
    let failed = |failure| Outcome::Failed(Results::default(), failure);
    let rest = RemainingWork { work: String::new(), demand: demand(), engine_time: None, now: NOW };
    let retry_after = Some(Duration::from_secs(7));
    let fetch = Failure::Fetch { code: "fetch_failed", message: text(), reason: text() };
    let unserved = Failure::Unserved { message: "No.", reason: text() };
    let media = Failure::Media { code: "image_too_large", message: text() };
    let interrupted = Outcome::Interrupted;
    let rows = [
        (Outcome::Completed(Results::default()), "completed", "complete", ""),
        (Outcome::Advanced(rest), "advanced", "advance", ""),
        (interrupted(Interruption::Stopping), "handed_back", "Nothing None", ""),
        (interrupted(Interruption::Yielded), "yielded", "Nothing None", ""),
        (interrupted(Interruption::Overdue), "overdue", "Nothing None slow", ""),
        (
            interrupted(Interruption::Deadline(Duration::from_secs(9))),
            "deadline_exceeded",
            "fail",
            "deadline_exceeded",
        ),
        (interrupted(Interruption::LeaseLost { has_ended: false }), "lease_lost", "nothing", ""),
        (interrupted(Interruption::LeaseLost { has_ended: true }), "lease_lost", "nothing", ""),
        (interrupted(Interruption::Cancelled), "cancelled", "nothing", ""),
        (failed(Failure::Cancelled), "handed_back", "Nothing None", ""),
        (failed(Failure::Busy { retry_after: None }), "deferred", "Refusal Backoff", ""),
        (failed(Failure::Busy { retry_after }), "deferred", "Refusal For(7s)", ""),
        (failed(Failure::Busy { retry_after: Some(Duration::ZERO) }), "deferred", "Refusal Backoff", ""),
        (failed(Failure::Unavailable(text())), "deferred", "Refusal Backoff", ""),
        (failed(Failure::Credentials(text())), "deferred", "Refusal Backoff", ""),
        (failed(Failure::Timeout(text())), "retried", "Attempt Backoff", ""),
        (failed(Failure::Internal(text())), "retried", "Attempt Backoff", ""),
        (failed(fetch), "retried", "Attempt Backoff", "fetch_failed"),
        (failed(Failure::Storage(text())), "storage_failed", "Outage Backoff", "storage_unavailable"),
        (failed(Failure::Unsupported(text())), "unsupported", "Nothing Others", "unsupported_parameters"),
        (failed(unserved), "unsupported", "Nothing Others", "engine_unavailable"),
        (failed(Failure::Moderation(text())), "failed", "fail", "content_refused"),
        (failed(Failure::Invalid(text())), "failed", "fail", "unsupported_parameters"),
        (failed(media), "failed", "fail", "image_too_large"),
        (failed(Failure::Gone(text())), "failed", "fail", "outcome_unknown"),
        (failed(Failure::Uncertain(text())), "failed", "fail", "outcome_unknown"),
    ];
    for (outcome, label, store, code) in rows {
        assert_eq!(row(outcome), (label, store.to_owned(), code.to_owned()));
    }
}

#[test]
fn each_count_has_its_own_limit_and_delay() {
    let settings = Settings { max_attempts: 3, max_outages: 5, ..Settings::default() };
    let first = settings.backoff;
    let release = |failure: Failure, claimed: &Claimed| {
        let outcome = Outcome::Failed(Results::default(), failure);
        let Effect::Requeue(requeue) = outcome.row().1 else { panic!("no other attempt follows") };
        requeue.release(claimed, &settings, NOW, 1.0).map_err(|cause| cause.code)
    };
    let later = |doublings: u32, counts| Ok(Release::new(counts, NOW + millis(first * 2_u32.pow(doublings))));
    let internal = || Failure::Internal(String::new());
    assert_eq!(release(internal(), &claimed(1, 9, 9)), later(0, Counts::Attempt));
    assert_eq!(release(internal(), &claimed(2, 9, 9)), later(1, Counts::Attempt));
    assert_eq!(release(internal(), &claimed(3, 0, 0)), Err("attempts_exhausted".to_owned()));
    let storage = || Failure::Storage(String::new());
    assert_eq!(release(storage(), &claimed(9, 2, 9)), later(2, Counts::Outage));
    assert_eq!(release(storage(), &claimed(1, 5, 0)), Err("storage_unavailable".to_owned()));
    let busy = |retry_after| Failure::Busy { retry_after };
    assert_eq!(release(busy(None), &claimed(9, 9, 1)), later(1, Counts::Refusal));
    let asked = Duration::from_secs(3600);
    let asked_for = Ok(Release::new(Counts::Refusal, NOW + millis(asked)));
    assert_eq!(release(busy(Some(asked)), &claimed(9, 9, 99)), asked_for);
    let unsupported = |begun| {
        let mut claimed = claimed(9, 9, 9);
        claimed.task.updated_at = begun;
        release(Failure::Unsupported(String::new()), &claimed)
    };
    let hour = millis(WAIT_FOR_OTHERS);
    assert_eq!(unsupported(NOW - hour + 1), Ok(Release::new(Counts::Nothing, NOW)));
    assert_eq!(unsupported(NOW - hour), Err("unsupported_parameters".to_owned()));
    assert_eq!(release(Failure::Cancelled, &claimed(9, 9, 9)), Ok(Release::new(Counts::Nothing, NOW)));
}

#[test]
fn waits_double_up_to_the_longest() {
    let first = Duration::from_secs(10);
    for (failures, seconds) in
        [(0, 10), (1, 10), (2, 20), (3, 40), (5, 160), (6, 300), (99, 300), (u32::MAX, 300)]
    {
        assert_eq!(backoff(first, failures, 1.0), Duration::from_secs(seconds), "{failures}");
    }
    assert_eq!(backoff(first, 2, 0.8), Duration::from_secs(16));
}

#[test]
fn an_interrupted_attempt_counts_if_its_result_may_still_be_stored() {
    let done = || Some(Outcome::Completed(Results::default()));
    let label = |why: Interruption, done| why.outcome(done).row().0;
    for why in [Interruption::Stopping, Interruption::Yielded, Interruption::Overdue] {
        assert_eq!(label(why, done()), "completed");
        let cancelled = Outcome::Failed(Results::default(), Failure::Cancelled);
        assert_eq!(label(why, Some(cancelled)), label(why, None));
    }
    assert_eq!(label(Interruption::Deadline(Duration::ZERO), done()), "deadline_exceeded");
    assert_eq!(label(Interruption::LeaseLost { has_ended: false }, done()), "lease_lost");
    assert_eq!(label(Interruption::Cancelled, done()), "cancelled");
}
