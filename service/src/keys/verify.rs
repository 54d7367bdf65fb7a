//! Verifies API keys: finds the record that a token belongs to.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::token::Token;
use crate::domain::{KeyRecord, Role};
use crate::store::{self, Keys};
use crate::time::Millis;

/// How long a lookup in the store is cached, in milliseconds.
///
/// A revoked key works this much longer at most.
pub const CACHE_MILLIS: Millis = 2_000;

/// The minimum time between two writes of a key's last use, in milliseconds.
const LAST_USE_INTERVAL: Millis = 60_000;

/// The maximum number of keys in the cache.
const CAPACITY: usize = 10_000;

/// Why a token is rejected.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The token is malformed, or no valid key belongs to it.
    ///
    /// Callers do not learn which of the reasons applies.
    #[error("the API key is not valid")]
    Invalid,
    /// The store failed, so that the token can't be verified.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Verifies tokens against the store.
///
/// It caches lookups for a short time, so that a request that only reads a task needs one query and not two.
///
/// It accepts keys of clients, or else of operators. The other ones are invalid for it.
#[derive(Debug, Default)]
pub struct Verifier {
    is_of_operators: bool,
    remembered: Mutex<HashMap<String, Remembered>>,
}

#[derive(Debug, Clone)]
struct Remembered {
    key: Option<Arc<KeyRecord>>,
    at: Millis,
    /// When the last use of the key was noted.
    noted_at: Millis,
}

impl Verifier {
    /// Accepts keys of operators.
    #[must_use]
    pub fn of_operators() -> Self {
        Self { is_of_operators: true, ..Self::default() }
    }

    /// Returns whether keys with this role are accepted.
    const fn accepts(&self, role: Role) -> bool {
        match role {
            Role::Client => !self.is_of_operators,
            Role::ReadOnly | Role::Operator => self.is_of_operators,
            Role::Unknown => false,
        }
    }

    /// Returns whether to store that this key is used now: once a minute, so that few requests write.
    pub fn notes(&self, key: &KeyRecord, now: Millis) -> bool {
        let is_old = |at: Millis| now.saturating_sub(at) >= LAST_USE_INTERVAL;
        let mut remembered = self.remembered.lock();
        let Some(remembered) = remembered.get_mut(&key.id) else { return false };
        let notes = is_old(remembered.noted_at) && key.last_used_at.is_none_or(is_old);
        if notes {
            remembered.noted_at = now;
        }
        notes
    }

    /// Returns the key that belongs to this token.
    ///
    /// A malformed token is rejected at once. For every other token the verifier looks up the id and compares
    /// a hash, even if no key has this id. Neither the response nor its timing thus reveals which ids exist.
    ///
    /// # Errors
    /// Returns [`Refused::Invalid`] for every reason that lies in the token, and [`Refused::Store`] if the
    /// store fails.
    pub async fn verify<S>(&self, store: &S, token: &str, now: Millis) -> Result<Arc<KeyRecord>, Refused>
    where
        S: Keys + Sync + ?Sized,
    {
        let token = Token::parse(token).ok_or(Refused::Invalid)?;
        let key = match self.recall(token.id(), now) {
            Some(key) => key,
            None => {
                let key = store.key(token.id()).await?.map(Arc::new);
                self.remember(token.id(), key.clone(), now);
                key
            }
        };
        let matches = is_secret_of(&token, key.as_deref(), now);
        match key {
            Some(key) if matches && is_usable(&key, now) && self.accepts(key.role) => Ok(key),
            _ => Err(Refused::Invalid),
        }
    }

    /// Returns whether this token was valid when it was last verified.
    ///
    /// The last verification may be long ago, and the key may have become invalid since. But the holder of
    /// such a token does not guess keys.
    #[must_use]
    pub fn remembers(&self, token: &str) -> bool {
        self.key_of_secret(token).is_some_and(|key| key.revoked_at.is_none() && self.accepts(key.role))
    }

    /// Returns the key whose secret this token has or had, valid or not, if the cache still has its lookup.
    #[must_use]
    pub fn key_of_secret(&self, token: &str) -> Option<Arc<KeyRecord>> {
        let token = Token::parse(token)?;
        let key = self.remembered.lock().get(token.id()).and_then(|remembered| remembered.key.clone());
        let is_its_secret = is_secret_of(&token, key.as_deref(), Millis::MIN);
        key.filter(|_| is_its_secret)
    }

