use std::future::ready;
use std::time::Instant;

use bytes::Bytes;

use super::*;
use crate::admin::changes::Changes;
use crate::store::{self, Access, Schema};

fn failed(folder: &str) -> (Task, String) {
    let work = format!(
        r#"{{"steps": [{{"family": "image-to-prompt",
            "instructions": {{"built-in": {{"modality": "describe", "parameters": {{}}}}}},
            "media": [{{"given": {{"kind": "image", "source": {{"stored": "{folder}/0-0"}}}}}}]}}],
            "seed": 1, "most_bytes": 9}}"#
    );
    let task = Task {
        id: Uuid::now_v7(),
        key_id: "AAAA0001".to_owned(),
        family: "image-to-prompt".to_owned(),
        model: None,
        status: TaskStatus::Failed,
        results: Vec::new(),
        error: None,
        engine: "measured-description/1".to_owned(),
        folder: folder.to_owned(),
        webhook_url: None,
        app: None,
        ignored: Vec::new(),
        progress: None,
        created_at: 1,
        updated_at: 1,
    };
    (task, work)
}

#[tokio::test]
async fn a_retry_has_media_of_its_own() {
    let files = Files::in_memory();
    let first = random_folder();
    files.put(Area::Inputs, &format!("{first}/0-0"), Bytes::from_static(b"picture")).await.unwrap();
    let (task, work) = failed(&first);
    let new = new_from(&files, task.clone(), &work).await.unwrap();
    assert!(new.task.folder != first && !new.work.contains(&first), "{new:?}");
    files.remove_folder(Area::Inputs, &first).await.unwrap();
    let assignment: Assignment = serde_json::from_str(&new.work).unwrap();
    let StoredMedium::Given { source: Source::Stored(key), .. } = &assignment.steps[0].media[0] else {
        panic!("{assignment:?}")
    };
    assert_eq!(*key, format!("{}/0-0", new.task.folder));
    assert_eq!(files.read(Area::Inputs, key).await.unwrap().as_deref(), Some(&b"picture"[..]));

    let refused = new_from(&files, task, &work).await.unwrap_err().to_string();
    assert!(refused.contains("has been removed already"), "{refused}");
}

#[tokio::test]
async fn a_change_has_its_result_for_each_task_even_without_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let store = store::open(None, folder.path(), Schema::Migrate, Access::DEFAULT).await.unwrap();
    let file = format!("sqlite://{}", folder.path().join("service.db").display());
    let pool = sqlx::SqlitePool::connect(&file).await.unwrap();
    let unrecorded =
        "CREATE TRIGGER unrecorded BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'full'); END";
    sqlx::query(unrecorded).execute(&pool).await.unwrap();
    let admin = Admin::at_command_line(&store);
    let [good, bad, other] = [1, 2, 3].map(Uuid::from_u128);
    let change = |id| async move {
        match id == good {
            true => Ok(Some(other)),
            false => Err(AdminError::Store(store::Error::NotEmpty)),
        }
    };

    let outcomes = admin.each("retry tasks", &[bad, good, good, bad], 1, change).await.unwrap();
    let outcomes: Vec<_> =
        outcomes.iter().map(|it| (it.id, it.done, it.new_id, it.reason.is_some())).collect();
    assert_eq!(outcomes, [(bad, false, None, true), (good, true, Some(other), false)], "each once");
    let failed = admin.each("retry tasks", &[bad, other], 1, change).await;
    assert!(matches!(failed, Err(AdminError::Store(_))), "{failed:?}");

    let log = admin.audit(Page { offset: 0, limit: 9 }).await.unwrap();
    assert!(log.len() == 2 && log.iter().all(|entry| entry.result == "begun"), "{log:?}");
    assert_eq!(log[1].target, format!("{bad} {good}"));
    store.close().await;
}

#[tokio::test]
async fn a_change_ends_between_two_tasks_when_the_process_stops_or_nobody_waits() {
    let folder = tempfile::tempdir().unwrap();
    let store = store::open(None, folder.path(), Schema::Migrate, Access::DEFAULT).await.unwrap();
    let changes = Changes::default();
    let admin = Admin { in_progress: changes.begin(), ..Admin::at_command_line(&store) };
    let change = |_| async {
        tokio::spawn(changes.clone().run(ready(())));
        admin.stopped().await;
        Ok(None)
    };
    let ids = [1, 2].map(Uuid::from_u128);
    let late = Admin { until: Some(Instant::now()), ..Admin::at_command_line(&store) };
    let outcomes = late.each("retry tasks", &ids, 1, |_| async { Ok(None) }).await.unwrap();
    assert!(outcomes.iter().all(|outcome| !outcome.done), "{outcomes:?}");
    let outcomes = admin.each("retry tasks", &ids, 1, change).await.unwrap();
    assert!(outcomes[0].done && !outcomes[1].done, "{outcomes:?}");
    let log = admin.audit(Page { offset: 0, limit: 9 }).await.unwrap();
    assert_eq!(log[0].result, "done but for 1: the service is stopping; repeat the request");
    store.close().await;
}
