//! Finds the address of the client that sent a request.
//!
//! It is the address of the connection or, behind trusted proxies, the address that they report.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

/// Returns the address of the client.
///
/// `forwarded` holds the values of `X-Forwarded-For`, in the order of the header lines. Any client can write
/// that header. It therefore counts only behind a proxy in `trusted`. Only the part that such proxies wrote counts:
/// from the right to the first address that is not a trusted proxy.
#[must_use]
pub fn client_address<'a>(
    peer: IpAddr,
    forwarded: impl DoubleEndedIterator<Item = &'a [u8]>,
    trusted: &[IpNet],
) -> IpAddr {
    let mut address = peer.to_canonical();
    for hop in forwarded.rev().flat_map(|line| line.rsplit(|byte| *byte == b',')) {
        if !is_trusted(address, trusted) {
            break;
        }
        // A trusted proxy can't have written this value, so the values to its left don't count either.
        match std::str::from_utf8(hop).ok().and_then(|hop| parse(hop.trim())) {
            Some(hop) => address = hop,
            None => break,
        }
    }
    address
}

/// Returns whether this is the address of a trusted proxy.
#[must_use]
pub fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|net| net.contains(&address.to_canonical()))
}

/// Parses an address with or without a port, because proxies write both.
fn parse(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().ok().or_else(|| text.parse().ok().map(|address: SocketAddr| address.ip()))?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let trusted: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        client_address(peer.parse().unwrap(), forwarded.iter().map(|line| line.as_bytes()), &trusted)
            .to_string()
    }

    #[test]
    fn a_header_counts_only_behind_a_trusted_proxy() {
        let proxies = &["10.0.0.0/8", "fd00::/8"][..];
        for (peer, forwarded, trusted, expected) in [
            ("198.51.100.7", &["1.2.3.4"][..], &[][..], "198.51.100.7"),
            ("198.51.100.7", &["1.2.3.4"], proxies, "198.51.100.7"),
            ("10.0.0.1", &[], proxies, "10.0.0.1"),
            ("10.0.0.1", &["1.2.3.4"], proxies, "1.2.3.4"),
            ("::ffff:10.0.0.1", &["1.2.3.4"], proxies, "1.2.3.4"),
            ("fd00::1", &["2606:4700::1"], proxies, "2606:4700::1"),
            // The addresses on the left are those that the client itself wrote.
            ("10.0.0.1", &["6.6.6.6, 1.2.3.4"], proxies, "1.2.3.4"),
            ("10.0.0.1", &["6.6.6.6", "1.2.3.4"], proxies, "1.2.3.4"),
            ("10.0.0.1", &["6.6.6.6, 1.2.3.4, 10.0.0.2"], proxies, "1.2.3.4"),
            ("10.0.0.1", &["6.6.6.6", "1.2.3.4,10.0.0.2", "10.0.0.3"], proxies, "1.2.3.4"),
            ("10.0.0.1", &["10.0.0.9, 10.0.0.2"], proxies, "10.0.0.9"),
            ("10.0.0.1", &["1.2.3.4:5678"], proxies, "1.2.3.4"),
            ("10.0.0.1", &["[2606:4700::1]:5678"], proxies, "2606:4700::1"),
            ("10.0.0.1", &["[2606:4700::1]"], proxies, "2606:4700::1"),
            ("10.0.0.1", &["::ffff:1.2.3.4"], proxies, "1.2.3.4"),
            ("10.0.0.1", &["1.2.3.4, unknown"], proxies, "10.0.0.1"),
            ("10.0.0.1", &["1.2.3.4, "], proxies, "10.0.0.1"),
            ("10.0.0.1", &["1.2.3.4, bad, 10.0.0.2"], proxies, "10.0.0.2"),
        ] {
            assert_eq!(find(peer, forwarded, trusted), expected, "{peer} {forwarded:?}");
        }
    }

    proptest! {
        #[test]
        fn no_header_panics(header in "\\PC*") {
            find("10.0.0.1", &[&header], &["0.0.0.0/0", "::/0"]);
        }

        #[test]
        fn nothing_that_a_client_writes_hides_its_address(header in "[0-9a-f.:, \\[\\]]{0,60}") {
            let seen = format!("{header},1.2.3.4");
            prop_assert_eq!(find("10.0.0.1", &[&seen], &["10.0.0.0/8"]), "1.2.3.4");
        }
    }
}
