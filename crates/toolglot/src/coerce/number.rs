//! Numbers as text, so that every digit of the source is kept.

/// A decimal number and its parts; its digits are ASCII.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'t> {
    sign: &'t str,
    whole: &'t str,
    fraction: Option<&'t str>,
    /// The exponent with its `e`; may be empty.
    exponent: &'t str,
}

impl<'t> Number<'t> {
    /// Returns the parts of a JSON number, or of one with a plus, leading zeros, or a point at either end.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let (sign, rest) = text.split_at(usize::from(text.starts_with(['-', '+'])));
        let (mantissa, exponent) = rest.split_at(rest.find(['e', 'E']).unwrap_or(rest.len()));
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let power = exponent.get(1..).map(|power| power.strip_prefix(['-', '+']).unwrap_or(power));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let some = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
        let number = some
            && digits(whole)
            && digits(fraction.unwrap_or_default())
            && power.is_none_or(|power| !power.is_empty() && digits(power));
        number.then_some(Self { sign, whole, fraction, exponent })
    }

    /// Returns whether the number is valid JSON.
    pub(super) fn is_strict(self) -> bool {
        let leading_zero = self.whole.len() > 1 && self.whole.starts_with('0');
        self.sign != "+" && !self.whole.is_empty() && !leading_zero && self.fraction != Some("")
    }

    /// Returns whether the number is written as an integer.
    pub(super) fn is_integer(self) -> bool {
        self.fraction.is_none() && self.exponent.is_empty()
    }

    /// Returns whether the number is an integer by its exponent, such as `1e2`, which it keeps.
    pub(super) fn is_integral(self) -> bool {
        let power = self.exponent.get(1..).map(|power| power.strip_prefix('+').unwrap_or(power));
        let fraction = self.fraction.unwrap_or_default().trim_end_matches('0').len();
        power.is_some_and(|power| power.parse().is_ok_and(|power: usize| power >= fraction))
    }

    /// Returns whether JSON Schema counts the number as an integer, however it is written, such as `1.0` or `1e2`.
    pub(super) fn is_whole(self) -> bool {
        self.is_integral() || self.integer().is_some()
    }

    /// Returns the number as valid JSON.
    pub(super) fn decimal(self) -> String {
        let point = if self.fraction.is_some() { "." } else { "" };
        let fraction = self.fraction.map_or("", |fraction| if fraction.is_empty() { "0" } else { fraction });
        [self.minus(), self.stripped(), point, fraction, self.exponent].concat()
    }

    /// Returns the number as an integer if its fraction is zero.
    pub(super) fn integer(self) -> Option<String> {
        let integral = self.exponent.is_empty() && self.fraction.unwrap_or_default().bytes().all(|byte| byte == b'0');
        (integral && !self.whole.is_empty()).then(|| [self.minus(), self.stripped()].concat())
    }

    fn minus(self) -> &'t str {
        self.sign.trim_start_matches('+')
    }

    fn stripped(self) -> &'t str {
        let stripped = self.whole.trim_start_matches('0');
        if stripped.is_empty() { "0" } else { stripped }
    }
}
