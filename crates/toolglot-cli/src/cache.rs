//! A cache of values computed from text.

use std::collections::HashMap;

/// Bytes of keys at which the cache is cleared.
const BOUND: usize = 8 << 20;

/// A bounded cache of what `make` returned for a text.
#[derive(Clone, Debug)]
pub(crate) struct Cache<V> {
    made: HashMap<Box<str>, V>,
    bytes: usize,
}

impl<V> Default for Cache<V> {
    fn default() -> Self {
        Self { made: HashMap::new(), bytes: 0 }
    }
}

impl<V: Clone> Cache<V> {
    /// Returns the cached value of the text, or makes it.
    pub(crate) fn get(&mut self, text: &str, make: impl FnOnce() -> V) -> V {
        if let Some(made) = self.made.get(text) {
            return made.clone();
        }
        let made = make();
        self.bytes += text.len();
        // Inputs repeat a few texts; where they do not, a cache in any order would not help either.
        if self.bytes > BOUND || self.made.len() > 1024 {
            self.made.clear();
            self.bytes = text.len();
        }
        self.made.insert(text.into(), made.clone());
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_once_and_stays_small() {
        let (mut cache, mut made) = (Cache::default(), 0);
        for n in 0..5000 {
            let text = (n % 2500).to_string();
            assert_eq!(
                cache.get(&text, || {
                    made += 1;
                    text.len()
                }),
                text.len()
            );
            assert_eq!(cache.get(&text, || unreachable!("just made")), text.len());
        }
        assert!(cache.made.len() <= 1025);
        assert_eq!(made, 5000);
    }
}
