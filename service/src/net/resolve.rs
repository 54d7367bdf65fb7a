//! HTTP connections within the policy.
//!
//! Resolving, checking and connecting are one step, so that a name can't resolve to another address between
//! check and use (DNS rebinding).

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::dns::{Resolver, SystemResolver};
use super::guard::Policy;

/// How long a connection may take, including lookup and TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The `User-Agent` of requests to user-supplied URLs.
const USER_AGENT: &str = concat!("asset-service/", env!("CARGO_PKG_VERSION"));

/// The policy on URLs together with the resolver.
#[derive(Clone)]
pub struct Guard {
    policy: Arc<Policy>,
    resolver: Arc<dyn Resolver>,
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Guard").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Guard {
    /// Creates a guard with the machine's resolver.
    ///
    /// # Errors
    /// The resolver can't be created.
    pub fn new(policy: Policy) -> io::Result<Self> {
        Ok(Self::with_resolver(policy, Arc::new(SystemResolver::new()?)))
    }

    /// Creates a guard with this resolver.
    #[must_use]
    pub fn with_resolver(policy: Policy, resolver: Arc<dyn Resolver>) -> Self {
        Self { policy: Arc::new(policy), resolver }
    }

    /// Returns the policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Creates an HTTP client that only connects to allowed addresses.
    ///
    /// It follows no redirects, uses no proxy, keeps no cookies, sends no `Referer`, and decompresses
    /// nothing.
    ///
    /// It can't check a host that is an address literal, because the client resolves no name for it. Pass it
    /// URLs of [`Target`](super::guard::Target)s only.
    ///
    /// # Errors
    /// TLS can't be set up.
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
                .https_only(!self.policy.allows_http())
                .connect_timeout(CONNECT_TIMEOUT)
                .pool_idle_timeout(Duration::from_secs(30))
                .pool_max_idle_per_host(2)
                .user_agent(USER_AGENT)
        };
        builder().build().or_else(|error| {
            // A minimal container has no CA certificates; everything but https must still work.
            tracing::warn!(%error, "no CA certificates found: https URLs of webhooks and media will fail; install CA certificates");
            builder().tls_certs_only([]).build()
        })
    }
}

/// A resolver of the HTTP client that applies the guard.
struct GuardedResolver(Guard);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let Guard { policy, resolver } = self.0.clone();
        Box::pin(async move {
            let addresses = resolver.resolve(name.as_str()).await?;
            if !policy.allows_all(&addresses) {
                return Err(AddressRefused.into());
            }
            Ok(Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

/// The error for a name that resolves to a refused address.
///
/// Users see the text for unreachable hosts instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("host resolves to a private or reserved address")]
pub struct AddressRefused;

impl AddressRefused {
    /// Returns whether this error is among the causes of `error`.
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

    /// Returns whether a connection to this host is refused because of its addresses.
    async fn is_refused(guard: &Guard, host: &str) -> bool {
        let target = guard.policy().check_url(&format!("https://{host}/")).unwrap();
        let error = guard.client().unwrap().get(target.url().clone()).send().await.unwrap_err();
        AddressRefused::caused(&error)
    }

    #[tokio::test]
    async fn a_name_is_refused_for_any_of_its_addresses_when_it_is_connected_to() {
        let guard = guard(&[("mixed.test", &[&["8.8.8.8", "10.0.0.1"]]), ("six.test", &[&["::1"]])]);
        for host in ["mixed.test", "mixed.test.", "six.test"] {
            assert!(is_refused(&guard, host).await, "{host}");
        }
        assert!(!is_refused(&guard, "gone.test").await);
    }

    #[tokio::test]
    async fn resolved_addresses_are_checked_on_each_connection() {
        let resolver = GuardedResolver(guard(&[("rebind.test", &[&["8.8.8.8"], &["127.0.0.1"]])]));
        let resolve = || resolver.resolve("rebind.test".parse().unwrap());
        assert!(resolve().await.is_ok());
        assert!(resolve().await.err().is_some_and(|error| error.is::<AddressRefused>()));
    }
}
