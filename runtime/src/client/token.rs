//! Tokens that expire: their provider, and the one token that all clones of a client share.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use tokio::sync::{self, OwnedMutexGuard};

use super::platform::{Instant, Task, lock, spawn, timeout, wall_clock};
use super::{BoxError, credential::secret_value};

/// How long before its end a token is renewed, unless a tenth of its lifetime is shorter.
const EARLY: Duration = Duration::from_secs(60);

/// The age of a token below which a `401` doesn't mean that it is out of date.
const YOUNG: Duration = Duration::from_secs(30);

/// The pause after a failure to renew a token that is still valid.
const PAUSE: Duration = Duration::from_secs(5);

/// The pause after a failure if there is no valid token. It doubles with each failure in a row, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

const MAX_PAUSE: Duration = Duration::from_secs(60);

/// The maximum duration of one fetch.
const FETCH_TIMEOUT: Duration = Duration::from_secs(60);

/// A token, and how long it is valid. Its `Debug` output never contains the secret.
#[derive(Clone)]
#[must_use]
pub struct Token {
    secret: Arc<str>,
    lifetime: Option<Duration>,
}

impl Token {
    /// Creates a token that is valid until the server rejects it.
    pub fn new(secret: impl Into<String>) -> Self {
        Self { secret: secret.into().into(), lifetime: None }
    }

    /// Sets how long the token is valid, from the start of the fetch.
    pub const fn expires_in(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("expires_in", &self.lifetime).finish_non_exhaustive()
    }
}

/// A source of tokens, for [`Credential::tokens`](super::Credential::tokens).
///
/// A function that returns a future of a [`Token`] is one.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use openapi_crates_runtime::client::{BoxError, Credential, Token, TokenProvider};
///
/// struct Vault(std::path::PathBuf);
///
/// impl TokenProvider for Vault {
///     async fn token(&self) -> Result<Token, BoxError> {
///         let secret = std::fs::read_to_string(&self.0)?;
///         Ok(Token::new(secret).expires_in(Duration::from_secs(3600)))
///     }
/// }
///
/// let credential = Credential::tokens(Vault("/run/secrets/token".into()));
/// ```
pub trait TokenProvider: Send + Sync + 'static {
    /// Fetches a new token.
    ///
    /// It is called when there is no token, before the token expires, and after the server rejected it; never twice
    /// at a time, and for at most a minute. After a failure, calls return its error for a pause of 1 s, which doubles
    /// with each failure in a row up to a minute.
    fn token(&self) -> impl Future<Output = Result<Token, BoxError>> + Send;
}

impl<P, F, E> TokenProvider for P
where
    P: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Result<Token, E>> + Send,
    E: Into<BoxError>,
{
    async fn token(&self) -> Result<Token, BoxError> {
        self().await.map_err(Into::into)
    }
}

/// A fetch of a token from a provider of any type.
type Fetch = dyn Fn() -> Pin<Box<dyn Future<Output = Result<Token, BoxError>> + Send>> + Send + Sync;

/// The error of a fetch, which all calls that waited for it return.
#[derive(Debug, Clone)]
struct Failure(Arc<BoxError>);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// The token of a source, which all clones of a client share.
pub(super) struct Tokens {
    fetch: Box<Fetch>,
    state: Mutex<State>,
    /// The holder of this lock fetches a token.
    turn: Arc<sync::Mutex<()>>,
}

#[derive(Default)]
struct State {
    held: Option<Held>,
    /// The number of fetches that have ended.
    fetches: u64,
    /// The result of the last one.
    last: Option<Result<Arc<str>, Failure>>,
    /// The number of fetches in a row that have failed while there was no valid token.
    failures: u32,
    /// The end of the pause after the last one of them.
    pause: Option<Instant>,
}

/// A point in time, by both clocks.
///
/// The monotonic one stands still while the machine is suspended, and the other one can be set back.
#[derive(Clone, Copy)]
struct Moment {
    monotonic: Instant,
    wall: SystemTime,
}

impl Moment {
    fn now() -> Self {
        Self { monotonic: Instant::now(), wall: wall_clock() }
    }

    /// Returns the time since then, by the clock that shows more.
    fn elapsed(self) -> Duration {
        self.monotonic.elapsed().max(self.wall.elapsed().unwrap_or_default())
    }
}

struct Held {
    secret: Arc<str>,
    fetched: Moment,
    /// The age at which the token is renewed while it is still used.
    renewal: Option<Duration>,
    /// The age from which the token is no longer used.
    end: Option<Duration>,
}

impl Held {
    fn new(token: &Token, fetched: Moment) -> Self {
        Self {
            secret: Arc::clone(&token.secret),
            fetched,
            renewal: token.lifetime.map(|lifetime| lifetime.saturating_sub(EARLY.min(lifetime / 10))),
            end: token.lifetime,
        }
    }

