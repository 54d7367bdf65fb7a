//! The shape of a schema, and what a process of the previous release can't live with.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{Connection as _, PgConnection, SqliteConnection};

/// The parts of all tables: columns, constraints, indexes, triggers and applied migrations, each with its definition.
pub type Shape = BTreeMap<(String, String), String>;

const SQLITE: &str = r#"
    SELECT tables.name, 'column ' || columns.name, columns.type || CASE
        WHEN columns."notnull" AND columns.dflt_value IS NULL AND NOT columns.pk THEN ', without a default'
        WHEN columns."notnull" THEN ', never null' ELSE '' END
    FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'
    UNION ALL SELECT name, 'constraint CHECK', ((length(sql) - length(replace(sql, 'CHECK', ''))) / 5) || ' times'
    FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%CHECK%'
    UNION ALL SELECT tables.name, 'constraint of ' || keys."from",
        'REFERENCES ' || keys."table" || '(' || coalesce(keys."to", '') || ') ON DELETE ' || keys.on_delete
    FROM sqlite_schema AS tables JOIN pragma_foreign_key_list(tables.name) AS keys WHERE tables.type = 'table'
    UNION ALL SELECT tables.name, iif(indexes."unique", 'unique index ', 'index ') || indexes.name,
        coalesce((SELECT sql FROM sqlite_schema WHERE name = indexes.name),
            (SELECT group_concat(coalesce(name, '')) FROM pragma_index_info(indexes.name)))
    FROM sqlite_schema AS tables JOIN pragma_index_list(tables.name) AS indexes WHERE tables.type = 'table'
    UNION ALL SELECT tbl_name, 'trigger ' || name, sql FROM sqlite_schema WHERE type = 'trigger'
    UNION ALL SELECT '_sqlx_migrations', 'version ' || version, '' FROM _sqlx_migrations"#;

const POSTGRES: &str = "
    WITH tables AS (
        SELECT oid, relname::text AS name FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    )
    SELECT name, 'column ' || attname, format_type(atttypid, atttypmod) || CASE
        WHEN attnotnull AND NOT atthasdef AND attidentity = '' THEN ', without a default'
        WHEN attnotnull THEN ', never null' ELSE '' END
    FROM tables JOIN pg_attribute ON attrelid = tables.oid WHERE attnum > 0 AND NOT attisdropped
    UNION ALL SELECT name, 'constraint ' || conname, pg_get_constraintdef(pg_constraint.oid)
    FROM tables JOIN pg_constraint ON conrelid = tables.oid WHERE contype <> 'n'
    UNION ALL SELECT name, CASE WHEN indisunique THEN 'unique index ' ELSE 'index ' END || relname,
        pg_get_indexdef(indexrelid)
    FROM tables JOIN pg_index ON indrelid = tables.oid JOIN pg_class ON pg_class.oid = indexrelid
    UNION ALL SELECT name, 'trigger ' || tgname, pg_get_triggerdef(pg_trigger.oid)
    FROM tables JOIN pg_trigger ON tgrelid = tables.oid WHERE NOT tgisinternal
    UNION ALL SELECT '_sqlx_migrations', 'version ' || version, '' FROM _sqlx_migrations";

/// Reads the shape of the database at this URL.
pub async fn shape(url: &str) -> Shape {
    shape_after(url, "").await.expect("a schema")
}

/// Reads what the shape would be after a change; the change is not kept.
pub async fn shape_after(url: &str, change: &'static str) -> sqlx::Result<Shape> {
    let parts: Vec<(String, String, String)> = if url.starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(url).await?;
        let mut transaction = connection.begin().await?;
        sqlx::raw_sql(change).execute(&mut *transaction).await?;
        sqlx::query_as(SQLITE).fetch_all(&mut *transaction).await?
    } else {
        let mut connection = PgConnection::connect(url).await?;
        let mut transaction = connection.begin().await?;
        sqlx::raw_sql(change).execute(&mut *transaction).await?;
        sqlx::query_as(POSTGRES).fetch_all(&mut *transaction).await?
    };
    Ok(parts.into_iter().map(|(table, part, definition)| ((table, part), definition)).collect())
}

/// Returns the changes that statements of the previous release may fail at.
///
/// Whatever it uses must stay as it is, its inserts must not miss a value, and nothing new may refuse its writes. Plain
/// indexes and columns that may be left out are harmless, and so are new tables.
pub fn breaking_changes(before: &Shape, now: &Shape) -> BTreeSet<String> {
    let is_old = |table: &str| before.keys().any(|(known, _)| known == table);
    let mut breaks = BTreeSet::new();
    for ((table, part), definition) in before {
        match now.get(&(table.clone(), part.clone())) {
            None => breaks.insert(format!("{table}: removes {part}")),
            Some(new) => new != definition && breaks.insert(format!("{table}: changes {part}")),
        };
    }
    for ((table, part), definition) in now {
        if before.contains_key(&(table.clone(), part.clone())) {
            continue;
        }
        let is_refusing = if is_old(table) {
            ["constraint ", "unique index ", "trigger "].iter().any(|kind| part.starts_with(kind))
                || definition.ends_with(", without a default")
        } else {
            // A row of a new table must not keep the previous release from deleting its own.
            definition.contains("REFERENCES ")
                && !["CASCADE", "SET NULL"]
                    .iter()
                    .any(|kind| definition.contains(&format!("ON DELETE {kind}")))
        };
        if is_refusing {
            breaks.insert(format!("{table}: adds {part}"));
        }
    }
    breaks
}
