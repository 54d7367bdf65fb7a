//! API keys in SQLite.

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnection;

use super::Sqlite;
use crate::store::row::{KeyRow, SecretRow, select_keys};
use crate::store::{KeyRecord, Keys, Result, WebhookSecret};
use crate::time::Millis;

#[async_trait]
impl Keys for Sqlite {
    async fn insert_key(&self, key: &KeyRecord, secret: &WebhookSecret) -> Result<bool> {
        let input = (key.clone(), secret.clone());
        self.writer.run(input, |db, (key, secret)| Box::pin(insert(db, key, secret))).await
    }

    async fn key(&self, id: &str) -> Result<Option<KeyRecord>> {
        let row: Option<KeyRow> =
            sqlx::query_as(select_keys!("WHERE id = ?")).bind(id).fetch_optional(&self.readers).await?;
        Ok(row.map(Into::into))
    }

    async fn keys(&self) -> Result<Vec<KeyRecord>> {
        let rows: Vec<KeyRow> =
            sqlx::query_as(select_keys!("ORDER BY created_at, id")).fetch_all(&self.readers).await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn replace_secret(&self, id: &str, secret_hash: &[u8], until: Millis) -> Result<bool> {
        let input = (id.to_owned(), secret_hash.to_vec(), until);
        self.writer.run(input, |db, (id, hash, until)| Box::pin(replace(db, id, hash, *until))).await
    }

    async fn revoke_key(&self, id: &str, now: Millis) -> Result<bool> {
        self.writer.run((id.to_owned(), now), |db, (id, now)| Box::pin(revoke(db, id, *now))).await
    }

    async fn webhook_secrets(&self, key_id: &str, now: Millis) -> Result<Vec<WebhookSecret>> {
        let rows: Vec<SecretRow> = sqlx::query_as(
            "SELECT bytes, created_at, expires_at FROM webhook_secrets
             WHERE key_id = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY seq DESC",
        )
        .bind(key_id)
        .bind(now)
        .fetch_all(&self.readers)
        .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn rotate_webhook_secret(
        &self,
        key_id: &str,
        secret: &WebhookSecret,
        others_expire_at: Millis,
    ) -> Result<()> {
        let input = (key_id.to_owned(), secret.clone(), others_expire_at);
        self.writer
            .run(input, |db, (key_id, secret, until)| Box::pin(rotate(db, key_id, secret, *until)))
            .await
    }
}

async fn insert(db: &mut SqliteConnection, key: &KeyRecord, secret: &WebhookSecret) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO keys (id, name, secret_hash, enterprise, tier, created_at, expires_at, revoked_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
    )
    .bind(&key.id)
    .bind(&key.name)
    .bind(&key.secret_hash)
    .bind(key.enterprise)
    .bind(&key.tier)
    .bind(key.created_at)
    .bind(key.expires_at)
    .bind(key.revoked_at)
    .execute(&mut *db)
    .await?;
    let new = inserted.rows_affected() == 1;
    if new {
        add_secret(db, &key.id, secret).await?;
    }
    Ok(new)
}

async fn replace(db: &mut SqliteConnection, id: &str, hash: &[u8], until: Millis) -> Result<bool> {
    let kept = sqlx::query(
        "INSERT INTO replaced_secrets (key_id, hash, until)
         SELECT id, secret_hash, ? FROM keys WHERE id = ? AND revoked_at IS NULL
         ON CONFLICT (key_id) DO UPDATE SET hash = excluded.hash, until = excluded.until",
    )
    .bind(until)
    .bind(id)
    .execute(&mut *db)
    .await?;
    if kept.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query("UPDATE keys SET secret_hash = ? WHERE id = ?").bind(hash).bind(id).execute(db).await?;
    Ok(true)
}

async fn revoke(db: &mut SqliteConnection, id: &str, now: Millis) -> Result<bool> {
    let revoked = sqlx::query("UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL")
        .bind(now)
        .bind(id)
        .execute(db)
        .await?;
    Ok(revoked.rows_affected() == 1)
}

async fn rotate(
    db: &mut SqliteConnection,
    key_id: &str,
    secret: &WebhookSecret,
    until: Millis,
) -> Result<()> {
    sqlx::query(
        "UPDATE webhook_secrets SET expires_at = min(coalesce(expires_at, ?1), ?1) WHERE key_id = ?2",
    )
    .bind(until)
    .bind(key_id)
    .execute(&mut *db)
    .await?;
    add_secret(db, key_id, secret).await
}

async fn add_secret(db: &mut SqliteConnection, key_id: &str, secret: &WebhookSecret) -> Result<()> {
    sqlx::query("INSERT INTO webhook_secrets (key_id, bytes, created_at, expires_at) VALUES (?, ?, ?, ?)")
        .bind(key_id)
        .bind(&secret.bytes)
        .bind(secret.created_at)
        .bind(secret.expires_at)
        .execute(db)
        .await?;
    Ok(())
}
