//! Whose requests are counted together.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr};

use axum::extract::{FromRequestParts, Request};
use http::request::Parts;
use http::{Extensions, HeaderMap};

use crate::api::Input;
use crate::auth::Asking;

/// The address a request came from, as the connection says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// How many proxies stand before the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hops(pub(crate) usize);

/// The address a request comes from, for limits that hold for addresses: of a network of the sixth version, the network. None where a
/// request did not come over a connection and no proxy says more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(pub Option<IpAddr>);

impl<S: Sync> FromRequestParts<S> for Address {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let hops = parts.extensions.get::<Hops>().map_or(0, |Hops(hops)| *hops);
        Ok(Address(address(&parts.headers, &parts.extensions, hops)))
    }
}

impl Input for Address {}

/// Who makes a request: the caller of an accepted token, else the address. Bad tokens do not give anybody a bucket of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Who {
    Caller(String),
    Address(IpAddr),
    Nobody,
}

pub(super) fn who(request: &Request, hops: usize) -> Who {
    if let Ok(caller) = Asking::of(request) {
        return Who::Caller(caller.sub.clone());
    }
    match address(request.headers(), request.extensions(), hops) {
        Some(address) => Who::Address(address),
        None => Who::Nobody,
    }
}

fn address(headers: &HeaderMap, extensions: &Extensions, hops: usize) -> Option<IpAddr> {
    let peer = extensions.get::<Peer>().map(|Peer(address)| *address);
    forwarded(headers, hops).or(peer).map(network)
}

/// The address before so many proxies. What stands further to the left is what clients say of themselves.
fn forwarded(headers: &HeaderMap, hops: usize) -> Option<IpAddr> {
    let before = hops.checked_sub(1)?;
    let values = headers.get_all("x-forwarded-for").iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let addresses: Vec<&str> = values.flat_map(|value| value.split(',')).collect();
    let address = addresses.iter().rev().nth(before)?.trim();
    let bare = address.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok()
}

/// One customer has a whole network of the sixth version, usually /64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(forwarded: &[&str], hops: usize) -> Who {
        let mut request = Request::new(axum::body::Body::empty());
        request.extensions_mut().insert(Peer([10, 0, 0, 1].into()));
        for value in forwarded {
            let headers = request.headers_mut();
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        who(&request, hops)
    }

    #[test]
    fn only_what_trusted_proxies_say_of_an_address_is_believed() {
        let address = |text: &str| Who::Address(text.parse().unwrap());
        assert_eq!(asked(&["1.1.1.1"], 0), address("10.0.0.1"));
        assert_eq!(asked(&["6.6.6.6, 1.1.1.1"], 1), address("1.1.1.1"));
        assert_eq!(
            asked(&["6.6.6.6", "1.1.1.1, 2.2.2.2"], 2),
            address("1.1.1.1")
        );
        assert_eq!(asked(&["nonsense"], 1), address("10.0.0.1"));
        assert_eq!(asked(&[], 3), address("10.0.0.1"));
        assert_eq!(
            asked(&["2001:db8:1:2:3:4:5:6"], 1),
            address("2001:db8:1:2::")
        );
        assert_eq!(asked(&["::ffff:1.1.1.1"], 1), address("1.1.1.1"));
    }
}
