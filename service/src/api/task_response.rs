//! The responses that show tasks.

use asset_api_server::models::{common, imagegen};

use crate::domain::Task;
use crate::files::FileUrls;
use crate::tasks::view;

/// A response that shows a task.
pub trait ShowsTask {
    /// Returns the response.
    fn of(task: &Task, urls: &FileUrls) -> Self;
}

/// A response that shows a page of tasks.
pub trait ShowsTasks {
    /// Returns the response.
    fn of(tasks: &[Task], urls: &FileUrls) -> Self;
}

impl ShowsTask for common::TaskResponse {
    fn of(task: &Task, urls: &FileUrls) -> Self {
        Self::new(view::task(task, urls))
    }
}

impl ShowsTasks for common::TaskListResponse {
    fn of(tasks: &[Task], urls: &FileUrls) -> Self {
        Self::new(tasks.iter().map(|task| view::task(task, urls)).collect())
    }
}

impl ShowsTask for imagegen::ImagegenTaskResponse {
    fn of(task: &Task, urls: &FileUrls) -> Self {
        Self::new(view::imagegen(task, urls))
    }
}

impl ShowsTasks for imagegen::ImagegenTaskListResponse {
    fn of(tasks: &[Task], urls: &FileUrls) -> Self {
        Self::new(tasks.iter().map(|task| view::imagegen(task, urls)).collect())
    }
}
