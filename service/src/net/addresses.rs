//! Classifies addresses by IANA's special-purpose address registries.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// The class of an address, which decides whether the service may connect to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// A host on the public internet.
    Public,
    /// This machine or its networks. An operator may allow this class as a whole.
    Private,
    /// Any other address: unassigned, multicast, link-local, or one that embeds an IPv4 address.
    ///
    /// Clouds serve machine credentials on link-local addresses.
    Special,
}

use Reach::{Private, Special};

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(bits: u128, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::from_bits(bits), prefix)
}

const V4: &[(Ipv4Net, Reach)] = &[
    (v4(0, 0, 0, 0, 8), Special), // "this network": 0.0.0.0 reaches this machine on Linux
    (v4(10, 0, 0, 0, 8), Private),
    (v4(100, 64, 0, 0, 10), Private), // carrier-grade NAT
    (v4(127, 0, 0, 0, 8), Private),
    (v4(169, 254, 0, 0, 16), Special), // link-local: clouds serve credentials on 169.254.169.254
    (v4(172, 16, 0, 0, 12), Private),
    (v4(192, 0, 0, 0, 24), Special),   // protocol assignments
    (v4(192, 0, 2, 0, 24), Special),   // documentation
    (v4(192, 88, 99, 0, 24), Special), // 6to4 relays
    (v4(192, 168, 0, 0, 16), Private),
    (v4(198, 18, 0, 0, 15), Special),   // benchmarking
    (v4(198, 51, 100, 0, 24), Special), // documentation
    (v4(203, 0, 113, 0, 24), Special),  // documentation
    (v4(224, 0, 0, 0, 4), Special),     // multicast
    (v4(240, 0, 0, 0, 4), Special),     // reserved and broadcast
];

/// The range of public IPv6 addresses, except for the ranges of the table below.
const GLOBAL_UNICAST: Ipv6Net = v6(0x2000 << 112, 3);

const V6: &[(Ipv6Net, Reach)] = &[
    (v6(1, 128), Private), // loopback
    (v6(0xfc00 << 112, 7), Private),
    (v6(0x2001 << 112, 23), Special), // protocol assignments: Teredo 2001::/32, benchmarking, ORCHID
    (v6(0x2001_0db8 << 96, 32), Special), // documentation
    (v6(0x2002 << 112, 16), Special), // 6to4
    (v6(0x3fff << 112, 20), Special), // documentation
];

/// IPv4-mapped addresses: `::ffff:0:0/96`.
pub(super) const MAPPED: Ipv6Net = v6(0xffff << 32, 96);

/// NAT64 addresses: `64:ff9b::/96`.
const NAT64: Ipv6Net = v6(0x0064_ff9b << 96, 96);

/// Returns the class of an address.
#[must_use]
pub fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => {
            let row = V4.iter().find(|(net, _)| net.contains(&address));
            row.map_or(Reach::Public, |(_, reach)| *reach)
        }
        IpAddr::V6(address) => match V6.iter().find(|(net, _)| net.contains(&address)) {
            Some((_, reach)) => *reach,
            None if GLOBAL_UNICAST.contains(&address) => Reach::Public,
            None => Special,
        },
    }
}

/// Returns the IPv4 address inside an IPv4-mapped, NAT64 or 6to4 address.
pub(super) fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = address.to_bits();
    let low =
        |shift: u32| Ipv4Addr::from_bits(u32::try_from((bits >> shift) & 0xffff_ffff).unwrap_or_default());
    match address.segments() {
        _ if MAPPED.contains(&address) || NAT64.contains(&address) => Some(low(0)),
        [0x2002, ..] => Some(low(80)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the first and last address of each range.
    #[test]
    fn each_refused_range_is_refused_from_end_to_end() {
        let special = [
            ("0.0.0.0", "0.255.255.255"),
            ("169.254.0.0", "169.254.255.255"),
            ("192.0.0.0", "192.0.0.255"),
            ("192.0.2.0", "192.0.2.255"),
            ("192.88.99.0", "192.88.99.255"),
            ("198.18.0.0", "198.19.255.255"),
            ("198.51.100.0", "198.51.100.255"),
            ("203.0.113.0", "203.0.113.255"),
            ("224.0.0.0", "239.255.255.255"),
            ("240.0.0.0", "255.255.255.255"),
            ("::", "::"),
            ("::2", "::fffe:ffff:ffff"), // IPv4-compatible and neighbouring ranges
            ("::ffff:0.0.0.0", "::ffff:255.255.255.255"),
            ("::ffff:8.8.8.8", "::ffff:127.0.0.1"),
            ("::ffff:0:0:0", "::ffff:0:ffff:ffff"), // IPv4-translated
            ("64:ff9b::", "64:ff9b::ffff:ffff"),
            ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
            ("100::", "100::ffff:ffff:ffff:ffff"),
            ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"),
            ("2001:10::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("4000::", "5eff::"),
            ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ];
        let private = [
            ("10.0.0.0", "10.255.255.255"),
            ("100.64.0.0", "100.127.255.255"),
            ("127.0.0.0", "127.255.255.255"),
            ("172.16.0.0", "172.31.255.255"),
            ("192.168.0.0", "192.168.255.255"),
            ("::1", "::1"),
            ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ];
        for (ranges, expected) in [(&special[..], Special), (&private[..], Private)] {
            for address in ranges.iter().flat_map(|(first, last)| [first, last]) {
                assert_eq!(reach(address.parse().unwrap()), expected, "{address}");
            }
        }
    }

    #[test]
    fn addresses_next_to_a_refused_range_are_public() {
        let public = [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "191.255.255.255",
            "192.0.1.0",
            "192.0.3.0",
            "192.88.98.255",
            "192.88.100.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "8.8.8.8",
            "2000::",
            "2001:200::",
            "2001:db7:ffff::",
            "2001:db9::",
            "2001:4860:4860::8888",
            "2003::",
            "3ffe:ffff::",
            "3fff:1000::",
            "2606:4700::1111",
        ];
        for address in public {
            assert_eq!(reach(address.parse().unwrap()), Reach::Public, "{address}");
        }
    }

    #[test]
    fn embedded_addresses_are_found() {
        let cases = [
            ("::ffff:10.0.0.1", Some("10.0.0.1")),
            ("64:ff9b::a9fe:a9fe", Some("169.254.169.254")),
            ("2002:7f00:1::1", Some("127.0.0.1")),
            ("2001:4860:4860::8888", None),
        ];
        for (address, expected) in cases {
            let expected = expected.map(|text| text.parse().unwrap());
            assert_eq!(embedded(address.parse().unwrap()), expected, "{address}");
        }
    }
}
