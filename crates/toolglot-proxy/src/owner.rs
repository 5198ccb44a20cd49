//! Owners of stored answers, identified by digests of their keys.

use http::{HeaderMap, HeaderValue, header};
use ring::digest::{SHA256, digest};

use crate::headers::{API_KEY, AZURE_KEY};

/// The owner of answers: a digest of the client's key, the same in every proxy. Clients without a key share one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Owner([u8; 16]);

impl Owner {
    /// Returns the owner of the key in a request's headers.
    pub(crate) fn of_headers(headers: &HeaderMap) -> Self {
        let keys = [header::AUTHORIZATION, API_KEY, AZURE_KEY].map(|name| headers.get(name).map(HeaderValue::as_bytes));
        let mut bytes = Vec::new();
        for key in keys.into_iter().map(Option::unwrap_or_default) {
            bytes.extend_from_slice(&(key.len() as u64).to_le_bytes());
            bytes.extend_from_slice(key);
        }
        Self::of(&bytes)
    }

    /// Returns the owner of a key.
    pub(crate) fn of(key: &[u8]) -> Self {
        let mut half = [0; 16];
        half.iter_mut().zip(digest(&SHA256, key).as_ref()).for_each(|(half, byte)| *half = *byte);
        Self(half)
    }

    /// Returns the owner's name in a shared store.
    #[cfg(feature = "redis")]
    pub(crate) fn name(self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
    }
}
