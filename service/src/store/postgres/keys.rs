//! API keys in PostgreSQL.

use async_trait::async_trait;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use super::{Postgres, changed};
use crate::store::row::{KeyRow, SecretRow, select_keys};
use crate::store::{KeyRecord, Keys, Result, WebhookSecret};
use crate::time::Millis;

#[async_trait]
impl Keys for Postgres {
    async fn insert_key(&self, key: &KeyRecord, secret: &WebhookSecret) -> Result<bool> {
        self.pool
            .within(async {
                let mut connection = self.pool.acquire().await?;
                let mut transaction = connection.begin().await?;
                let inserted = sqlx::query(
            "INSERT INTO keys (id, name, secret_hash, enterprise, tier, created_at, expires_at, revoked_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING",
        )
        .bind(&key.id)
        .bind(&key.name)
        .bind(&key.secret_hash)
        .bind(key.enterprise)
        .bind(&key.tier)
        .bind(key.created_at)
        .bind(key.expires_at)
        .bind(key.revoked_at)
        .execute(&mut *transaction)
        .await?;
                let new = changed(&inserted);
                if new {
                    add_secret(&mut transaction, &key.id, secret).await?;
                }
                transaction.commit().await?;
                Ok(new)
            })
            .await
    }

    async fn key(&self, id: &str) -> Result<Option<KeyRecord>> {
        let row: Option<KeyRow> =
            sqlx::query_as(select_keys!("WHERE id = $1")).bind(id).fetch_optional(&self.pool).await?;
        Ok(row.map(Into::into))
    }

    async fn keys(&self) -> Result<Vec<KeyRecord>> {
        let rows: Vec<KeyRow> =
            sqlx::query_as(select_keys!("ORDER BY created_at, id")).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn replace_secret(&self, id: &str, secret_hash: &[u8], until: Millis) -> Result<bool> {
        let replaced = sqlx::query(
            "WITH old AS (
                 SELECT id, secret_hash FROM keys WHERE id = $3 AND revoked_at IS NULL FOR UPDATE
             ),
             kept AS (
                 INSERT INTO replaced_secrets (key_id, hash, until) SELECT id, secret_hash, $1 FROM old
                 ON CONFLICT (key_id) DO UPDATE SET hash = excluded.hash, until = excluded.until
             )
             UPDATE keys SET secret_hash = $2 FROM old WHERE keys.id = old.id",
        )
        .bind(until)
        .bind(secret_hash)
        .bind(id)
        .execute(&self.pool)
        .await?;
        Ok(changed(&replaced))
    }

    async fn revoke_key(&self, id: &str, now: Millis) -> Result<bool> {
        let revoked = sqlx::query("UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL")
            .bind(now)
            .bind(id)
            .execute(&self.pool)
            .await?;
        Ok(changed(&revoked))
    }

    async fn webhook_secrets(&self, key_id: &str, now: Millis) -> Result<Vec<WebhookSecret>> {
        let rows: Vec<SecretRow> = sqlx::query_as(
            "SELECT bytes, created_at, expires_at FROM webhook_secrets
             WHERE key_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY seq DESC",
        )
        .bind(key_id)
        .bind(now)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn rotate_webhook_secret(
        &self,
        key_id: &str,
        secret: &WebhookSecret,
        others_expire_at: Millis,
    ) -> Result<()> {
        self.pool
            .within(async {
                let mut connection = self.pool.acquire().await?;
                let mut transaction = connection.begin().await?;
                sqlx::query(
                    "UPDATE webhook_secrets SET expires_at = least(expires_at, $1) WHERE key_id = $2",
                )
                .bind(others_expire_at)
                .bind(key_id)
                .execute(&mut *transaction)
                .await?;
                add_secret(&mut transaction, key_id, secret).await?;
                transaction.commit().await?;
                Ok(())
            })
            .await
    }
}

async fn add_secret(db: &mut PgConnection, key_id: &str, secret: &WebhookSecret) -> Result<()> {
    sqlx::query(
        "INSERT INTO webhook_secrets (key_id, bytes, created_at, expires_at) VALUES ($1, $2, $3, $4)",
    )
    .bind(key_id)
    .bind(&secret.bytes)
    .bind(secret.created_at)
    .bind(secret.expires_at)
    .execute(db)
    .await?;
    Ok(())
}
