//! Digests of keys.

use ring::digest::{SHA256, digest};
use subtle::ConstantTimeEq;

/// The digest of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// The prefix of digests in the settings.
    pub(crate) const PREFIX: &str = "sha256:";

    /// Returns the digest of a key.
    pub(crate) fn of(key: &str) -> Self {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest(&SHA256, key.as_bytes()).as_ref());
        Self(bytes)
    }

    /// Compares in constant time.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// Reads a key in the settings: in plain text, or `sha256:` and its digest.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let Some(digits) = text.strip_prefix(Self::PREFIX) else { return Ok(Self::of(text)) };
        let byte = |at: usize| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
        let bytes = bytes.filter(|_| digits.len() == 64).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| {
            format!("`{}` needs 64 hexadecimal digits; print them with `printf %s KEY | sha256sum`", Self::PREFIX)
        })
    }
}
