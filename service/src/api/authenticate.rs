//! Who calls, and whether they may: the hook that the generated server asks before it reads a body.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use asset_api_server::runtime::http::{HeaderMap, HeaderName, HeaderValue};
use asset_api_server::{Attempt, Authenticate, Denied};
use axum::extract::ConnectInfo;
use ipnet::IpNet;

use crate::config::{Settings, Tier};
use crate::keys::client_address::client_address;
use crate::keys::limits::{Buckets, Failures, Rate, Verdict};
use crate::keys::verify::{Refused, Verifier};
use crate::store::SharedStore;
use crate::time::Clock;

/// What enterprise-only operations carry as `x-requires`.
const ENTERPRISE: &str = "enterprise";

/// How many keys have a bucket at a time.
const BUCKETS: usize = 100_000;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The API key's id.
    pub key_id: String,
    /// The most tasks that the key may create in a day.
    pub daily_quota: Option<u32>,
    /// What its bucket said.
    verdict: Verdict,
}

/// Tells who calls.
pub struct Callers {
    store: SharedStore,
    verifier: Verifier,
    buckets: Buckets<Arc<str>>,
    failures: Failures,
    trusted_proxies: Vec<IpNet>,
    settings: Settings,
    clock: Clock,
}

impl Callers {
    /// By the keys of this store and the limits of these settings.
    #[must_use]
    pub fn new(store: SharedStore, clock: Clock, settings: Settings, trusted_proxies: Vec<IpNet>) -> Self {
        let failures = &settings.authentication.failures;
        let failures = Rate { depth: failures.burst, per_second: failures.per_second };
        Self {
            store,
            verifier: Verifier::default(),
            buckets: Buckets::new(BUCKETS),
            failures: Failures::new(failures),
            trusted_proxies,
            settings,
            clock,
        }
    }

    /// The address that the request comes from; `None` where there is no connection, in tests.
    fn address(&self, attempt: &Attempt<'_>) -> Option<IpAddr> {
        let ConnectInfo(peer) = attempt.request.extensions.get::<ConnectInfo<SocketAddr>>()?;
        let forwarded =
            attempt.request.headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        Some(client_address(peer.ip(), forwarded, &self.trusted_proxies))
    }
}

impl Authenticate for Callers {
    type Principal = Caller;

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<Caller, Denied> {
        let address = self.address(&attempt);
        if let Some(wait) = address.and_then(|address| self.failures.check(address).err()) {
            return Err(too_many(Some(wait), HeaderMap::new()));
        }
        let [credential] = attempt.credentials else { return Err(Denied::Invalid) };
        let key = match self.verifier.verify(&*self.store, credential.secret(), self.clock.now()).await {
            Ok(principal) => principal.key,
            Err(Refused::Invalid) => {
                if let Some(address) = address {
                    self.failures.failed(address);
                }
                return Err(Denied::Invalid);
            }
            Err(Refused::Store(error)) => {
                tracing::error!(%error, "nobody can be told from anybody");
                return Err(Denied::Unavailable { retry_after: Some(super::refusal::RETRY_AFTER) });
            }
        };
        if attempt.operation.requires.contains(&ENTERPRISE) && !key.enterprise {
            return Err(Denied::Forbidden);
        }
        let Tier { burst, per_second, daily_tasks } = self.settings.tier(&key.tier);
        let verdict = self.buckets.take(Arc::from(key.id.as_str()), Rate { depth: burst, per_second });
        if !verdict.is_allowed() {
            let mut headers = HeaderMap::new();
            describe(&verdict, &mut headers);
            return Err(too_many(verdict.retry_after, headers));
        }
        Ok(Caller { key_id: key.id.clone(), daily_quota: daily_tasks, verdict })
    }

    fn response_headers(&self, caller: &Caller, headers: &mut HeaderMap) {
        describe(&caller.verdict, headers);
    }
}

fn too_many(retry_after: Option<Duration>, headers: HeaderMap) -> Denied {
    // Told in whole seconds, rounded up: who comes back then is let in.
    let retry_after = retry_after.map(|wait| Duration::from_secs(seconds(wait).max(1)));
    Denied::TooManyRequests { retry_after, headers }
}

fn describe(verdict: &Verdict, headers: &mut HeaderMap) {
    headers.insert(LIMIT, HeaderValue::from(verdict.limit));
    headers.insert(REMAINING, HeaderValue::from(verdict.remaining));
    headers.insert(RESET, HeaderValue::from(seconds(verdict.reset)));
}

/// Whole seconds, rounded up.
fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
