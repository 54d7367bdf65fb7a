//! Connections that the policy allows: names are resolved, checked and connected to in one step, so that no second answer
//! of a name server can come between check and use.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::time::timeout;

use super::guard::{Policy, Target, UrlRefused};
use super::names::{Resolver, SystemResolver};
use super::submitted::Submitted;

/// How long a submission waits for a name; one that takes longer is as one that does not resolve.
const SUBMIT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a connection may take, with resolving and TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What requests to users' URLs say they come from.
const USER_AGENT: &str = concat!("asset-service/", env!("CARGO_PKG_VERSION"));

/// The policy, and the resolver that it is applied to.
#[derive(Clone)]
pub struct Guard {
    policy: Arc<Policy>,
    resolver: Arc<dyn Resolver>,
    submitted: Arc<Submitted>,
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Guard").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Guard {
    /// A guard that asks the machine's resolver.
    ///
    /// # Errors
    /// There is none.
    pub fn new(policy: Policy) -> io::Result<Self> {
        Ok(Self::with_resolver(policy, Arc::new(SystemResolver::new()?)))
    }

    /// A guard that asks this resolver.
    #[must_use]
    pub fn with_resolver(policy: Policy, resolver: Arc<dyn Resolver>) -> Self {
        Self { policy: Arc::new(policy), resolver, submitted: Arc::default() }
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Checks a URL when it is submitted: its text, and what its host resolves to, if it resolves.
    ///
    /// # Errors
    /// Why it is refused.
    pub async fn check_url(&self, text: &str) -> Result<Target, UrlRefused> {
        let target = self.policy.check_url(text)?;
        let Some(name) = target.name() else { return Ok(target) };
        let is_refused = match self.submitted.is_refused(name, Instant::now()) {
            Some(is_refused) => is_refused,
            None => {
                let found = timeout(SUBMIT_TIMEOUT, self.resolver.resolve(name)).await;
                let is_refused = matches!(found, Ok(Ok(addresses)) if !self.policy.allows_all(&addresses));
                self.submitted.remember(name, is_refused, Instant::now());
                is_refused
            }
        };
        if is_refused { Err(UrlRefused::Host) } else { Ok(target) }
    }

    /// A client that connects to allowed addresses alone. It follows no redirect, knows no proxy, keeps no cookie, says
    /// nothing of where it comes from, and decompresses nothing.
    ///
    /// What it can't check is a host that *is* an address, as no resolver is asked for those: it is to be given URLs of
    /// [`Target`]s only.
    ///
    /// # Errors
    /// When TLS can't be set up.
    pub fn client(&self) -> reqwest::Result<reqwest::Client> {
        // reqwest takes the process's cryptography. An error says that it was chosen before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = || {
            reqwest::Client::builder()
                .dns_resolver(GuardedResolver(self.clone()))
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .referer(false)
                .no_gzip()
                .no_brotli()
                .no_zstd()
                .no_deflate()
                .https_only(!self.policy.allow_private_networks)
                .connect_timeout(CONNECT_TIMEOUT)
                .pool_idle_timeout(Duration::from_secs(30))
                .pool_max_idle_per_host(2)
                .user_agent(USER_AGENT)
        };
        builder().build().or_else(|error| {
            // A bare container has none; everything else shall work there.
            tracing::warn!(%error, "no CA certificates were found on this machine: https URLs of users can't be fetched");
            builder().tls_certs_only([]).build()
        })
    }
}

/// The guard as what the HTTP client asks for names.
struct GuardedResolver(Guard);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let Guard { policy, resolver, .. } = self.0.clone();
        Box::pin(async move {
            let addresses = resolver.resolve(name.as_str()).await?;
            if !policy.allows_all(&addresses) {
                return Err(AddressRefused.into());
            }
            Ok(Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

/// A name has resolved to an address that is refused. Users are told what they are told of any host that can't be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the host resolves to an address that is refused")]
pub struct AddressRefused;

impl AddressRefused {
    /// Whether this is why `error` happened.
    pub(crate) fn caused(error: &(dyn std::error::Error + 'static)) -> bool {
        std::iter::successors(Some(error), |error| error.source()).any(|error| error.is::<Self>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::testing::ScriptedResolver;

    fn guard(answers: &[(&str, &[&[&str]])]) -> Guard {
        Guard::with_resolver(Policy::default(), Arc::new(ScriptedResolver::new(answers)))
    }

    #[tokio::test]
    async fn a_submitted_name_is_refused_for_any_of_its_addresses() {
        let guard = guard(&[
            ("public.test", &[&["8.8.8.8", "2606:4700::1111"]]),
            ("mixed.test", &[&["8.8.8.8", "10.0.0.1"]]),
            ("six.test", &[&["::1"]]),
        ]);
        assert!(guard.check_url("https://public.test/").await.is_ok());
        assert_eq!(guard.check_url("https://mixed.test/").await, Err(UrlRefused::Host));
        assert_eq!(guard.check_url("https://mixed.test./").await, Err(UrlRefused::Host));
        assert_eq!(guard.check_url("https://six.test/").await, Err(UrlRefused::Host));
        assert_eq!(guard.check_url("http://public.test/").await, Err(UrlRefused::Scheme));
    }

    #[tokio::test]
    async fn a_submitted_name_that_does_not_resolve_is_accepted() {
        assert!(guard(&[]).check_url("https://not-yet.test/").await.is_ok());
    }

    #[tokio::test]
    async fn a_name_that_is_submitted_again_is_not_asked_for_again() {
        let guard = guard(&[("moved.test", &[&["8.8.8.8"], &["10.0.0.1"]])]);
        assert!(guard.check_url("https://moved.test/").await.is_ok());
        assert!(guard.clone().check_url("https://moved.test/elsewhere").await.is_ok());
    }

    #[tokio::test]
    async fn what_a_name_resolves_to_is_checked_again_when_it_is_connected_to() {
        let guard = guard(&[("rebind.test", &[&["8.8.8.8"], &["127.0.0.1"]])]);
        let target = guard.check_url("https://rebind.test/").await.unwrap();
        let error = guard.client().unwrap().get(target.url().clone()).send().await.unwrap_err();
        assert!(AddressRefused::caused(&error), "{error:?}");
    }
}
