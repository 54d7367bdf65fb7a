//! The URL of a database, and why the database can't be reached.
//!
//! The pool retries a refused connection, and reports only that it has waited too long. So the first connection is made
//! without it.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, PgExecutor, Row as _};
use tokio::time::timeout;
use url::Url;

use crate::store::{Error, Result};

/// How long the first connection may take.
const FIRST: Duration = Duration::from_secs(10);

/// Parses the URL of a database.
///
/// A URL without a host may name a user and a port, as for PostgreSQL's own programs.
pub(super) fn parsed(url: &str) -> Result<Url> {
    let url = Url::parse(&without_authority(url)).map_err(|error| Error::DatabaseUrl(error.to_string()))?;
    if url.path().trim_start_matches('/').contains('/') {
        return Err(Error::DatabaseUrl("the name of the database contains `/`".to_owned()));
    }
    Ok(url)
}

/// Moves user, password, hosts and ports of a URL with no host or several ones into its query, because a URL parser refuses
/// them.
fn without_authority(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return url.into() };
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, servers) = authority.rsplit_once('@').unwrap_or(("", authority));
    let has_host = !servers.is_empty() && !servers.starts_with(':');
    if authority.is_empty() || (has_host && !servers.contains(',')) {
        return url.into();
    }
    let of_server = |server| match server {
        // The colons of an address in brackets do not begin a port.
        server if str::ends_with(server, ']') => (server, ""),
        server => server.rsplit_once(':').unwrap_or((server, "")),
    };
    let (hosts, ports): (Vec<&str>, Vec<&str>) = servers.split(',').map(of_server).unzip();
    let (hosts, ports) = (hosts.join(",").replace(['[', ']'], ""), ports.join(","));
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let pairs = [("user", user), ("password", password), ("host", &hosts), ("port", &ports)];
    let pairs = pairs.iter().filter(|(_, value)| !value.trim_matches(',').is_empty());
    let escaped = |value: &str| value.replace('+', "%2B").replace('&', "%26");
    let mut all: Vec<String> = pairs.map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    all.extend(Some(query.to_owned()).filter(|query| !query.is_empty()));
    format!("{scheme}://{path}?{}", all.join("&")).into()
}

/// Returns the settings of connections to each server of this URL.
///
/// A URL names several servers as for PostgreSQL's own programs: one of them accepts writes, the others are its standbys.
pub(in crate::store) fn servers(url: &str) -> Result<Vec<PgConnectOptions>> {
    let mut url = parsed(url)?;
    let (mut hosts, mut ports, mut others) = (None, None, Vec::new());
    for (name, value) in url.query_pairs().into_owned() {
        match name.as_str() {
            "host" => hosts = Some(value),
            "port" => ports = Some(value),
            // The service writes, whatever the URL says.
            "target_session_attrs" if matches!(value.as_str(), "read-write" | "primary") => {}
            "target_session_attrs" => {
                return Err(Error::DatabaseUrl("target_session_attrs is not `read-write`".to_owned()));
            }
            _ => others.push((name, value)),
        }
    }
    let split = |list: Option<String>| -> Vec<Option<String>> {
        let list = list.map(|list| list.split(',').map(|one| Some(one.to_owned())).collect());
        list.unwrap_or_else(|| vec![None])
    };
    let (hosts, ports) = (split(hosts), split(ports));
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err(Error::DatabaseUrl("the number of ports differs from the number of hosts".to_owned()));
    }
    let servers = hosts.into_iter().zip(ports.iter().cycle()).map(|(host, port)| {
        let host = host.map(|host| ("host".to_owned(), host));
        let port = port.clone().filter(|port| !port.is_empty()).map(|port| ("port".to_owned(), port));
        url.set_query(None);
        let pairs: Vec<_> = host.into_iter().chain(port).chain(others.clone()).collect();
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(pairs);
        }
        let options =
            PgConnectOptions::from_url(&url).map_err(|error| Error::DatabaseUrl(error.to_string()))?;
        Ok(options.application_name("asset-service").disable_statement_logging())
    });
    servers.collect()
}

/// Returns the first of these servers that accepts a connection and writes.
///
/// With the id of the stored files, the server must have the database with this id. The servers are tried in their order, so
/// that the servers after the first good one do not receive the password.
pub(in crate::store) async fn primary(
    servers: &[PgConnectOptions],
    files_id: Option<&str>,
) -> Result<PgConnectOptions> {
    let mut failed = None;
    for options in servers {
        match has_database(options, files_id).await {
            Ok(()) => return Ok(options.clone()),
            Err(error) => {
                failed = Some(match failed {
                    None => error,
                    Some(before) => combined(before, error),
                });
            }
        }
    }
    Err(failed.unwrap_or_else(|| Error::DatabaseUrl("it names no server".to_owned())))
}

/// Checks that a server accepts writes, and that it has the database with this id.
async fn has_database(options: &PgConnectOptions, files_id: Option<&str>) -> Result<()> {
    let mut connection = open(options).await?;
    if let Some(wanted) = files_id
        && files_id_of(&mut connection).await?.as_deref() != Some(wanted)
    {
        return Err(Error::Unreachable {
            address: address(options),
            why: "it has another database".to_owned(),
            hint: "name only servers that have copies of one database",
            is_starting: false,
        });
    }
    // The server has responded, which is all that matters.
    let _ = connection.close().await;
    Ok(())
}

