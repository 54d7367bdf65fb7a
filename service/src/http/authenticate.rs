//! Authenticates callers and enforces their limits, before the server reads a request body.

use std::sync::Arc;
use std::time::Duration;

use asset_admin_server::models::common::KeyState;
use asset_api_server::runtime::DEFAULT_BODY_LIMIT;
use asset_api_server::runtime::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use asset_api_server::runtime::http::{HeaderMap, HeaderName, HeaderValue, Version};
use asset_api_server::{Attempt, Authenticate, Denied};

use super::Exchange;
use crate::admin::changes::Changes;
use crate::admin::keys::state;
use crate::admin::refusals::Refusals;
use crate::api::{Caller, RETRY_AFTER};
use crate::domain::{KeyRecord, Role};
use crate::keys::bodies::{BodyMemory, BodyPermit};
use crate::keys::limits::{Rate, Verdict};
use crate::keys::tier::Tiers;
use crate::keys::together::Limits;
use crate::keys::verify::{Refused, Verifier};
use crate::store::SharedStore;
use crate::telemetry::Limit;
use crate::time::Clock;

/// The `x-requires` value of operations that only enterprise keys may call.
const ENTERPRISE: &str = "enterprise";

/// The `x-requires` value of operations of the administration that change something.
const OPERATOR: &str = "operator";

/// How many concurrent requests a search or a list counts for.
const OF_MANY: u32 = 4;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Authenticates callers by their API key.
pub struct Callers {
    store: SharedStore,
    verifier: Verifier,
    limits: Arc<Limits>,
    bodies: BodyMemory,
    tiers: Tiers,
    clock: Clock,
    /// Records refused requests to the administration API; `None` for the API of clients.
    refusals: Option<Refusals>,
}

impl Callers {
    /// Creates an authenticator with the keys of this store and these limits.
    #[must_use]
    pub fn new(
        store: SharedStore,
        clock: Clock,
        tiers: Tiers,
        limits: Arc<Limits>,
        bodies: BodyMemory,
    ) -> Self {
        Self { store, verifier: Verifier::default(), limits, bodies, tiers, clock, refusals: None }
    }

    /// Accepts keys of operators instead of those of clients, and records the refused requests of known keys.
    #[must_use]
    pub fn of_operators(self, changes: Changes) -> Self {
        let refusals = Some(Refusals::new(Arc::clone(&self.store), changes));
        Self { verifier: Verifier::of_operators(), refusals, ..self }
    }

    /// Records a request with the secret of a key that is not valid here.
    fn note_invalid(&self, attempt: &Attempt<'_>, token: &str) {
        let Some(refusals) = &self.refusals else { return };
        // A caller that only knows the id of a key must not be able to put it into the log.
        let Some(key) = self.verifier.key_of_secret(token) else { return };
        let why = match (state(&key, self.clock.now()), key.role) {
            (KeyState::Revoked, _) => "refused: the key is revoked",
            (KeyState::Expired, _) => "refused: the key has expired",
            (_, Role::Client | Role::Unknown) => "refused: it is not a key of operators",
            (_, Role::ReadOnly | Role::Operator) => "refused: the secret was replaced",
        };
        refusals.record(&key.id, attempt.operation.method, attempt.request.uri.path(), why);
    }

    /// Stores from time to time that a key is used. No request waits for it.
    fn note(&self, key: &KeyRecord) {
        let now = self.clock.now();
        if !self.verifier.notes(key, now) {
            return;
        }
        let (store, id) = (Arc::clone(&self.store), key.id.clone());
        tokio::spawn(async move {
            if let Err(error) = store.note_use(&id, now).await {
                tracing::debug!(%error, "can't store when a key was last used");
            }
        });
    }
}

