//! The tables and columns that both databases have, and the values in them.

use sha2::{Digest as _, Sha256};

use super::{ONLY_IN_POSTGRES, TABLES_ONLY_IN_POSTGRES};
use crate::store::{Error, Result};

/// A table with its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The name.
    pub name: String,
    /// The columns.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name.
    pub name: String,
    /// Its content.
    pub kind: Kind,
}

/// The type of a column in PostgreSQL, which is more precise than SQLite's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Integer,
    /// 0 or 1 in SQLite.
    Boolean,
    /// A floating-point number.
    Real,
    /// A text.
    Text,
    /// A byte string.
    Bytes,
    /// A byte string of 16 bytes in SQLite.
    Uuid,
    /// Another type, which [`ONLY_IN_POSTGRES`] lists, or any type in SQLite.
    Other,
}

/// A value in the form that SQLite stores.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A text.
    Text(String),
    /// A byte string.
    Bytes(Vec<u8>),
}

impl Value {
    /// Adds the value to a hash, so that different rows have different inputs.
    pub(super) fn hash(&self, hash: &mut Sha256) {
        let mut add = |tag: u8, bytes: &[u8]| {
            hash.update([tag]);
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        match self {
            Self::Null => add(0, &[]),
            Self::Integer(number) => add(1, &number.to_le_bytes()),
            Self::Real(number) => add(2, &number.to_bits().to_le_bytes()),
            Self::Text(text) => add(3, text.as_bytes()),
            Self::Bytes(bytes) => add(4, bytes),
        }
    }

    /// Returns the text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn integer(&self) -> Option<i64> {
        if let Self::Integer(number) = self { Some(*number) } else { None }
    }

    pub(super) fn real(&self) -> Option<f64> {
        if let Self::Real(number) = self { Some(*number) } else { None }
    }

    pub(super) fn bytes(&self) -> Option<&[u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }
}

/// Returns the tables to copy, in the order of SQLite's, with the columns of both.
///
/// # Errors
/// Fails if a table or a column of one database has no counterpart in the other and is not listed.
pub(super) fn common(sqlite: &[Table], postgres: &[Table]) -> Result<Vec<Table>> {
    for table in postgres {
        let is_listed = TABLES_ONLY_IN_POSTGRES.contains(&table.name.as_str());
        if !is_listed && !sqlite.iter().any(|other| other.name == table.name) {
            return Err(differ(format!("SQLite has no table {}", table.name)));
        }
    }
    sqlite
        .iter()
        .map(|table| {
            let other = postgres.iter().find(|other| other.name == table.name);
            let other = other.ok_or_else(|| differ(format!("PostgreSQL has no table {}", table.name)))?;
            shared(table, other)
        })
        .collect()
}

/// Returns the table with the columns of both, whose types are PostgreSQL's.
fn shared(sqlite: &Table, postgres: &Table) -> Result<Table> {
    for column in &postgres.columns {
        let is_listed =
            ONLY_IN_POSTGRES.iter().any(|(table, name, _)| *table == postgres.name && *name == column.name);
        if !is_listed && !sqlite.columns.iter().any(|other| other.name == column.name) {
            return Err(differ(format!("SQLite has no column {}.{}", postgres.name, column.name)));
        }
    }
    let column = |column: &Column| {
        let other = postgres.columns.iter().find(|other| other.name == column.name);
        other
            .cloned()
            .ok_or_else(|| differ(format!("PostgreSQL has no column {}.{}", sqlite.name, column.name)))
    };
    let columns = sqlite.columns.iter().map(column).collect::<Result<Vec<_>>>()?;
    match columns.iter().find(|column| column.kind == Kind::Other) {
        None => Ok(Table { name: sqlite.name.clone(), columns }),
        Some(column) => Err(differ(format!("the type of {}.{} is unknown", sqlite.name, column.name))),
    }
}

fn differ(why: String) -> Error {
    Error::Transfer(format!("the schemas differ: {why}"))
}
