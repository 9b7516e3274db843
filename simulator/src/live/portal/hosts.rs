//! The names by which this computer is asked.
//!
//! Only names that are this computer's, or that are allowed by name, are answered: a page of another site whose name is
//! made to lead here (DNS rebinding) gets nothing.

use axum::http::HeaderValue;
use axum::http::uri::Authority;
use std::net::IpAddr;

/// The names that are answered, in small letters.
pub(super) struct Hosts(Vec<String>);

impl Hosts {
    /// Those of this computer at an address, and more.
    pub(super) fn new(address: IpAddr, more: &[String]) -> Hosts {
        let address = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let own = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into_iter().chain([address]);
        Hosts(own.chain(more.iter().map(|name| name.to_ascii_lowercase())).collect())
    }

    /// Whether a request's host is one of them, on whatever port.
    pub(super) fn know(&self, host: Option<&HeaderValue>) -> bool {
        let Some(authority) = host.and_then(|host| host.to_str().ok()?.parse::<Authority>().ok()) else {
            return false;
        };
        // The name, and a port that is a number or none: no user before the name.
        let port = authority.as_str().strip_prefix(authority.host());
        let plain = port.is_some_and(|port| {
            port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
        });
        plain && self.0.contains(&authority.host().to_ascii_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_known() {
        let hosts = Hosts::new(IpAddr::from([127, 0, 0, 2]), &["Portal.example".to_owned()]);
        let know = |host: &'static str| hosts.know(Some(&HeaderValue::from_static(host)));
        for host in
            ["localhost", "LOCALHOST:8750", "127.0.0.1:1", "[::1]:80", "127.0.0.2", "portal.Example:443"]
        {
            assert!(know(host), "{host}");
        }
        for host in ["", "evil.example", "localhost.evil.example", "127.0.0.3", "::1", "localhost:x", "a@b/c"]
        {
            assert!(!know(host), "{host}");
        }
        assert!(!hosts.know(None));
    }
}
