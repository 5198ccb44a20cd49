//! Finds the known name that was probably meant by an unknown one.

/// Returns the nearest of the names, if it is at most two edits away.
pub(crate) fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distances = names.into_iter().map(|name| (distance(given, name), name));
    let limit = 2.min(given.chars().count().saturating_sub(1));
    distances.filter(|&(distance, _)| distance <= limit).min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours between two words.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            let swapped = if swap { rows[i - 2][j - 2] + 1 } else { usize::MAX };
            row.push(replaced.min(swapped).min(rows[i - 1][j] + 1).min(row[j - 1] + 1));
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("nmae", "name"), 1);
        assert_eq!(distance("call", "calls"), 1);
        assert_eq!(distance("section", "sektionen"), 3);
    }

    #[test]
    fn only_near_names_are_offered() {
        let names = ["name", "index", "arguments"];
        assert_eq!(nearest("nmae", names), Some("name"));
        assert_eq!(nearest("argument", names), Some("arguments"));
        assert_eq!(nearest("tool", names), None);
        assert_eq!(nearest("id", ["to"]), None);
    }
}
