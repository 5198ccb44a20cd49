//! Names at the ends of lines, so that none covers another.

/// A name, the point that it belongs to, and the height at which it stands.
pub(super) struct Label {
    pub(super) name: &'static str,
    pub(super) from: (f64, f64),
    pub(super) y: f64,
}

/// What a name takes of the height.
const APART: f64 = 13.0;

/// Moves names apart, up and down alike, within a height.
pub(super) fn spread(mut labels: Vec<Label>, height: f64) -> Vec<Label> {
    labels.sort_by(|one, other| one.y.total_cmp(&other.y));
    let mut least = 4.0;
    for label in &mut labels {
        label.y = label.y.max(least);
        least = label.y + APART;
    }
    let mut most = height;
    for label in labels.iter_mut().rev() {
        label.y = label.y.min(most);
        most = label.y - APART;
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_their_distance() {
        let at = |y| Label { name: "a", from: (0.0, y), y };
        let places =
            |ys: &[f64]| spread(ys.iter().copied().map(at).collect(), 150.0).iter().map(|l| l.y).collect::<Vec<_>>();
        assert_eq!(places(&[80.0, 20.0]), [20.0, 80.0]);
        assert_eq!(places(&[50.0, 52.0, 51.0]), [50.0, 63.0, 76.0]);
        assert_eq!(places(&[149.0, 150.0]), [137.0, 150.0]);
    }
}
