//! What two texts have in common at their ends.

pub(crate) fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// Bytes that two texts have alike before their ends.
pub(crate) fn common_end(a: &str, b: &str) -> usize {
    a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}
