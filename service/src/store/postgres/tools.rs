//! Backups by PostgreSQL's own programs, `pg_dump` and `pg_restore`.

use std::io::{BufRead, BufReader, ErrorKind, Read as _};
use std::path::Path;
use std::process::Stdio;

use sqlx::Connection as _;
use tokio::process::Command;

use super::reach;
use crate::store::transfer::Each;
use crate::store::{Error, Result};

/// Writes a consistent snapshot of the database to a file.
pub(in crate::store) async fn dump(url: &str, file: &Path) -> Result<()> {
    let mut command = program("pg_dump", url)?;
    command.args(["--format=custom", "--no-owner", "--no-privileges", "--file"]).arg(file);
    run("pg_dump", command).await
}

/// Returns whether the database has no tables.
pub(in crate::store) async fn is_empty(url: &str) -> Result<bool> {
    let mut connection = reach::connect(url).await?;
    let is_empty = sqlx::query_scalar(
        "SELECT NOT EXISTS (SELECT FROM information_schema.tables WHERE table_schema = current_schema())",
    )
    .fetch_one(&mut connection)
    .await?;
    connection.close().await?;
    Ok(is_empty)
}

/// Restores a copy into an empty database.
pub(in crate::store) async fn restore(url: &str, file: &Path) -> Result<()> {
    let mut command = program("pg_restore", url)?;
    command.args(["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]);
    // Without the name of a database, `pg_restore` writes SQL to stdout. The environment contains the other settings.
    command.arg("--dbname").arg(database(url)?).arg(file);
    run("pg_restore", command).await
}

/// Reads the rows of these tables from a copy. No database is needed.
///
/// `pg_restore` reads the whole copy, and fails if the copy is damaged.
pub(in crate::store) async fn scan(file: &Path, tables: &[&str], each: Each<'_>) -> Result<()> {
    const PROGRAM: &str = "pg_restore";
    let mut listing = Command::new(PROGRAM);
    listing.arg("--list").arg(file);
    run(PROGRAM, listing).await?;
    let mut command = std::process::Command::new(PROGRAM);
    command.arg("--data-only").args(tables.iter().map(|table| format!("--table={table}")));
    command.arg("--file=-").arg(file).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: std::io::Error| Error::Tool { program: PROGRAM, why: error.to_string() };
    // This blocks the thread: the commands that scan a copy do nothing else at the same time.
    let mut child = command.spawn().map_err(failed)?;
    // `pg_restore` blocks if nothing reads its warnings, so another thread reads them.
    let warnings = child.stderr.take().map(|mut warnings| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = warnings.read_to_end(&mut text);
            text
        })
    });
    if let Some(output) = child.stdout.take() {
        copied_rows(&mut BufReader::new(output), each).map_err(failed)?;
    }
    if child.wait().map_err(failed)?.success() {
        return Ok(());
    }
    let warnings = warnings.and_then(|reading| reading.join().ok()).unwrap_or_default();
    Err(Error::Tool { program: PROGRAM, why: String::from_utf8_lossy(&warnings).trim().to_owned() })
}

/// Reads the rows in the output of `pg_restore`: `COPY name (column, …) FROM stdin;`, then a line for each row.
fn copied_rows(lines: &mut impl BufRead, each: Each<'_>) -> std::io::Result<()> {
    let (mut line, mut table) = (String::new(), None::<(String, Vec<String>)>);
    while lines.read_line(&mut line)? > 0 {
        let text = line.trim_end_matches(['\r', '\n']);
        match &table {
            None => table = copied_table(text),
            Some(_) if text == r"\." => table = None,
            Some((name, columns)) => {
                let values: Vec<&str> = text.split('\t').collect();
                each(name, &|name| {
                    let index = columns.iter().position(|column| column == name)?;
                    unescaped(values.get(index)?)
                });
            }
        }
        line.clear();
    }
    Ok(())
}

