//! Whose answers are kept: clients are told apart by what their keys come to.

use http::{HeaderMap, HeaderValue, header};
use ring::digest::{Context, SHA256};

use crate::headers::{API_KEY, AZURE_KEY};

/// Whose answers they are: what a client's key comes to, the same in every proxy. Clients without a key are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Owner([u8; 16]);

impl Owner {
    /// Returns the owner whose key is in a request's headers.
    pub(crate) fn of_headers(headers: &HeaderMap) -> Self {
        let keys = [header::AUTHORIZATION, API_KEY, AZURE_KEY].map(|name| headers.get(name).map(HeaderValue::as_bytes));
        let mut said = Vec::new();
        for key in keys.into_iter().map(Option::unwrap_or_default) {
            said.extend_from_slice(&(key.len() as u64).to_le_bytes());
            said.extend_from_slice(key);
        }
        Self::of(&said)
    }

    /// Returns the owner with these bytes for a key.
    pub(crate) fn of(key: &[u8]) -> Self {
        let mut context = Context::new(&SHA256);
        context.update(key);
        let mut half = [0; 16];
        half.iter_mut().zip(context.finish().as_ref()).for_each(|(half, byte)| *half = *byte);
        Self(half)
    }

    /// Returns the owner's name in a shared store.
    #[cfg(feature = "redis")]
    pub(crate) fn name(self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
    }
}
