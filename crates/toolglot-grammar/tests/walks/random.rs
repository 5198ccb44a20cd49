//! Dice that fall the same way for the same seed.

/// Numbers from a seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 8) as usize % limit.max(1)
    }

    /// Returns a character of a set: often plain, sometimes one that breaks things.
    pub(crate) fn of_set(&mut self, ranges: &[(char, char)], negated: bool) -> char {
        let fits = |c: char| ranges.iter().any(|range| (range.0..=range.1).contains(&c)) != negated;
        if !negated {
            let (from, to) = ranges[self.below(ranges.len())];
            let size = u32::from(to) - u32::from(from) + 1;
            let near = if size > 256 { 95 } else { size };
            return (0..8)
                .find_map(|_| char::from_u32(u32::from(from) + self.below(near as usize) as u32))
                .unwrap_or(from);
        }
        const SIGNS: &str =
            "<>/|[]{}()\"'\\`=:,;.&%$#!? \n\n  \t-_*~^@+012359truenulASDFéß｜▁中\u{1F600}\u{200b}\u{a0}\r";
        let signs: Vec<char> = SIGNS.chars().filter(|c| fits(*c)).collect();
        let letters: Vec<char> = ('a'..='z').filter(|c| fits(*c)).collect();
        let pool = if self.below(3) == 0 && !signs.is_empty() || letters.is_empty() { &signs } else { &letters };
        if pool.is_empty() {
            return ('\u{1}'..=char::MAX).find(|c| fits(*c)).unwrap();
        }
        pool[self.below(pool.len())]
    }
}