    /// Returns the cached lookup of this id, unless it is too old.
    ///
    /// `Some(None)` means that no such key exists.
    fn recall(&self, id: &str, now: Millis) -> Option<Option<Arc<KeyRecord>>> {
        self.remembered
            .lock()
            .get(id)
            .filter(|remembered| remembered.is_fresh(now))
            .map(|remembered| remembered.key.clone())
    }

    fn remember(&self, id: &str, key: Option<Arc<KeyRecord>>, now: Millis) {
        let mut remembered = self.remembered.lock();
        if remembered.len() >= CAPACITY && !remembered.contains_key(id) {
            remembered.retain(|_, remembered| remembered.is_fresh(now));
            // Only a flood of ids leaves this many entries. A forgotten entry is looked up again. If the
            // entries stayed, every request would scan all of them.
            if remembered.len() > CAPACITY / 2 {
                remembered.clear();
            }
        }
        let noted_at = remembered.get(id).map_or(Millis::MIN, |remembered| remembered.noted_at);
        remembered.insert(id.to_owned(), Remembered { key, at: now, noted_at });
    }
}

impl Remembered {
    /// Returns whether the entry is recent; a clock that was set back makes it stale.
    fn is_fresh(&self, now: Millis) -> bool {
        (self.at..self.at.saturating_add(CACHE_MILLIS)).contains(&now)
    }
}

/// Returns whether the token has a secret of this key that is accepted now.
///
/// It always compares two hashes, so that the time reveals nothing.
fn is_secret_of(token: &Token, key: Option<&KeyRecord>, now: Millis) -> bool {
    const NONE: &[u8] = &[0; 32];
    let replaced = key.and_then(|key| key.replaced.as_ref()).filter(|replaced| now < replaced.until);
    let current = token.matches(key.map_or(NONE, |key| &key.secret_hash));
    current | token.matches(replaced.map_or(NONE, |replaced| &replaced.hash))
}

