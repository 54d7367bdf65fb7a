//! The URL of a database, and why the database can't be reached.
//!
//! The pool retries a refused connection, and reports only that it has waited too long. So the first connection is made
//! without it.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::timeout;
use url::Url;

use crate::store::{Error, Result};

/// How long the first connection may take.
const FIRST: Duration = Duration::from_secs(10);

/// Parses the URL of a database.
///
/// A URL without a host may name a user and a port, as for PostgreSQL's own programs.
pub(super) fn parsed(url: &str) -> Result<Url> {
    let invalid = |why: String| Error::DatabaseUrl { why };
    let url = Url::parse(&without_authority(url)).map_err(|error| invalid(error.to_string()))?;
    if url.path().trim_start_matches('/').contains('/') {
        return Err(invalid("the name of the database contains `/`".to_owned()));
    }
    Ok(url)
}

/// Moves user, password and port of a URL without a host into its query, because a URL parser refuses them.
fn without_authority(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return url.into() };
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let Some((user, host)) = authority.rsplit_once('@') else { return url.into() };
    let Some(port) = (if host.is_empty() { Some("") } else { host.strip_prefix(':') }) else {
        return url.into();
    };
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let pairs = [("user", user), ("password", password), ("port", port)];
    let pairs = pairs.iter().filter(|(_, value)| !value.is_empty());
    let escaped = |value: &str| value.replace('+', "%2B").replace('&', "%26");
    let mut all: Vec<String> = pairs.map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    all.extend(Some(query.to_owned()).filter(|query| !query.is_empty()));
    format!("{scheme}://{path}?{}", all.join("&")).into()
}

/// Returns the settings of connections to this database.
pub(in crate::store) fn options(url: &str) -> Result<PgConnectOptions> {
    let options = PgConnectOptions::from_url(&parsed(url)?);
    let options = options.map_err(|error| Error::DatabaseUrl { why: error.to_string() })?;
    Ok(options.application_name("asset-service").disable_statement_logging())
}

/// Connects once, so that the error names the cause.
pub(in crate::store) async fn connect(options: &PgConnectOptions) -> Result<PgConnection> {
    let unreachable = |why: String, hint, is_starting| Error::Unreachable {
        address: address(options),
        why,
        hint,
        is_starting,
    };
    match timeout(FIRST, options.connect()).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => {
            let (hint, is_starting) = advice(&error);
            let why = match &error {
                sqlx::Error::Io(error) => error.to_string(),
                sqlx::Error::Database(error) => error.message().to_owned(),
                error => error.to_string(),
            };
            Err(unreachable(why, hint, is_starting))
        }
        Err(_) => {
            let why = format!("no response in {} seconds", FIRST.as_secs());
            Err(unreachable(why, "check its host and port, and firewalls between", false))
        }
    }
}

/// Connects and closes the connection.
pub(super) async fn check(options: &PgConnectOptions) -> Result<()> {
    let connection = connect(options).await?;
    // The server has responded, which is all that matters.
    let _ = connection.close().await;
    Ok(())
}

/// Returns what to do about an error, and whether the database may be starting.
fn advice(error: &sqlx::Error) -> (&'static str, bool) {
    match error {
        sqlx::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => {
            ("check that it runs there, and its host and port", true)
        }
        sqlx::Error::Io(error) if error.kind() == ErrorKind::NotFound => {
            ("check that it runs, and the folder of its socket and its port", true)
        }
        sqlx::Error::Io(_) => ("check its host and port", false),
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some("57P03") => ("try again when it has started", true),
            Some("53300") => ("raise its `max_connections`: a process needs 17", false),
            Some("28000" | "28P01") => ("check user and password", false),
            Some("3D000") => ("create it first, for example with `createdb`", false),
            _ => ("see the log of PostgreSQL", false),
        },
        _ => ("check the URL", false),
    }
}

/// Returns where the database is: never with a password.
fn address(options: &PgConnectOptions) -> String {
    let (host, port) = (options.get_host(), options.get_port());
    let server = match options.get_socket() {
        Some(folder) => format!("the socket {}/.s.PGSQL.{port}", folder.display()),
        None if host.starts_with('/') => format!("the socket {host}/.s.PGSQL.{port}"),
        None if host.contains(':') && !host.starts_with('[') => format!("[{host}]:{port}"),
        None => format!("{host}:{port}"),
    };
    let user = options.get_username();
    format!("{server} (user `{user}`, database `{}`)", options.get_database().unwrap_or(user))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_may_name_a_socket_in_each_way_of_postgresql() {
        let socket = "the socket /run/pg/.s.PGSQL.5432 (user `me`, database `db`)";
        for (url, expected) in [
            ("postgres://me@%2Frun%2Fpg/db", socket),
            (
                "postgres://me@%2Frun%2Fpg:5433/db",
                "the socket /run/pg/.s.PGSQL.5433 (user `me`, database `db`)",
            ),
            ("postgres:///db?host=/run/pg&user=me", socket),
            ("postgres://me@/db?host=/run/pg", socket),
            ("postgresql://me:a%2Bb@/db?host=%2Frun%2Fpg", socket),
            (
                "postgres://me@:5433/db?host=/run/pg",
                "the socket /run/pg/.s.PGSQL.5433 (user `me`, database `db`)",
            ),
            ("postgres://me@localhost/db?host=/run/pg", socket),
            ("postgres://me:hush@db.example:5433/assets", "db.example:5433 (user `me`, database `assets`)"),
            ("postgres://me@[::1]:5433/db", "[::1]:5433 (user `me`, database `db`)"),
        ] {
            assert_eq!(address(&options(url).unwrap()), expected, "{url}");
        }
        assert_eq!(without_authority("postgres://me:p+&w@/db"), "postgres:///db?user=me&password=p%2B%26w");
        assert_eq!(without_authority("postgres:///db"), "postgres:///db");
    }

    #[test]
    fn an_invalid_url_is_explained_without_its_password() {
        for (url, why) in [
            ("postgres://me:hush@/var/run/postgresql/db", "contains `/`"),
            ("postgres://me:hush@host:port/db", "invalid port number"),
            ("postgres://me:hush@host/db?sslmode=maybe", "maybe"),
        ] {
            let error = options(url).unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains("hush") && error.contains("?host=/"), "{error}");
        }
    }
}
