//! Backups by PostgreSQL's own programs, `pg_dump` and `pg_restore`.

use std::io::ErrorKind;
use std::path::Path;

use sqlx::Connection as _;
use tokio::process::Command;

use super::reach;
use crate::store::{Error, Result};

/// Copies the database into a file, as of one moment.
pub(in crate::store) async fn dump(url: &str, file: &Path) -> Result<()> {
    let mut command = program("pg_dump", url)?;
    command.args(["--format=custom", "--no-owner", "--no-privileges", "--file"]).arg(file);
    run("pg_dump", command).await
}

/// Restores a copy into an empty database.
pub(in crate::store) async fn restore(url: &str, file: &Path) -> Result<()> {
    let mut connection = reach::connect(&reach::options(url)?).await?;
    let is_empty: bool = sqlx::query_scalar(
        "SELECT NOT EXISTS (SELECT FROM information_schema.tables WHERE table_schema = current_schema())",
    )
    .fetch_one(&mut connection)
    .await?;
    connection.close().await?;
    if !is_empty {
        return Err(Error::NotEmpty);
    }
    let mut command = program("pg_restore", url)?;
    command.args(["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]);
    // `pg_restore` writes SQL to stdout unless it is given a database; the environment has the rest.
    command.arg("--dbname").arg(database(url)?).arg(file);
    run("pg_restore", command).await
}

/// Returns a command that connects to this database.
///
/// The environment has the password: other users of the machine can read the arguments of a program.
fn program(name: &'static str, url: &str) -> Result<Command> {
    let parsed = reach::parsed(url)?;
    let mut command = Command::new(name);
    command.env("PGDATABASE", database(url)?);
    if let Some(host) = parsed.host_str().filter(|host| !host.is_empty()) {
        command.env("PGHOST", decoded(host).trim_matches(['[', ']']));
    }
    if let Some(port) = parsed.port() {
        command.env("PGPORT", port.to_string());
    }
    if !parsed.username().is_empty() {
        command.env("PGUSER", decoded(parsed.username()));
    }
    if let Some(password) = parsed.password() {
        command.env("PGPASSWORD", decoded(password));
    }
    for (name, value) in parsed.query_pairs() {
        let variable = match &*name {
            "host" => "PGHOST",
            "port" => "PGPORT",
            "user" => "PGUSER",
            "password" => "PGPASSWORD",
            "dbname" => "PGDATABASE",
            "sslmode" => "PGSSLMODE",
            "sslrootcert" => "PGSSLROOTCERT",
            "sslcert" => "PGSSLCERT",
            "sslkey" => "PGSSLKEY",
            "options" => "PGOPTIONS",
            _ => continue,
        };
        command.env(variable, &*value);
    }
    Ok(command)
}

/// Returns the name of the database in a URL.
fn database(url: &str) -> Result<String> {
    let parsed = reach::parsed(url)?;
    let named = parsed.query_pairs().find(|(name, _)| name == "dbname").map(|(_, name)| name.into_owned());
    Ok(named.unwrap_or_else(|| decoded(parsed.path().trim_start_matches('/'))))
}

/// Decodes percent-encoded text.
fn decoded(text: &str) -> String {
    let pair = format!("a={}", text.replace('+', "%2B"));
    url::form_urlencoded::parse(pair.as_bytes()).map(|(_, value)| value.into_owned()).collect()
}

async fn run(program: &'static str, mut command: Command) -> Result<()> {
    let tool = |why: String| Error::Tool { program, why };
    match command.output().await {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(tool(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(tool("it is not on PATH".to_owned())),
        Err(error) => Err(tool(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_environment_says_where_the_database_is() {
        let url = "postgres://me%40here:p%2Bw@db.example.com:5433/as%20sets?sslmode=require&host=/run/pg";
        let command = program("pg_dump", url).unwrap();
        let environment: BTreeMap<_, _> = command
            .as_std()
            .get_envs()
            .map(|(name, value)| (name.to_str().unwrap(), value.and_then(|value| value.to_str()).unwrap()))
            .collect();
        let expected = [
            ("PGDATABASE", "as sets"),
            ("PGHOST", "/run/pg"),
            ("PGPASSWORD", "p+w"),
            ("PGPORT", "5433"),
            ("PGSSLMODE", "require"),
            ("PGUSER", "me@here"),
        ];
        assert_eq!(environment, BTreeMap::from(expected));
        assert_eq!(command.as_std().get_args().count(), 0, "arguments are public");
    }
}
