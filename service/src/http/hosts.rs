//! The hosts of the operators' address.
//!
//! A web page of another site can make its own host name resolve to an address of the inner network (DNS rebinding). A browser
//! in that network then lets the page read responses that need no key. But the browser sends the page's host name.

use std::net::IpAddr;

use axum::http::header::{self, HeaderValue};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;

use super::message;
use crate::config::host;

/// The hosts for which requests are served.
pub(super) enum Hosts {
    /// All.
    Any,
    /// IP addresses, `localhost` and these names.
    Inner(Vec<String>),
}

impl Hosts {
    /// Returns IP addresses, `localhost` and these names, as browsers send them.
    pub(super) fn inner(names: &[String]) -> Self {
        Self::Inner(names.iter().filter_map(|name| host(name).ok()).collect())
    }

    /// Returns the response to a request for another host.
    pub(super) fn refused(&self, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        let Self::Inner(names) = self else { return None };
        let mut hosts = headers.get_all(header::HOST).iter();
        let is_header_of = |host: &HeaderValue| {
            Authority::try_from(host.as_bytes()).is_ok_and(|host| is_one_of(host.host(), names))
        };
        // Every browser sends a host.
        if uri.host().is_none_or(|host| is_one_of(host, names)) && hosts.all(is_header_of) {
            return None;
        }
        let why = "The host is not served here; the setting `admin-hosts` lists the names that are";
        Some(message(StatusCode::MISDIRECTED_REQUEST, why))
    }
}

fn is_one_of(host: &str, names: &[String]) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    address.parse::<IpAddr>().is_ok()
        || host.eq_ignore_ascii_case("localhost")
        || names.iter().any(|name| host.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_listed_is_refused() {
        let hosts = Hosts::inner(&["Ops.example".to_owned(), "m\u{fc}nchen.example".to_owned()]);
        let is_served = |uri: &'static str, host: &'static [u8]| {
            let mut headers = HeaderMap::new();
            headers.append(header::HOST, HeaderValue::from_static("127.0.0.1"));
            headers.append(header::HOST, HeaderValue::from_bytes(host).unwrap());
            let uri = Uri::from_static(uri);
            assert!(Hosts::Any.refused(&uri, &headers).is_none());
            hosts.refused(&uri, &headers).is_none()
        };
        for host in [
            "10.0.0.1:9090",
            "[::1]",
            "[::1]:9090",
            "LOCALHOST:1",
            "OPS.example:443",
            "xn--mnchen-3ya.example",
        ] {
            assert!(is_served("/metrics", host.as_bytes()), "{host}");
        }
        for host in
            ["evil.example:9090", "ops.example.evil", "127.0.0.1.evil", "", "127.0.0.1@evil", "\u{e9}"]
        {
            assert!(!is_served("/metrics", host.as_bytes()), "{host}");
        }
        assert!(is_served("http://ops.example/metrics", b"10.0.0.1"));
        assert!(!is_served("http://evil.example/metrics", b"10.0.0.1"));
        assert!(hosts.refused(&Uri::from_static("/"), &HeaderMap::new()).is_none());
    }
}
