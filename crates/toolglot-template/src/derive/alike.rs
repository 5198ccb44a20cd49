//! What two texts have in common at their ends.

/// Bytes that two texts have alike from their starts on.
pub(super) fn common_front(a: &str, b: &str) -> usize {
    crate::probe::common_start(a, b)
}

/// Bytes that two texts have alike before their ends.
pub(crate) fn common_end(a: &str, b: &str) -> usize {
    a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}
