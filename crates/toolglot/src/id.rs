//! Ids for calls that have none: made from a seed and the call's position, so that the core needs no randomness.

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The prefix of every id, and the number of letters after it.
const PREFIX: &str = "call_";
const LETTERS: usize = 24;

/// Returns an id for the call at `index`. The same seed and index give the same id, different ones different ids.
///
/// # Example
/// ```
/// use toolglot::mint;
/// assert_eq!(mint(7, 0), mint(7, 0));
/// assert_ne!(mint(7, 0), mint(7, 1));
/// ```
pub fn mint(seed: u64, index: usize) -> String {
    let mut place = index as u64;
    let mut state = seed.wrapping_add(split_mix(&mut place));
    state = split_mix(&mut state);
    let mut id = String::with_capacity(PREFIX.len() + LETTERS);
    id.push_str(PREFIX);
    let mut letters = [0; LETTERS];
    // One step has bits for eight letters and some to spare.
    for eight in letters.chunks_mut(8) {
        let mut bits = split_mix(&mut state);
        for letter in eight {
            let wide = u128::from(bits) * ALPHABET.len() as u128;
            (*letter, bits) = (ALPHABET[(wide >> 64) as usize], wide as u64);
        }
    }
    id.push_str(str::from_utf8(&letters).unwrap_or_default());
    id
}

/// Returns a seed for [`mint`] that depends on every byte of a text, such as a request.
pub fn seed_of(text: &[u8]) -> u64 {
    let mut seed = Seed::default();
    seed.feed(text);
    seed.of_all()
}

/// Computes [`seed_of`] for a text that arrives in pieces: a hash of eight bytes at a time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seed {
    state: u64,
    /// The bytes that do not fill a word yet.
    word: [u8; 8],
    length: u64,
}

impl Seed {
    pub(crate) fn feed(&mut self, mut text: &[u8]) {
        let filled = (self.length % 8) as usize;
        self.length += text.len() as u64;
        if filled > 0 {
            let (more, rest) = text.split_at(text.len().min(8 - filled));
            self.word[filled..filled + more.len()].copy_from_slice(more);
            if filled + more.len() < 8 {
                return;
            }
            self.add(self.word);
            text = rest;
        }
        let (words, rest) = text.as_chunks::<8>();
        words.iter().for_each(|word| self.add(*word));
        self.word[..rest.len()].copy_from_slice(rest);
    }

    pub(crate) fn of_all(mut self) -> u64 {
        self.word[(self.length % 8) as usize..].fill(0);
        self.add(self.word);
        self.state ^ self.length
    }

    fn add(&mut self, word: [u8; 8]) {
        let mixed = (self.state ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.state = mixed ^ (mixed >> 32);
    }
}

/// One step of the SplitMix64 generator.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
