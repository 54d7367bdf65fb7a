//! The responses that show tasks.

use asset_api_server::models::{common, imagegen};

use crate::domain::Task;
use crate::files::FileUrls;
use crate::tasks::view;

/// A response that shows a task, or a page of tasks.
pub trait Shows<T: ?Sized> {
    /// Returns the response.
    fn of(shown: &T, urls: &FileUrls) -> Self;
}

impl Shows<Task> for common::TaskResponse {
    fn of(task: &Task, urls: &FileUrls) -> Self {
        Self::new(view::task(task, urls))
    }
}

impl Shows<[Task]> for common::TaskListResponse {
    fn of(tasks: &[Task], urls: &FileUrls) -> Self {
        Self::new(tasks.iter().map(|task| view::task(task, urls)).collect())
    }
}

impl Shows<Task> for imagegen::ImagegenTaskResponse {
    fn of(task: &Task, urls: &FileUrls) -> Self {
        Self::new(view::imagegen(task, urls))
    }
}

impl Shows<[Task]> for imagegen::ImagegenTaskListResponse {
    fn of(tasks: &[Task], urls: &FileUrls) -> Self {
        Self::new(tasks.iter().map(|task| view::imagegen(task, urls)).collect())
    }
}