    /// Returns the age, if the token is still used.
    fn age(&self) -> Option<Duration> {
        let age = self.fetched.elapsed();
        self.end.is_none_or(|end| age < end).then_some(age)
    }
}

impl Tokens {
    pub(super) fn new(provider: impl TokenProvider) -> Arc<Self> {
        let provider = Arc::new(provider);
        let fetch = move || -> Pin<Box<dyn Future<Output = _> + Send>> {
            let provider = Arc::clone(&provider);
            Box::pin(async move { provider.token().await })
        };
        Arc::new(Self { fetch: Box::new(fetch), state: Mutex::default(), turn: Arc::default() })
    }

    /// Returns a valid token. Fetches one if there is none, or waits for the call that does.
    ///
    /// A token that is about to expire is returned as it is, and renewed in the background.
    pub(super) async fn secret(self: &Arc<Self>) -> Result<Arc<str>, BoxError> {
        let seen = lock(&self.state).fetches;
        if let Some((secret, is_due)) = self.held() {
            if is_due
                && let Ok(turn) = Arc::clone(&self.turn).try_lock_owned()
                && self.held().is_none_or(|(_, is_due)| is_due)
            {
                self.fetch(turn);
            }
            return Ok(secret);
        }
        let turn = Arc::clone(&self.turn).lock_owned().await;
        if let Some((secret, _)) = self.held() {
            return Ok(secret);
        }
        if let Some(last) = self.since(seen) {
            return Ok(last?);
        }
        Ok(self.fetch(turn).await??)
    }

    /// Forgets a token that the server rejected. Returns whether another one may be accepted.
    ///
    /// A token that was fetched just now is kept, so that a server that rejects each token gets no requests for more.
    pub(super) fn reject(&self, secret: &str) -> bool {
        let mut state = lock(&self.state);
        match &state.held {
            Some(held) if *held.secret == *secret => {
                let is_old = held.fetched.elapsed() >= YOUNG;
                if is_old {
                    state.held = None;
                }
                is_old
            }
            _ => true,
        }
    }

    /// Returns the token, if it is valid, and whether it is due for renewal.
    fn held(&self) -> Option<(Arc<str>, bool)> {
        let state = lock(&self.state);
        let held = state.held.as_ref()?;
        let age = held.age()?;
        Some((Arc::clone(&held.secret), held.renewal.is_some_and(|renewal| renewal <= age)))
    }

    /// Returns the result of the last fetch, if it ended after the first `seen` ones, or failed a short time ago.
    ///
    /// Servers lock accounts after many failures.
    fn since(&self, seen: u64) -> Option<Result<Arc<str>, Failure>> {
        let state = lock(&self.state);
        let is_paused = state.pause.is_some_and(|end| Instant::now() < end);
        if state.fetches == seen && !is_paused { None } else { state.last.clone() }
    }

    /// Fetches a token, in a task of its own.
    ///
    /// A call that is given up neither ends the fetch that others wait for, nor loses a new refresh token.
    fn fetch(self: &Arc<Self>, turn: OwnedMutexGuard<()>) -> Task<Result<Arc<str>, Failure>> {
        let tokens = Arc::clone(self);
        spawn(async move {
            let _turn = turn;
            let began = Moment::now();
            let source = Arc::clone(&tokens);
            // In a task of its own, so that a panic is a failure like others.
            let fetch = spawn(async move { timeout(FETCH_TIMEOUT, (source.fetch)()).await });
            let fetched = match fetch.await {
                // A token that can't be sent would fail all calls until its end.
                Ok(Ok(Ok(token))) if secret_value("", &token.secret).is_none() => {
                    Err("the token has characters that can't be sent".into())
                }
                Ok(Ok(fetched)) => fetched,
                Ok(Err(_)) => Err(format!("there was no token within {FETCH_TIMEOUT:?}").into()),
                Err(_) => Err("the provider of tokens panicked".into()),
            };
            tokens.store(fetched, began)
        })
    }

    fn store(&self, fetched: Result<Token, BoxError>, began: Moment) -> Result<Arc<str>, Failure> {
        let mut state = lock(&self.state);
        state.fetches = state.fetches.wrapping_add(1);
        let result = match fetched {
            Ok(token) => {
                state.held = Some(Held::new(&token, began));
                (state.failures, state.pause) = (0, None);
                Ok(token.secret)
            }
            Err(error) => {
                match state.held.as_mut().and_then(|held| Some((held.age()?, held))) {
                    Some((age, held)) => held.renewal = Some(age.saturating_add(PAUSE)),
                    None => {
                        let pause = FIRST_PAUSE.saturating_mul(1 << state.failures.min(6)).min(MAX_PAUSE);
                        state.failures = state.failures.saturating_add(1);
                        state.pause = Instant::now().checked_add(pause);
                    }
                }
                Err(Failure(Arc::new(error)))
            }
        };
        state.last = Some(result.clone());
        result
    }
}

#[cfg(test)]
mod tests;