/// Returns the table and the columns that a line `COPY …` names.
fn copied_table(line: &str) -> Option<(String, Vec<String>)> {
    let (name, columns) = line.strip_prefix("COPY ")?.strip_suffix(") FROM stdin;")?.split_once(" (")?;
    let plain = |name: &str| name.trim_matches('"').to_owned();
    let name = name.rsplit('.').next().unwrap_or(name);
    Some((plain(name), columns.split(", ").map(plain).collect()))
}

/// Decodes a value of `COPY`. Returns `None` if it is NULL.
fn unescaped(value: &str) -> Option<String> {
    if value == r"\N" {
        return None;
    }
    let (mut text, mut rest) = (String::with_capacity(value.len()), value.chars());
    while let Some(letter) = rest.next() {
        text.push(match letter {
            '\\' => match rest.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                other => other,
            },
            other => other,
        });
    }
    Some(text)
}

/// Returns a command that connects to this database.
///
/// The environment contains the password, because other users of the machine can read the arguments of a program.
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
    // If the URL names several servers, the program connects to the one that accepts writes.
    command.env("PGTARGETSESSIONATTRS", "read-write");
    for (name, value) in parsed.query_pairs() {
        let variable = match &*name {
            "host" => "PGHOST",
            "hostaddr" => "PGHOSTADDR",
            "port" => "PGPORT",
            "user" => "PGUSER",
            "password" => "PGPASSWORD",
            "dbname" => "PGDATABASE",
            // sqlx accepts several names.
            "sslmode" | "ssl-mode" => "PGSSLMODE",
            "sslrootcert" | "ssl-root-cert" | "ssl-ca" => "PGSSLROOTCERT",
            "sslcert" | "ssl-cert" => "PGSSLCERT",
            "sslkey" | "ssl-key" => "PGSSLKEY",
            "options" => "PGOPTIONS",
            "target_session_attrs" => "PGTARGETSESSIONATTRS",
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
    fn rows_of_a_copy_are_read() {
        let text = "SET x;\nCOPY public.tasks (id, \"work\", error) FROM stdin;\n1\ta\\tb\\\\\\n\t\\N\n\\.\n\nCOPY other (id) FROM \
                    stdin;\n2\n\\.\n";
        let mut rows = Vec::new();
        copied_rows(&mut text.as_bytes(), &mut |table, row| {
            rows.push((table.to_owned(), row("id"), row("work"), row("error"), row("none")));
        })
        .unwrap();
        let (one, two) = (Some("1".to_owned()), Some("2".to_owned()));
        let work = Some("a\tb\\\n".to_owned());
        assert_eq!(
            rows,
            [("tasks".to_owned(), one, work, None, None), ("other".to_owned(), two, None, None, None)]
        );
    }

    #[test]
    fn all_names_of_parameters_reach_the_environment() {
        for (name, variable) in [
            ("ssl-mode", "PGSSLMODE"),
            ("ssl-ca", "PGSSLROOTCERT"),
            ("ssl-root-cert", "PGSSLROOTCERT"),
            ("ssl-cert", "PGSSLCERT"),
            ("ssl-key", "PGSSLKEY"),
            ("hostaddr", "PGHOSTADDR"),
        ] {
            let command = program("pg_dump", &format!("postgres://db.example.com/assets?{name}=x")).unwrap();
            let mut environment = command.as_std().get_envs();
            let set = environment.find(|(name, _)| *name == variable).and_then(|(_, value)| value);
            assert_eq!(set.and_then(|value| value.to_str()), Some("x"), "{name}");
        }
    }

    #[test]
    fn the_environment_sets_the_database() {
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
            ("PGTARGETSESSIONATTRS", "read-write"),
            ("PGUSER", "me@here"),
        ];
        assert_eq!(environment, BTreeMap::from(expected));
        assert_eq!(command.as_std().get_args().count(), 0, "arguments are public");
    }
}
