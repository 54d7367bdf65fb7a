//! Reads the rows of some tables, of a database or of a backup's copy of one.

use std::path::Path;

use super::postgres::Postgres;
use super::sqlite::{Rows, Sqlite};
use super::{Kind, Table, Value};
use crate::store::{Error, POSTGRES_COPY, Result, SQLITE_COPY};

/// The values of a row by the names of its columns, as text; `None` is NULL.
pub type Row<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The function that gets each row of a table.
pub type Each<'a> = &'a mut (dyn FnMut(&str, Row<'_>) + Send);

/// The rows that are read at a time.
const BATCH: usize = 500;

/// Reads the rows of these tables of a database.
///
/// # Errors
/// Fails if the database can't be read.
pub async fn scan(database_url: Option<&str>, data_dir: &Path, names: &[&str], each: Each<'_>) -> Result<()> {
    if let Some(url) = database_url {
        let mut database = Postgres::open(url).await?;
        let mut tables = database.tables().await?;
        for table in tables.iter_mut().filter(|table| names.contains(&table.name.as_str())) {
            table.columns.retain(|column| column.kind != Kind::Other);
            read(database.rows(table), table, each).await?;
        }
        return Ok(());
    }
    scan_file(Sqlite::open(&data_dir.join(SQLITE_COPY)).await?, names, each).await
}

/// Checks that a backup's copy of a database is intact, and reads the rows of these tables of it.
///
/// # Errors
/// Fails if the folder has no copy, if the copy is damaged, or if `pg_restore` is missing.
pub async fn scan_copy(folder: &Path, names: &[&str], each: Each<'_>) -> Result<()> {
    let (file, dump) = (folder.join(SQLITE_COPY), folder.join(POSTGRES_COPY));
    if dump.is_file() {
        return crate::store::postgres::tools::scan(&dump, names, each).await;
    }
    if !file.is_file() {
        return Err(Error::NoCopy(file.display().to_string()));
    }
    let mut copy = Sqlite::open_copy(&file).await?;
    copy.is_intact().await?;
    scan_file(copy, names, each).await
}

async fn scan_file(mut database: Sqlite, names: &[&str], each: Each<'_>) -> Result<()> {
    for table in database.tables().await?.iter().filter(|table| names.contains(&table.name.as_str())) {
        read(database.rows(table), table, each).await?;
    }
    database.close().await
}

async fn read(mut rows: Rows<'_>, table: &Table, each: Each<'_>) -> Result<()> {
    while let Some(batch) = rows.next(BATCH).await? {
        for row in batch {
            each(&table.name, &|name| {
                let index = table.columns.iter().position(|column| column.name == name)?;
                match row.get(index)? {
                    Value::Text(text) => Some(text.clone()),
                    Value::Integer(number) => Some(number.to_string()),
                    Value::Null | Value::Real(_) | Value::Bytes(_) => None,
                }
            });
        }
    }
    Ok(())
}
