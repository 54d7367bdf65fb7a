//! All operations of the document in one instance, whose settings attach an engine to every family.
//!
//! The page `docs/engines-by-operation.md` lists the engines that served each operation.

mod calls;
mod instance;
mod report;

use toml::Table;

pub use instance::Instance;
pub use report::{check_models, print};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_reaches_an_engine() {
    let instance = Instance::start(Table::new(), &[]).await;
    report::check_page(&instance.call_all().await);
}
