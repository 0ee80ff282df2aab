//! The guard with the real policy: spellings of addresses, and two other readers of addresses beside ours.

use std::net::{IpAddr, SocketAddr};

use ken_forage::address::Host;
use ken_forage::guard::range_of;
use ken_forage::{Address, AddressPolicy, Domains, Fetcher};
use proptest::prelude::*;

/// Hosts that must never be connected to, in as many notations as programs have been seen to read.
const REFUSED_HOSTS: &[&str] = &[
    // Loopback.
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "127.00.0.1",
    "0127.0.0.1",
    "127.0.0.0x1",
    "127.255.255.254",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "localhost.localdomain",
    "loc%61lhost",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "127。0。0。1",
    "127．0．0．1",
    "①②⑦.⓪.⓪.①",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "ｌocalhost",
    "loc\u{ad}alhost",
    "loc\u{200b}alhost",
    "1２7.0.0.1",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    "[::0001]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[::1%25lo]",
    "[::1%lo]",
    "::1",
    "[::1",
    "::1]",
    // This network, and everybody.
    "0.0.0.0",
    "0",
    "0x0",
    "00",
    "0.1",
    "0.0.0.1",
    "[::]",
    "[0::0]",
    "255.255.255.255",
    "0xffffffff",
    "4294967295",
    "240.0.0.1",
    "[ff02::1]",
    "224.0.0.1",
    "239.255.255.250",
    "[ff0e::1]",
    // Private, shared and link-local networks.
    "10.0.0.1",
    "10.1",
    "0xa.0.0.1",
    "012.0.0.1",
    "167772161",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "0xac100001",
    "192.168.0.1",
    "192.168.1",
    "192.168.257",
    "0xc0a80001",
    "3232235521",
    "0300.0250.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "169.254.0.1",
    "169.254.255.255",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[febf::1]",
    "[fec0::1]",
    "[fc00::1]",
    "[fd00::1]",
    "[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]",
    "[::ffff:10.0.0.1]",
    "[::ffff:192.168.0.1]",
    "[::ffff:a00:1]",
    "[::10.0.0.1]",
    // Metadata of clouds.
    "169.254.169.254",
    "169.254.170.2",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
    "169.254.43518",
    "169.16689662",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[fd00:ec2::254]",
    "[fe80::a9fe:a9fe]",
    "168.63.129.16",
    "100.100.100.200",
    "metadata.google.internal",
    "metadata.google.internal.",
    "METADATA.google.INTERNAL",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.internal",
    // Ways from IPv6 to IPv4.
    "[64:ff9b::7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::8.8.8.8]",
    "[64:ff9b:1::1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2002:808:808::1]",
    "[2001::1]",
    "[2001:0:7f00:1::]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[::ffff:8.8.8.8]",
    "[::8.8.8.8]",
    "192.88.99.1",
    "[100::1]",
    "[5f00::1]",
    // Documentation, benchmarks, protocols.
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "198.18.0.1",
    "198.19.255.255",
    "192.0.0.1",
    "192.0.0.170",
    "192.31.196.1",
    "192.52.193.1",
    "192.175.48.1",
    "[2001:db8::1]",
    "[3fff::1]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2620:4f:8000::1]",
    // Outside of what is handed out.
    "[1::1]",
    "[4000::1]",
    "[8000::]",
    "[e000::1]",
    "[0:0:1::]",
    // Names of private networks.
    "intranet",
    "router",
    "db",
    "printer.local",
    "nas.lan",
    "git.corp",
    "wiki.internal",
    "x.home.arpa",
    "a.intranet",
    "fritz.home",
    "x.private",
    "host.test",
    "x.invalid",
    "abcdefghij.onion",
    "kubernetes.default.svc.cluster.local",
    // No host at all.
    "",
    ".",
    "..",
    "a..b",
    ".example.com",
    "-a.example.com",
    "a-.example.com",
    "example.com-",
    "exa mple.com",
    "exämple.com",
    "例え.jp",
    "xn--.\u{7f}",
    "a_b.example.com",
    "example.com\\@evil.com",
    "example.c%6fm",
    "1.2.3.4.5",
    "1.2.3",
    "example.1",
    "example.0x1",
    "256.256.256.256",
    "1.2.3.256",
    "1.2.3.4.",
    "[1.2.3.4]",
    "[example.com]",
    "[]",
    "[:]",
    "[:::]",
    "[1:2:3:4:5:6:7:8:9]",
    "[::1]x",
    "x[::1]",
];

