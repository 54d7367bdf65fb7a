//! Converts tasks to API responses and webhook payloads.

use asset_api_models::{apps, common, imagegen};

use super::cancel;
use crate::domain::{Content, Piece, Task, TaskStatus};
use crate::engine::context::Progress;
use crate::engine::family;
use crate::files::{FileUrls, media_type};
use crate::time::timestamp;

/// Returns the task as the API shows it.
#[must_use]
pub fn task(task: &Task, urls: &FileUrls) -> common::Task {
    let generated = match task.status {
        TaskStatus::Completed => task.results.iter().map(|piece| text(&piece.content, urls)).collect(),
        _ => Vec::new(),
    };
    let mut view = common::Task::new(task.id, status(task.status), generated);
    view.error = task.error.as_ref().map(|cause| common::TaskError::new(&cause.code, &cause.message));
    view.created_at = Some(timestamp(task.created_at));
    view.updated_at = Some(timestamp(task.updated_at));
    view.engine = (task.status == TaskStatus::Completed).then(|| task.engine.clone());
    view.ignored = (!task.ignored.is_empty()).then(|| task.ignored.clone());
    view.progress = progress(task);
    view
}

/// Returns an image generation task as the API shows it.
#[must_use]
pub fn imagegen(task: &Task, urls: &FileUrls) -> imagegen::ImagegenTask {
    let common::Task {
        task_id,
        status,
        generated,
        error,
        created_at,
        updated_at,
        engine,
        ignored,
        progress,
        ..
    } = self::task(task, urls);
    let mut view = imagegen::ImagegenTask::new(task_id, status, generated);
    (view.error, view.created_at, view.updated_at) = (error, created_at, updated_at);
    (view.engine, view.ignored, view.progress) = (engine, ignored, progress);
    let nsfw: Option<Vec<bool>> = task.results.iter().map(|piece| piece.facts.nsfw).collect();
    view.has_nsfw = nsfw.filter(|_| !view.generated.is_empty());
    view
}

/// Returns how far the engine has come, if the task is in progress and its engine reports it.
fn progress(task: &Task) -> Option<common::TaskProgress> {
    let stored = task.progress.as_deref().filter(|_| task.status == TaskStatus::InProgress)?;
    let reported: Progress = serde_json::from_str(stored).ok()?;
    let stage = (!reported.stage.is_empty()).then_some(reported.stage);
    let mut progress = common::TaskProgress::default();
    (progress.percent, progress.stage) = (reported.percent.map(i64::from), stage);
    Some(progress)
}

/// Returns the response to the creation of a task: `CREATED`, even if its status has changed since.
#[must_use]
pub fn created(id: uuid::Uuid) -> common::TaskCreatedResponse {
    common::TaskCreatedResponse::new(common::TaskCreated::new(id, common::TaskStatus::Created))
}

/// Returns the body of a webhook about the task: the task without the `data` wrapper.
#[must_use]
pub fn payload(task: &Task, urls: &FileUrls) -> String {
    let payload = match task.family.as_str() {
        family if family == family::APP_RUNS.name => serde_json::to_string(&app_run(task, urls)),
        family if family == family::IMAGEGEN.name => serde_json::to_string(&imagegen(task, urls)),
        _ => serde_json::to_string(&self::task(task, urls)),
    };
    payload.unwrap_or_default()
}

/// Returns the id of a task's run of a workflow app.
#[must_use]
pub fn run_id(task: uuid::Uuid) -> String {
    format!("run_{}", task.simple())
}

/// Returns the id of the task behind the run with this id.
#[must_use]
pub fn task_of_run(run_id: &str) -> Option<uuid::Uuid> {
    let id = run_id.strip_prefix("run_")?;
    let task = uuid::Uuid::try_parse(id).ok()?;
    (self::run_id(task) == run_id).then_some(task)
}

/// Returns the run of a workflow app as the API shows it.
#[must_use]
pub fn app_run(task: &Task, urls: &FileUrls) -> apps::AppRun {
    let is_cancelled = task.error.as_ref().is_some_and(|cause| cause.code == cancel::CODE);
    let status = match task.status {
        TaskStatus::Created => apps::AppRunStatus::Pending,
        TaskStatus::InProgress => apps::AppRunStatus::Running,
        TaskStatus::Completed => apps::AppRunStatus::Completed,
        TaskStatus::Failed if is_cancelled => apps::AppRunStatus::Cancelled,
        TaskStatus::Failed if !task.results.is_empty() => apps::AppRunStatus::CompletedWithErrors,
        TaskStatus::Failed => apps::AppRunStatus::Failed,
    };
    let app = task.app.clone().unwrap_or_default();
    let has_result = task.status == TaskStatus::Completed || !task.results.is_empty();
    let result = has_result.then(|| run_result(task, urls));
    let mut run = apps::AppRun::new(run_id(task.id), status, app, result);
    run.started_at = Some(timestamp(task.created_at));
    run.error_message = task.error.as_ref().map(|cause| cause.message.clone());
    if task.status.is_terminal() {
        run.completed_at = Some(timestamp(task.updated_at));
    }
    run
}