/// Returns the id of the stored files that a database knows; `None` before it is determined.
pub(super) async fn files_id_of<'e>(database: impl PgExecutor<'e>) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("SELECT files_id FROM identity").fetch_optional(database).await
}

/// Returns one error for two servers. If one of them may be starting, it is worth another try.
fn combined(one: Error, other: Error) -> Error {
    match (one, other) {
        (
            Error::Unreachable { address: one, why, hint, is_starting },
            Error::Unreachable {
                address: other,
                why: of_other,
                hint: hint_of_other,
                is_starting: other_starts,
            },
        ) => Error::Unreachable {
            address: format!("{one} or {other}"),
            why: if why == of_other { why } else { format!("{why}; {of_other}") },
            hint: if is_starting { hint } else { hint_of_other },
            is_starting: is_starting || other_starts,
        },
        (_, other) => other,
    }
}

/// Connects to the server of this URL that accepts writes.
pub(in crate::store) async fn connect(url: &str) -> Result<PgConnection> {
    open(&primary(&servers(url)?, None).await?).await
}

/// Returns whether the server is a standby, which can't be written.
pub(super) async fn is_standby(connection: &mut PgConnection) -> sqlx::Result<bool> {
    // Without a prepared statement, because a pooler may be in between.
    connection.fetch_one(sqlx::raw_sql("SELECT pg_is_in_recovery()")).await?.try_get(0)
}

/// Connects once, so that the error names the cause.
pub(super) async fn open(options: &PgConnectOptions) -> Result<PgConnection> {
    let unreachable = |why: String, hint, is_starting| Error::Unreachable {
        address: address(options),
        why,
        hint,
        is_starting,
    };
    let opened = async {
        let mut connection = options.connect().await?;
        let is_standby = is_standby(&mut connection).await?;
        Ok::<_, sqlx::Error>((connection, is_standby))
    };
    match timeout(FIRST, opened).await {
        Ok(Ok((connection, false))) => Ok(connection),
        Ok(Ok((_, true))) => {
            let hint = "promote it, or name all servers in the URL: postgres://host1,host2/name";
            Err(unreachable("the server is a standby, which can't be written".to_owned(), hint, true))
        }
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

/// Checks that a connection leads to the same session of PostgreSQL for as long as it exists.
///
/// A pooler may give it to another client after each transaction. Then PostgreSQL's settings of the session, its prepared
/// statements and `LISTEN` would be another client's.
pub(super) async fn has_sessions(options: &PgConnectOptions) -> Result<()> {
    const SESSION: &str = "SELECT pg_backend_pid()";
    let session = async |connection: &mut PgConnection| -> sqlx::Result<i32> {
        connection.fetch_one(sqlx::raw_sql(SESSION)).await?.try_get(0)
    };
    let (mut one, mut other) = (open(options).await?, open(options).await?);
    let before = session(&mut one).await?;
    other.execute(sqlx::raw_sql("BEGIN")).await?;
    let is_shared = session(&mut other).await? == before || session(&mut one).await? != before;
    let _ = (other.close().await, one.close().await);
    if is_shared { Err(Error::SharedSessions) } else { Ok(()) }
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
        // PgBouncer knows few settings of a session.
        sqlx::Error::Database(error) if error.message().contains("startup parameter") => {
            ("set `ignore_startup_parameters = extra_float_digits, options` in PgBouncer", false)
        }
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some("57P03") => ("try again when it has started", true),
            Some("53300") => {
                ("raise its `max_connections`: a process needs one more than `database-connections`", false)
            }
            Some("28000" | "28P01") => ("check user and password", false),
            Some("3D000") => ("create it first, for example with `createdb`", false),
            _ => ("see the log of PostgreSQL", false),
        },
        _ => ("check the URL", false),
    }
}

/// Returns where the database is: never with a password.
pub(super) fn address(options: &PgConnectOptions) -> String {
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

    fn addresses(url: &str) -> String {
        servers(url).unwrap().iter().map(address).collect::<Vec<_>>().join(" | ")
    }

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
            (
                "postgres://me:hush@a.example,b.example:5433/db?target_session_attrs=read-write",
                "a.example:5432 (user `me`, database `db`) | b.example:5433 (user `me`, database `db`)",
            ),
            (
                "postgres://me@[::1]:6432,[::2]/db",
                "[::1]:6432 (user `me`, database `db`) | [::2]:5432 (user `me`, database `db`)",
            ),
            (
                "postgres://me@localhost/db?host=/run/a,/run/b&port=5433",
                "the socket /run/a/.s.PGSQL.5433 (user `me`, database `db`) | \
                 the socket /run/b/.s.PGSQL.5433 (user `me`, database `db`)",
            ),
        ] {
            assert_eq!(addresses(url), expected, "{url}");
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
            ("postgres://me:hush@a,b,c/db?port=1,2", "number of ports"),
            ("postgres://me:hush@a,b/db?target_session_attrs=any", "is not `read-write`"),
        ] {
            let error = servers(url).unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains("hush") && error.contains("?host=/"), "{error}");
        }
    }
}