/// Whole addresses that must be refused whatever their host is.
const REFUSED: &[&str] = &[
    "",
    "example.com",
    "//example.com",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "data:text/html,x",
    "javascript:alert(1)",
    "http:example.com",
    "http:/example.com",
    "http:///example.com",
    "http:\\\\example.com",
    "http://user@example.com/",
    "http://user:pw@example.com/",
    "http://@example.com/",
    "http://example.com@127.0.0.1/",
    "http://127.0.0.1#@example.com/",
    "http://127.0.0.1?@example.com/",
    "http://127.0.0.1/@example.com",
    "http://example.com\\@127.0.0.1/",
    "http://127.0.0.1\\@example.com/",
    "http://example.com:80:80/",
    "http://example.com:/",
    "http://example.com:0/",
    "http://example.com:00080/",
    "http://example.com:65536/",
    "http://example.com:+80/",
    "http://example.com:-1/",
    "http://example.com:８０/",
    "http://example.com:22/",
    "http://example.com:25/",
    "http://example.com:6379/",
    "http://example.com:11211/",
    "https://example.com:9200/",
    "http://example.com /",
    "http:// example.com/",
    "http://exam\tple.com/",
    "http://example.com/\r\nHost: x",
    "http://example.com/a b",
    "\u{0}http://example.com/",
    "http://example.com/\u{85}",
    "http://[::ffff:127.0.0.1]:80/",
    "http+unix://%2Fvar%2Frun%2Fx/",
    "https://[fe80::1%25eth0]/",
    "hTTp://LOCALHOST:8080/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::]:80/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "view-source:http://example.com",
    "blob:http://example.com/x",
];

const READ: &[(&str, &str)] = &[
    ("https://example.com", "https://example.com/"),
    ("HTTPS://EXAMPLE.com:443/A", "https://example.com/A"),
    ("http://example.com:80/a/../b/./c?x=1#part", "http://example.com/b/c?x=1"),
    ("http://example.com:8080/%7Ejoe/ü?q=ä b".split_at(36).0, "http://example.com:8080/%7Ejoe/%C3%BC?q="),
    ("http://example.com/%2e%2e/%2E/a", "http://example.com/a"),
    ("http://example.com?x", "http://example.com/?x"),
    ("http://1.1.1.1/", "http://1.1.1.1/"),
    ("http://[2606:4700:0:0::1111]/", "http://[2606:4700::1111]/"),
    ("http://xn--bcher-kva.example.com/", "http://xn--bcher-kva.example.com/"),
    ("http://example.com/a|b{c}", "http://example.com/a%7Cb%7Bc%7D"),
    ("http://example.com/100%", "http://example.com/100%25"),
];

/// What the real policy says of an address, and of all that it may resolve to.
fn is_let_through(text: &str) -> bool {
    let Ok(address) = Address::parse(text) else { return false };
    let policy = AddressPolicy::default();
    policy.check_host(&address.host, address.port()).is_ok()
        && address.host.ip().is_none_or(|ip| policy.check(SocketAddr::new(ip, address.port())).is_ok())
}

#[test]
fn no_spelling_of_a_private_address_is_let_through() {
    let mut tried = REFUSED.len();
    for text in REFUSED {
        assert!(!is_let_through(text), "{text:?}");
    }
    for host in REFUSED_HOSTS {
        for text in [format!("http://{host}/"), format!("https://{host}:8080/x?y"), format!("HTTP://{host}")]
        {
            tried += 1;
            assert!(!is_let_through(&text), "{text:?}");
        }
    }
    assert!(tried >= 200, "{tried}");
    for (text, read) in READ {
        let address = Address::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(address.to_string(), *read);
        assert!(is_let_through(text), "{text}");
        // What is put together from the parts is read as the same parts.
        assert_eq!(Address::parse(&address.to_string()).unwrap(), address);
    }
}

#[test]
fn links_are_joined_as_others_join_them() {
    let base = "https://example.com/a/b?q=1";
    let ours = Address::parse(base).unwrap();
    let theirs = url::Url::parse(base).unwrap();
    for link in [
        "",
        "#x",
        "?y=2",
        "c",
        "./c",
        "../c",
        "../../../c",
        "/c/../d",
        "//other.org/e",
        "http://other.org:8080/f",
        "c/./d/../e?f#g",
        "c;x=1",
        "a/%2e%2e/b",
        "..",
        ".",
        "/",
        "c:d/e".split_at(1).0,
        "HTTPS://other.org",
        "/ü",
        "/a?b=/../c",
    ] {
        assert_eq!(
            ours.join(link).unwrap().to_string(),
            {
                let mut joined = theirs.join(link).unwrap();
                joined.set_fragment(None);
                joined.to_string()
            },
            "{link:?}"
        );
    }
    for link in [
        "javascript:alert(1)",
        "//user@other.org/",
        "http:\\\\x",
        "\\\\x",
        "http://127.1/",
        "file:///etc",
        "/a\nb",
    ] {
        assert!(ours.join(link).is_err(), "{link:?}");
    }
}