/// Returns the outputs of a run's steps, grouped by kind.
fn run_result(task: &Task, urls: &FileUrls) -> apps::AppRunResult {
    let mut result = apps::AppRunResult::new(Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (index, Piece { content, facts }) in task.results.iter().enumerate() {
        let (id, created_at) = (format!("out_{}", index + 1), Some(timestamp(task.updated_at)));
        let key = match content {
            Content::File(key) => key,
            Content::Text(text) => {
                let mut output = apps::AppRunText::new(id, text);
                (output.tool, output.created_at) = (facts.step.clone(), created_at);
                result.texts.push(output);
                continue;
            }
        };
        let mut output = apps::AppRunOutput::new(id, urls.of(key));
        (output.tool, output.created_at) = (facts.step.clone(), created_at);
        output.duration = facts.milliseconds.map(|milliseconds| milliseconds as f64 / 1000.0);
        (output.width, output.height) =
            facts.size.map(|(width, height)| (width.into(), height.into())).unzip();
        match media_type(key).split_once('/') {
            Some(("audio", _)) => result.audios.push(output),
            Some(("video", _)) => result.videos.push(output),
            _ => result.images.push(output),
        }
    }
    result
}

fn text(content: &Content, urls: &FileUrls) -> String {
    match content {
        Content::File(key) => urls.of(key),
        Content::Text(text) => text.clone(),
    }
}

/// Converts a status to the API's enum.
#[must_use]
pub const fn status(status: TaskStatus) -> common::TaskStatus {
    match status {
        TaskStatus::Created => common::TaskStatus::Created,
        TaskStatus::InProgress => common::TaskStatus::InProgress,
        TaskStatus::Completed => common::TaskStatus::Completed,
        TaskStatus::Failed => common::TaskStatus::Failed,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use asset_api_validation::OPERATIONS;
    use openapi_crates_runtime::table::{Operation, Schema, Type};
    use serde_json::{Value, json};

    use super::*;
    use crate::domain::{Facts, FailureCause};
    use crate::engine::family::Family;

    /// Returns a task of this family with these results.
    fn with(family: &Family, status: TaskStatus, results: Vec<Piece>) -> Task {
        Task {
            id: uuid::Uuid::nil(),
            key_id: "AAAA0001".to_owned(),
            family: family.name.to_owned(),
            model: None,
            status,
            results,
            error: None,
            engine: "fal/flux".to_owned(),
            folder: "0".repeat(32),
            webhook_url: None,
            app: Some("aB3xY9".to_owned()),
            ignored: vec!["hdr".to_owned()],
            progress: Some(r#"{"percent":40,"stage":"rendering"}"#.to_owned()),
            created_at: 1000,
            updated_at: 2000,
        }
    }

    fn file(name: &str, facts: Facts) -> Piece {
        Piece { content: Content::File(format!("{}/{name}", "0".repeat(32))), facts }
    }

    fn shown(task: &Task) -> Value {
        serde_json::from_str(&payload(task, &FileUrls::new("https://assets.example.com"))).unwrap()
    }

    #[test]
    fn an_image_generation_task_has_the_fields_of_any_task() {
        let picture = |nsfw| file("1-0.png", Facts { nsfw, ..Facts::default() });
        let mut failed = with(&family::IMAGEGEN, TaskStatus::Failed, Vec::new());
        failed.error =
            Some(FailureCause { code: "engine_failed".to_owned(), message: "It failed.".to_owned() });
        let finished = with(&family::IMAGEGEN, TaskStatus::Completed, vec![picture(None)]);
        let in_progress = with(&family::IMAGEGEN, TaskStatus::InProgress, Vec::new());
        assert_eq!(shown(&in_progress)["progress"], json!({"percent": 40, "stage": "rendering"}));
        for mut task in [in_progress, failed, finished] {
            let imagegen = shown(&task);
            task.family = family::VOICEOVER.name.to_owned();
            assert_eq!(imagegen, shown(&task));
        }
        let finished =
            with(&family::IMAGEGEN, TaskStatus::Completed, vec![picture(Some(false)), picture(Some(true))]);
        assert_eq!(shown(&finished)["has_nsfw"], json!([false, true]));
    }

    /// Adds the paths of all fields of a schema.
    fn add_documented(row: &Schema, path: &str, fields: &mut BTreeSet<String>) {
        match &row.of {
            Type::Object(object) => {
                for field in object.fields {
                    let path = format!("{path}.{}", field.name);
                    add_documented(field.schema, &path, fields);
                    fields.insert(path);
                }
            }
            Type::Array(array) => add_documented(array.items, path, fields),
            Type::Same(row) => add_documented(row, path, fields),
            _ => {}
        }
    }

    /// Adds the paths of all fields of a value.
    fn add_shown(value: &Value, path: &str, fields: &mut BTreeSet<String>) {
        for (name, field) in value.as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            add_shown(field, &path, fields);
            fields.insert(path);
        }
        value.as_array().into_iter().flatten().for_each(|item| add_shown(item, path, fields));
    }

    #[test]
    fn every_family_shows_all_documented_fields_of_its_tasks() {
        let facts = Facts {
            step: Some("image-to-video".to_owned()),
            size: Some((1920, 1080)),
            milliseconds: Some(5040),
            nsfw: Some(false),
        };
        let text = Piece { content: Content::Text("A bay".to_owned()), facts: facts.clone() };
        let files = ["1-0.png", "1-1.mp4", "1-2.wav"].map(|name| file(name, facts.clone()));
        let results: Vec<Piece> = files.into_iter().chain([text]).collect();
        for family in family::ALL {
            let is_get = |operation: &&Operation| {
                let id = operation.path.strip_prefix(family.path).and_then(|rest| rest.strip_prefix("/{"));
                operation.method == "GET" && id.is_some_and(|id| !id.contains('/'))
            };
            let get = OPERATIONS.iter().flat_map(|tag| *tag).copied().find(is_get).unwrap();
            let Type::Object(response) = &get.responses[0].contents[0].schema.of else { panic!("{get:?}") };
            let (mut documented, mut seen) = (BTreeSet::new(), BTreeSet::new());
            add_documented(response.fields[0].schema, "", &mut documented);
            for status in [TaskStatus::InProgress, TaskStatus::Completed, TaskStatus::Failed] {
                let mut task = with(family, status, results.clone());
                if status == TaskStatus::Failed {
                    task.error =
                        Some(FailureCause { code: "engine_failed".into(), message: "It failed.".into() });
                }
                add_shown(&shown(&task), "", &mut seen);
            }
            assert_eq!(seen, documented, "{}", family.name);
        }
    }

    #[test]
    fn a_run_shows_the_outputs_of_its_steps() {
        let step = |name: &str| Facts { step: Some(name.to_owned()), ..Facts::default() };
        let film = Facts { size: Some((1920, 1080)), milliseconds: Some(5040), ..step("image-to-video") };
        let text = Piece { content: Content::Text("A bay".to_owned()), facts: step("improve-prompt") };
        let results = vec![text, file("1-1.mp4", film), file("1-2.wav", step("voiceover"))];
        let completed = shown(&with(&family::APP_RUNS, TaskStatus::Completed, results.clone()));
        let at = "1970-01-01T00:00:02Z";
        let text = json!({"id": "out_1", "text": "A bay", "tool": "improve-prompt", "created_at": at});
        assert_eq!(completed["result"]["texts"], json!([text]), "{completed}");
        let film = &completed["result"]["videos"][0];
        let facts = ["tool", "width", "height", "duration"].map(|field| film[field].clone());
        assert_eq!(facts, [json!("image-to-video"), json!(1920), json!(1080), json!(5.04)]);
        assert_eq!(completed["result"]["audios"][0]["tool"], "voiceover");

        let mut failed = with(&family::APP_RUNS, TaskStatus::Failed, results);
        failed.error =
            Some(FailureCause { code: "engine_failed".to_owned(), message: "It failed.".to_owned() });
        let run = shown(&failed);
        assert_eq!(
            (&run["status"], &run["error_message"]),
            (&json!("completed_with_errors"), &json!("It failed."))
        );
        assert_eq!(run["result"], completed["result"]);
        failed.results.clear();
        let run = shown(&failed);
        assert_eq!((&run["status"], &run["result"]), (&json!("failed"), &Value::Null));
        failed.error = Some(FailureCause { code: cancel::CODE.to_owned(), message: String::new() });
        assert_eq!(shown(&failed)["status"], "cancelled");
    }
}
