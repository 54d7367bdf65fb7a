//! `migrate`: the schema of the database, or all rows into a database of the other kind.

use std::path::Path;

use clap::Args;
use serde_json::json;

use super::{CommandError, Instance, lock, output, refuse_interrupted_restore};
use crate::files::{Files, random_folder};
use crate::settings::Settings;
use crate::store::transfer::Copied;
use crate::store::{self, SQLITE_COPY, Versions, transfer};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Instead, copy all rows into this empty database of the other kind, while no `serve` runs
    ///
    /// From the embedded database, it is a PostgreSQL URL. From PostgreSQL, it is the data folder for the embedded
    /// database. The stored files stay where they are.
    #[arg(long, value_name = "URL OR FOLDER")]
    to: Option<String>,
}

pub(super) async fn run(instance: &Instance, arguments: &Arguments) -> Result<(), CommandError> {
    let settings = instance.settings()?;
    if let Some(to) = &arguments.to {
        return transfer(instance, &settings, to).await;
    }
    let _lock = instance.lock_embedded(&settings)?;
    let Versions { before, now } =
        store::migrate(instance.database_url(&settings), &instance.data_dir).await?;
    let text = match before {
        None => format!("created the schema, version {now}"),
        Some(before) if before == now => format!("the schema has version {now} already"),
        Some(before) => format!("migrated the schema from version {before} to {now}"),
    };
    output::result(text, &json!({"before": before, "now": now}))
}

async fn transfer(instance: &Instance, settings: &Settings, to: &str) -> Result<(), CommandError> {
    let progress = output::Progress::new();
    let report = |table: &str, rows: u64| progress.report(|| format!("{table}: copied {rows} rows so far"));
    let is_url = to.starts_with("postgres://") || to.starts_with("postgresql://");
    let path = Settings::path(instance.config.as_deref(), &instance.data_dir);
    match instance.database_url(settings) {
        None if is_url => {
            let _lock = lock(&instance.data_dir)?;
            let files = Files::local(&instance.data_dir.join("files"))?;
            let id = files.set_id(&random_folder()).await?;
            let file = instance.data_dir.join(SQLITE_COPY);
            let copied = transfer::to_postgres(&file, to, Some(&id), &report).await?;
            output::line(format_args!("copied {} rows to PostgreSQL and compared them", copied.rows))?;
            print_if_quiesced(copied);
            output::line(format_args!("set `database-url` to that URL in {}, then start `serve`", path.display()))?;
            output::line(format_args!("{} stays as it is, quiesced; delete it when all works", file.display()))
        }
        Some(url) if !is_url => {
            let folder = Path::new(to);
            refuse_interrupted_restore(folder)?;
            crate::private::folder(folder)
                .map_err(CommandError::io(format!("can't create the folder {}", folder.display())))?;
            let _lock = lock(folder)?;
            let file = folder.join(SQLITE_COPY);
            let copied = transfer::to_sqlite(url, &file, &report).await?;
            output::line(format_args!("copied {} rows to {} and compared them", copied.rows, file.display()))?;
            print_if_quiesced(copied);
            output::line(format_args!(
                "remove `database-url` from {}, then start `serve` on the data folder with the same `files`",
                path.display()
            ))?;
            output::line("the PostgreSQL database stays as it is, quiesced; delete it when all works")
        }
        None => Err(CommandError::Refused(format!(
            "the database is the embedded one already; --to takes the URL of an empty PostgreSQL database, not `{to}`"
        ))),
        Some(_) => Err(CommandError::Refused(
            "the database is PostgreSQL already; --to takes a data folder for the embedded database. `pg_dump` copies to \
             another PostgreSQL"
                .to_owned(),
        )),
    }
}

fn print_if_quiesced(copied: Copied) {
    if copied.is_quiesced {
        output::note("warning: the source was quiesced, so the copy is, too: `resume` lets it work");
    }
}