impl Authenticate for Callers {
    type Principal = Caller;

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<Caller, Denied> {
        let [credential] = attempt.credentials else { return Err(Denied::Invalid) };
        let exchange = attempt.request.extensions.get::<Exchange>();
        let address = exchange.map(Exchange::address);
        // Behind a proxy that is not in `trusted-proxies`, all clients have one address. A client whose key
        // was valid before must not wait because another client guesses keys.
        if let Some(wait) = address.and_then(|address| self.limits.failures.check(address).err())
            && !self.verifier.remembers(credential.secret())
        {
            return Err(too_many(Limit::Address, Some(wait), HeaderMap::new()));
        }
        let key = match self.verifier.verify(&*self.store, credential.secret(), self.clock.now()).await {
            Ok(key) => key,
            Err(Refused::Invalid) => {
                if let Some(address) = address {
                    self.limits.failures.failed(address);
                }
                self.note_invalid(&attempt, credential.secret());
                return Err(Denied::Invalid);
            }
            Err(Refused::Store(error)) => {
                tracing::error!(%error, "can't verify API keys: the database failed");
                return Err(Denied::unavailable(RETRY_AFTER));
            }
        };
        self.note(&key);
        let id: Arc<str> = Arc::from(key.id.as_str());
        let tier = self.tiers.get(&key.tier);
        let rate = Rate { depth: tier.burst, per_second: tier.per_second };
        let verdict = self.limits.rates.take(Arc::clone(&id), rate);
        if let Some(exchange) = exchange {
            exchange.decide(Arc::clone(&id), verdict);
        }
        if !verdict.is_allowed() {
            return Err(too_many(Limit::Key, verdict.retry_after, described(&verdict)));
        }
        let most = tier.concurrent_requests;
        let Some(turn) = self.limits.in_progress.begin(&id, weight(&attempt), most) else {
            return Err(too_many(Limit::Concurrency, Some(Duration::from_secs(1)), described(&verdict)));
        };
        if let Some(exchange) = exchange {
            exchange.is_of_key(turn);
        }
        let requires = |permission| attempt.operation.requires.contains(&permission);
        if (requires(ENTERPRISE) && !key.enterprise) || (requires(OPERATOR) && key.role != Role::Operator) {
            if let Some(refusals) = &self.refusals {
                let path = attempt.request.uri.path();
                refusals.record(&id, attempt.operation.method, path, "refused: the key may only read");
            }
            return Err(Denied::Forbidden { headers: described(&verdict) });
        }
        // The client learns early that its body would not fit. Only bytes that arrive take room.
        if !self.bodies.fits(&id, body_size(&attempt)) {
            Limit::Bodies.count();
            return Err(Denied::Unavailable { retry_after: Some(RETRY_AFTER), headers: described(&verdict) });
        }
        let permit = attempt.request.extensions.get::<BodyPermit>().cloned();
        if let Some(permit) = &permit {
            permit.count_for(&self.bodies, &id);
        }
        Ok(Caller { key_id: id, tier, verdict, body: permit })
    }

    fn response_headers(&self, caller: &Caller, headers: &mut HeaderMap) {
        describe(&caller.verdict, headers);
    }
}

/// Returns how many concurrent requests this one counts for.
///
/// A search or a list reads many rows, and most of its time is work of the database.
fn weight(attempt: &Attempt<'_>) -> u32 {
    if attempt.operation.parameters.iter().any(|parameter| parameter.name == "limit") { OF_MANY } else { 1 }
}

/// Returns the maximum number of bytes that the server will read of the request body.
fn body_size(attempt: &Attempt<'_>) -> u64 {
    let Some(body) = &attempt.operation.body else { return 0 };
    let limit = body.limit.unwrap_or(DEFAULT_BODY_LIMIT);
    let headers = &attempt.request.headers;
    match headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok()) {
        // The server rejects this body by its size and does not read it.
        Some(announced) if announced > limit => 0,
        Some(announced) => announced,
        // Before HTTP/2, a request without both headers has no body.
        None if attempt.request.version < Version::HTTP_2 && !headers.contains_key(TRANSFER_ENCODING) => 0,
        None => limit,
    }
}

/// Returns the 429 for a limit that is reached.
fn too_many(limit: Limit, retry_after: Option<Duration>, headers: HeaderMap) -> Denied {
    limit.count();
    // `Retry-After` has whole seconds. They are rounded up, so that a retry at that time succeeds.
    let retry_after = retry_after.map(|wait| Duration::from_secs(seconds(wait).max(1)));
    Denied::TooManyRequests { retry_after, headers }
}

/// Returns the headers that describe a rate limit, for a refusal.
pub(super) fn described(verdict: &Verdict) -> HeaderMap {
    let mut headers = HeaderMap::new();
    describe(verdict, &mut headers);
    headers
}

fn describe(verdict: &Verdict, headers: &mut HeaderMap) {
    headers.insert(LIMIT, HeaderValue::from(verdict.limit));
    headers.insert(REMAINING, HeaderValue::from(verdict.remaining));
    headers.insert(RESET, HeaderValue::from(seconds(verdict.reset)));
}

/// Returns a duration in whole seconds, rounded up.
fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