fn is_usable(key: &KeyRecord, now: Millis) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|end| now < end)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;

    use super::*;
    use crate::domain::{ReplacedSecret, WebhookSecret};
    use crate::keys::issue;
    use crate::store::Result as Stored;

    /// Keys in memory, with a count of the lookups.
    #[derive(Default)]
    struct Ring {
        keys: Mutex<HashMap<String, KeyRecord>>,
        asked: AtomicUsize,
        broken: bool,
    }

    #[async_trait]
    impl Keys for Ring {
        async fn insert_key(&self, key: &KeyRecord, _: &WebhookSecret) -> Stored<bool> {
            Ok(self.keys.lock().insert(key.id.clone(), key.clone()).is_none())
        }

        async fn key(&self, id: &str) -> Stored<Option<KeyRecord>> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            if self.broken {
                return Err(store::Error::Corrupt { what: "test", why: "as asked".into() });
            }
            Ok(self.keys.lock().get(id).cloned())
        }

        async fn keys(&self) -> Stored<Vec<KeyRecord>> {
            unreachable!("not used by these tests")
        }

        async fn replace_secret(&self, id: &str, secret_hash: &[u8], until: Millis) -> Stored<bool> {
            let mut keys = self.keys.lock();
            let key = keys.get_mut(id).unwrap();
            let hash = std::mem::replace(&mut key.secret_hash, secret_hash.to_vec());
            key.replaced = Some(ReplacedSecret { hash, until });
            Ok(true)
        }

        async fn set_tier(&self, _: &str, _: &str) -> Stored<bool> {
            unreachable!("not used by these tests")
        }

        async fn note_use(&self, _: &str, _: Millis) -> Stored<()> {
            unreachable!("not used by these tests")
        }

        async fn revoke_key(&self, id: &str, now: Millis) -> Stored<bool> {
            self.keys.lock().get_mut(id).unwrap().revoked_at = Some(now);
            Ok(true)
        }

        async fn webhook_secrets(&self, _: &str, _: Millis) -> Stored<Vec<WebhookSecret>> {
            unreachable!("not used by these tests")
        }

        async fn rotate_webhook_secret(&self, _: &str, _: &WebhookSecret, _: Millis) -> Stored<()> {
            unreachable!("not used by these tests")
        }
    }

    fn record(token: &Token) -> KeyRecord {
        KeyRecord {
            id: token.id().to_owned(),
            name: "test".into(),
            secret_hash: token.secret_hash().to_vec(),
            replaced: None,
            enterprise: false,
            tier: "default".into(),
            created_at: 0,
            expires_at: Some(1_000_000),
            revoked_at: None,
            role: Role::Client,
            last_used_at: None,
        }
    }

    impl Ring {
        fn of(token: &Token) -> Self {
            Self { keys: Mutex::new([(token.id().to_owned(), record(token))].into()), ..Self::default() }
        }
    }

    async fn is_accepted(verifier: &Verifier, ring: &Ring, text: &str, now: Millis) -> bool {
        match verifier.verify(ring, text, now).await {
            Ok(_) => true,
            Err(Refused::Invalid) => false,
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn a_good_key_is_accepted() {
        let token = Token::generate();
        let ring = Ring::of(&token);
        let key = Verifier::default().verify(&ring, token.reveal(), 5).await.unwrap();
        assert_eq!(*key, record(&token));
    }

    #[tokio::test]
    async fn an_unknown_id_and_a_wrong_secret_get_the_same_refusal() {
        let (token, unknown) = (Token::generate(), Token::generate());
        let ring = Ring::of(&token);
        let wrong = Token::with_id(token.id());
        let verifier = Verifier::default();
        let mut texts = Vec::new();
        for token in [&unknown, &wrong] {
            texts.push(verifier.verify(&ring, token.reveal(), 5).await.unwrap_err().to_string());
        }
        assert_eq!(texts[0], texts[1]);
        assert_eq!(ring.asked.load(Ordering::SeqCst), 2, "the store is asked for both");
    }

    #[tokio::test]
    async fn malformed_keys_do_not_reach_the_store() {
        let token = Token::generate();
        let ring = Ring::of(&token);
        for text in ["", "svc_", &token.reveal()[1..], &token.reveal().replace("svc_", "svd_")] {
            assert!(!is_accepted(&Verifier::default(), &ring, text, 5).await, "{text}");
        }
        assert_eq!(ring.asked.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn an_expired_key_is_refused_to_the_millisecond() {
        let token = Token::generate();
        let (ring, verifier) = (Ring::of(&token), Verifier::default());
        assert!(is_accepted(&verifier, &ring, token.reveal(), 999_999).await);
        assert!(!is_accepted(&verifier, &ring, token.reveal(), 1_000_000).await);
    }

    #[tokio::test]
    async fn a_replaced_secret_is_accepted_until_its_end() {
        let (first, verifier) = (Token::generate(), Verifier::default());
        let ring = Ring::of(&first);
        let second = issue::rotate(&ring, first.id(), 500_000).await.unwrap().unwrap();
        assert_eq!(second.id(), first.id());
        for (now, old) in [(0, true), (499_999, true), (500_000, false)] {
            assert_eq!(is_accepted(&verifier, &ring, first.reveal(), now).await, old, "{now}");
            assert!(is_accepted(&verifier, &ring, second.reveal(), now).await);
        }
        let third = issue::rotate(&ring, first.id(), 900_000).await.unwrap().unwrap();
        for (token, good) in [(&first, false), (&second, true), (&third, true)] {
            assert_eq!(is_accepted(&verifier, &ring, token.reveal(), 600_000).await, good);
        }
    }

    #[tokio::test]
    async fn a_revoked_key_is_refused_soon() {
        let token = Token::generate();
        let (ring, verifier) = (Ring::of(&token), Verifier::default());
        assert!(is_accepted(&verifier, &ring, token.reveal(), 0).await);
        ring.revoke_key(token.id(), 1).await.unwrap();
        assert!(is_accepted(&verifier, &ring, token.reveal(), CACHE_MILLIS - 1).await, "from memory");
        assert!(!is_accepted(&verifier, &ring, token.reveal(), CACHE_MILLIS).await);
    }

    #[tokio::test]
    async fn valid_keys_are_remembered_for_long_and_invalid_ones_are_not() {
        let token = Token::generate();
        let (ring, verifier) = (Ring::of(&token), Verifier::default());
        assert!(!verifier.remembers(token.reveal()), "nobody has shown it yet");
        assert!(!is_accepted(&verifier, &ring, Token::with_id(token.id()).reveal(), 0).await);
        assert!(!verifier.remembers(Token::with_id(token.id()).reveal()), "the id alone is not a key");
        assert!(is_accepted(&verifier, &ring, token.reveal(), 0).await);
        assert!(verifier.remembers(token.reveal()));
        ring.revoke_key(token.id(), 1).await.unwrap();
        assert!(!is_accepted(&verifier, &ring, token.reveal(), CACHE_MILLIS).await);
        assert!(!verifier.remembers(token.reveal()));
    }

    #[tokio::test]
    async fn the_key_of_a_secret_is_known_also_if_it_is_not_valid() {
        let token = Token::generate();
        let (ring, verifier) = (Ring::of(&token), Verifier::of_operators());
        ring.revoke_key(token.id(), 1).await.unwrap();
        assert!(!is_accepted(&verifier, &ring, token.reveal(), 5).await);
        assert_eq!(verifier.key_of_secret(token.reveal()).unwrap().id, token.id());
        assert_eq!(
            verifier.key_of_secret(Token::with_id(token.id()).reveal()),
            None,
            "the id alone is not a key"
        );
        assert_eq!(verifier.key_of_secret(Token::generate().reveal()), None);
    }

    #[tokio::test]
    async fn the_store_is_asked_once_in_a_while_for_good_keys_and_bad_ones() {
        let (token, unknown) = (Token::generate(), Token::generate());
        let (ring, verifier) = (Ring::of(&token), Verifier::default());
        for now in 0..CACHE_MILLIS {
            assert!(is_accepted(&verifier, &ring, token.reveal(), now).await);
            assert!(!is_accepted(&verifier, &ring, unknown.reveal(), now).await);
        }
        assert_eq!(ring.asked.load(Ordering::SeqCst), 2);
        // A clock that is set back does not make old entries recent.
        is_accepted(&verifier, &ring, token.reveal(), -1).await;
        assert_eq!(ring.asked.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn keys_of_clients_and_of_operators_open_nothing_of_the_other() {
        for (role, of_clients, of_operators) in [
            (Role::Client, true, false),
            (Role::ReadOnly, false, true),
            (Role::Operator, false, true),
            (Role::Unknown, false, false),
        ] {
            let token = Token::generate();
            let ring = Ring::of(&token);
            ring.keys.lock().get_mut(token.id()).unwrap().role = role;
            for (verifier, is_good) in
                [(Verifier::default(), of_clients), (Verifier::of_operators(), of_operators)]
            {
                assert_eq!(is_accepted(&verifier, &ring, token.reveal(), 0).await, is_good, "{role:?}");
                assert_eq!(verifier.remembers(token.reveal()), is_good, "{role:?}");
            }
        }
    }

    #[tokio::test]
    async fn the_use_of_a_key_is_stored_once_a_minute() {
        let (token, verifier) = (Token::generate(), Verifier::default());
        let ring = Ring::of(&token);
        let notes = async |now| {
            let key = verifier.verify(&ring, token.reveal(), now).await.unwrap();
            verifier.notes(&key, now)
        };
        let mut noted = Vec::new();
        for now in (0..3 * LAST_USE_INTERVAL).step_by(1000) {
            if notes(now).await {
                noted.push(now);
            }
        }
        assert_eq!(noted, [0, LAST_USE_INTERVAL, 2 * LAST_USE_INTERVAL]);
        // Another process has stored it.
        ring.keys.lock().get_mut(token.id()).unwrap().last_used_at = Some(4 * LAST_USE_INTERVAL);
        assert!(!notes(4 * LAST_USE_INTERVAL + 1).await && notes(5 * LAST_USE_INTERVAL).await);
    }

    #[tokio::test]
    async fn memory_is_bounded() {
        let ring = Ring::default();
        let verifier = Verifier::default();
        for _ in 0..CAPACITY + 10 {
            is_accepted(&verifier, &ring, Token::generate().reveal(), 0).await;
        }
        assert!(verifier.remembered.lock().len() <= CAPACITY);
    }

    #[tokio::test]
    async fn a_store_that_fails_is_not_a_refusal_and_is_not_remembered() {
        let token = Token::generate();
        let verifier = Verifier::default();
        let broken = Ring { broken: true, ..Ring::default() };
        assert!(matches!(verifier.verify(&broken, token.reveal(), 0).await, Err(Refused::Store(_))));
        assert!(is_accepted(&verifier, &Ring::of(&token), token.reveal(), 0).await);
    }
}
