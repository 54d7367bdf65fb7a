//! `queues`: lists the open tasks of each family, and pauses families.

use asset_admin_server::models::common::Queue;
use asset_api_models::types::Timestamp;
use clap::Subcommand;

use super::output::{self, Align, Column};
use super::{CommandError, Instance};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the families that have waiting or running tasks, or are paused
    List,
    /// Stop starting tasks that need engines of a family, in all processes
    ///
    /// Tasks are still accepted, and wait; those in progress continue. Waiting tasks fail after `retention.waiting-days`.
    ///
    /// Example: asset-service queues pause voiceover
    Pause {
        /// Pause this family; `engines list` shows the names
        family: String,
    },
    /// Start the tasks of a paused family again
    Resume {
        /// Resume this family
        family: String,
    },
}

fn since(at: Option<Timestamp>) -> String {
    at.map(|at| at.to_string()).unwrap_or_default()
}

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    let admin = instance.admin().await?;
    match command {
        Command::List => {
            let columns: &[Column<Queue>] = &[
                ("family", Align::Left, |queue| queue.family.clone()),
                ("waiting", Align::Right, |queue| queue.waiting.to_string()),
                ("oldest waiting", Align::Left, |queue| since(queue.oldest_waiting)),
                ("running", Align::Right, |queue| queue.running.to_string()),
                ("oldest running", Align::Left, |queue| since(queue.oldest_running)),
                ("state", Align::Left, |queue| if queue.paused { "paused" } else { "" }.to_owned()),
            ];
            output::table(columns, &admin.queues().await?)
        }
        Command::Pause { family } => {
            admin.pause(&family).await?;
            output::line(format_args!(
                "{family} is paused; all processes stop starting its tasks within two seconds"
            ))
        }
        Command::Resume { family } => {
            admin.resume(&family).await?;
            output::line(format_args!("{family} is not paused"))
        }
    }
}