/// Pieces that addresses are made of, so that odd ones come up often.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("http://"),
        Just("https://"),
        Just("http:"),
        Just("//"),
        Just("/"),
        Just("\\"),
        Just("@"),
        Just(":"),
        Just("#"),
        Just("?"),
        Just("."),
        Just(".."),
        Just("%2e"),
        Just("%40"),
        Just("%00"),
        Just("127.0.0.1"),
        Just("127.1"),
        Just("0x7f"),
        Just("010"),
        Just("[::1]"),
        Just("[::ffff:1.2.3.4]"),
        Just("["),
        Just("]"),
        Just("example.com"),
        Just("localhost"),
        Just("80"),
        Just("8080"),
        Just("a"),
        Just("-"),
        Just("_"),
        Just("ü"),
        Just("。"),
        Just("１"),
        Just("\t"),
        Just(" "),
        Just("xn--"),
        Just("2130706433"),
        Just("0"),
    ];
    prop::collection::vec(piece, 1..9).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Whatever ours reads, two others read with the same host and port, or refuse.
    #[test]
    fn no_other_reader_sees_another_host(rest in pieces(), prefixed in any::<bool>()) {
        let text = if prefixed { format!("http://{rest}") } else { rest };
        if let Ok(ours) = Address::parse(&text) {
            for spelled in [text.trim().to_owned(), ours.to_string()] {
                if let Ok(url) = url::Url::parse(&spelled) {
                    prop_assert_eq!(Host::parse(url.host_str().unwrap_or_default()), Some(ours.host.clone()), "{}", spelled);
                    prop_assert_eq!(url.port_or_known_default(), Some(ours.port()), "{}", spelled);
                }
                if let Ok(uri) = fluent_uri::Uri::parse(spelled.as_str()) {
                    let authority = uri.authority().expect("it has one");
                    prop_assert_eq!(Host::parse(&authority.host().to_lowercase()), Some(ours.host.clone()), "{}", spelled);
                    let port = authority.port_to_u16().ok().flatten();
                    prop_assert!(port.is_none_or(|port| port == ours.port()), "{}", spelled);
                }
            }
            // The client reads what we write as we do.
            let uri: ureq::http::Uri = ours.to_string().parse().expect("the client reads it");
            prop_assert_eq!(uri.host().and_then(Host::parse), Some(ours.host.clone()));
            prop_assert!(uri.port_u16().is_none_or(|port| port == ours.port()));
        }
    }

    /// What the standard library knows to be special is never public.
    #[test]
    fn special_addresses_are_not_public(bits in any::<u32>(), high in any::<u128>(), near in 0..8_u32) {
        // Low numbers and borders of ranges come up more often than chance has them.
        let v4 = std::net::Ipv4Addr::from(bits.rotate_left(near * 4));
        let special = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_broadcast() || v4.is_documentation()
            || v4.is_multicast() || v4.is_unspecified() || v4.octets()[0] >= 240;
        prop_assert!(!special || range_of(IpAddr::V4(v4)).is_some(), "{}", v4);
        for v6 in [v4.to_ipv6_mapped(), v4.to_ipv6_compatible(), std::net::Ipv6Addr::from(high >> (near * 16))] {
            let special = v6.is_loopback() || v6.is_unspecified() || v6.is_multicast() || v6.is_unique_local()
                || v6.is_unicast_link_local() || v6.to_ipv4_mapped().is_some();
            prop_assert!(!special || range_of(IpAddr::V6(v6)).is_some(), "{}", v6);
        }
    }
}

/// What a name resolves to is judged, all of it, and with the real policy nothing on this machine is ever connected to.
#[test]
fn a_name_is_as_good_as_the_worst_address_it_has() {
    let server = crate::server::Server::start(|_| crate::server::html("<p>secret</p>"));
    for addresses in [
        vec!["127.0.0.1"],
        vec!["1.1.1.1", "127.0.0.1"],
        vec!["::1"],
        vec!["::ffff:127.0.0.1"],
        vec!["10.0.0.1"],
        vec!["169.254.169.254"],
    ] {
        let ips: Vec<IpAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        let mut fetcher = Fetcher::with_names(AddressPolicy::default(), move |_| ips.clone());
        let address = Address::parse("http://rebind.example.com:8080/").unwrap();
        let fault = fetcher.page(&address, &Domains::default()).unwrap_err();
        assert_eq!(fault.word(), "blocked", "{addresses:?}: {fault}");
    }
    assert_eq!(server.requests(), Vec::<String>::new());
}
