//! API keys.

use async_trait::async_trait;

use super::super::{Connection, Database};
use super::changed;
use crate::domain::{KeyRecord, WebhookSecret};
use crate::store::limits::SharedLimits;
use crate::store::row::{KeyRow, key_columns};
use crate::store::{Keys, Result};
use crate::time::Millis;

#[async_trait]
impl Keys for Database {
    async fn insert_key(&self, key: &KeyRecord, secret: &WebhookSecret) -> Result<bool> {
        let input = (key.clone(), secret.clone());
        self.transact(input, |db, (key, secret)| Box::pin(insert(db, key, secret))).await
    }

    async fn key(&self, id: &str) -> Result<Option<KeyRecord>> {
        let key = concat!("SELECT ", key_columns!(), " FROM keys WHERE id = $1");
        let row: Option<KeyRow> = sqlx::query_as(key).bind(id).fetch_optional(self.reader()).await?;
        Ok(row.map(Into::into))
    }

    async fn keys(&self) -> Result<Vec<KeyRecord>> {
        let keys = concat!("SELECT ", key_columns!(), " FROM keys ORDER BY created_at, id");
        let rows: Vec<KeyRow> = sqlx::query_as(keys).fetch_all(self.searcher()).await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn replace_secret(&self, id: &str, secret_hash: &[u8], until: Millis) -> Result<bool> {
        let replaced = sqlx::query(
            "UPDATE keys SET replaced_hash = secret_hash, replaced_until = $1, secret_hash = $2
             WHERE id = $3 AND revoked_at IS NULL",
        );
        self.change(replaced.bind(until).bind(secret_hash).bind(id)).await
    }

    async fn set_tier(&self, id: &str, tier: &str) -> Result<bool> {
        let changed = sqlx::query("UPDATE keys SET tier = $1 WHERE id = $2 AND revoked_at IS NULL");
        self.change(changed.bind(tier).bind(id)).await
    }

    async fn note_use(&self, id: &str, now: Millis) -> Result<()> {
        let used = sqlx::query("UPDATE keys SET last_used_at = $1 WHERE id = $2");
        self.change(used.bind(now).bind(id)).await.map(drop)
    }

    async fn revoke_key(&self, id: &str, now: Millis) -> Result<bool> {
        let revoked = sqlx::query("UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL");
        self.change(revoked.bind(now).bind(id)).await
    }

    async fn webhook_secrets(&self, key_id: &str, now: Millis) -> Result<Vec<WebhookSecret>> {
        let secrets = sqlx::query_as(
            "SELECT bytes, created_at, expires_at FROM webhook_secrets
             WHERE key_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY seq DESC",
        )
        .bind(key_id)
        .bind(now);
        Ok(secrets.fetch_all(self.reader()).await?)
    }

    async fn rotate_webhook_secret(
        &self,
        key_id: &str,
        secret: &WebhookSecret,
        others_expire_at: Millis,
    ) -> Result<()> {
        let input = (key_id.to_owned(), secret.clone(), others_expire_at);
        self.transact(input, |db, (key_id, secret, until)| Box::pin(rotate(db, key_id, secret, *until))).await
    }

    fn shared_limits(&self) -> Option<&dyn SharedLimits> {
        self.limits()
    }
}

async fn insert(db: &mut Connection, key: &KeyRecord, secret: &WebhookSecret) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO keys (id, name, secret_hash, enterprise, tier, created_at, expires_at, revoked_at, role)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING",
    )
    .bind(&key.id)
    .bind(&key.name)
    .bind(&key.secret_hash)
    .bind(key.enterprise)
    .bind(&key.tier)
    .bind(key.created_at)
    .bind(key.expires_at)
    .bind(key.revoked_at)
    .bind(key.role.number())
    .execute(&mut *db)
    .await?;
    let is_new = changed(&inserted);
    if is_new {
        add_secret(db, &key.id, secret).await?;
    }
    Ok(is_new)
}

async fn rotate(db: &mut Connection, key_id: &str, secret: &WebhookSecret, until: Millis) -> Result<()> {
    let expire = sqlx::query(
        "UPDATE webhook_secrets SET expires_at = CASE WHEN expires_at < $1 THEN expires_at ELSE $1 END
         WHERE key_id = $2",
    );
    expire.bind(until).bind(key_id).execute(&mut *db).await?;
    add_secret(db, key_id, secret).await
}

async fn add_secret(db: &mut Connection, key_id: &str, secret: &WebhookSecret) -> Result<()> {
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
