//! All operations of the document in one instance, whose settings attach an engine to every family.
//!
//! The page `docs/engines-by-operation.md` lists the engines that served each operation.

mod calls;
mod instance;
mod report;

use toml::Table;

use super::running::Database;
use crate::files::s3::S3;

pub use instance::Instance;
pub use report::{check_models, print};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_reaches_an_engine() {
    let instance = Instance::start(Table::new(), &[], &[]).await;
    report::check_page(&instance.call_all().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_processes_with_separate_folders_serve_every_operation() {
    let Some(database) = Database::Postgres.setting().await else { return };
    let server = S3::start().await;
    let shared = toml::from_str(&format!("files = \"s3://files/a\"\n{database}")).unwrap();
    let instance = Instance::start_three(shared, &server.environment()).await;
    report::check_page(&instance.call_all().await);
    assert_eq!(server.unfinished(), 0);
}
