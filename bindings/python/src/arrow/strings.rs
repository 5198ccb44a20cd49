//! Columns of strings that another library owns, however they are laid out.

use std::borrow::Cow;

/// Strings of one chunk.
pub(crate) struct Strings<'a> {
    pub(super) rows: usize,
    /// Rows in front of the first, of which the buffers know.
    pub(super) skipped: usize,
    /// A bit for each row; none if all are valid.
    pub(super) valid: Option<&'a [u8]>,
    pub(super) layout: Layout<'a>,
}

/// Where the strings are.
pub(super) enum Layout<'a> {
    Nothing,
    /// One after the other, with numbers of so many bytes that say where each begins and ends.
    Offsets {
        width: usize,
        offsets: &'a [u8],
        text: &'a [u8],
    },
    /// Short ones beside their length, others in any of several texts.
    Views {
        views: &'a [u8],
        texts: Vec<&'a [u8]>,
    },
    /// Numbers of rows of another column.
    Dictionary {
        width: usize,
        keys: &'a [u8],
        values: Box<Strings<'a>>,
    },
}

/// The longest string that a view holds itself.
const SHORT: usize = 12;

impl Strings<'_> {
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Returns a row's text, with U+FFFD for what is not UTF-8; nothing if it is null.
    pub(crate) fn get(&self, row: usize) -> Option<Cow<'_, str>> {
        self.bytes(row).map(String::from_utf8_lossy)
    }

    /// Returns the bytes of a row's text; nothing if it is null.
    pub(crate) fn bytes(&self, row: usize) -> Option<&[u8]> {
        let at = self.skipped + row;
        if self.valid.is_some_and(|bits| bits.get(at / 8).is_none_or(|byte| byte >> (at % 8) & 1 == 0)) {
            return None;
        }
        match &self.layout {
            Layout::Nothing => None,
            Layout::Offsets { width, offsets, text } => {
                text.get(number(offsets, at, *width)?..number(offsets, at + 1, *width)?)
            }
            Layout::Views { views, texts } => {
                let view = views.get(at * 16..at * 16 + 16)?;
                let len = number(view, 0, 4)?;
                if len <= SHORT {
                    return view.get(4..4 + len);
                }
                let (text, start) = (number(view, 2, 4)?, number(view, 3, 4)?);
                texts.get(text)?.get(start..start + len)
            }
            Layout::Dictionary { width, keys, values } => {
                let row = number(keys, at, *width)?;
                if row < values.rows { values.bytes(row) } else { None }
            }
        }
    }
}

/// Returns one of the numbers of so many bytes that a buffer holds. The highest bit of those with a sign is that of
/// numbers that cannot stand there.
pub(super) fn number(buffer: &[u8], at: usize, width: usize) -> Option<usize> {
    let bytes = buffer.get(at * width..at * width + width)?;
    match width {
        1 => Some(bytes[0].into()),
        2 => Some(u16::from_ne_bytes(bytes.try_into().ok()?).into()),
        4 => usize::try_from(u32::from_ne_bytes(bytes.try_into().ok()?)).ok(),
        _ => usize::try_from(u64::from_ne_bytes(bytes.try_into().ok()?)).ok(),
    }
}

/// Returns the size of a dictionary's keys of a format.
pub(super) fn width(format: &str) -> Option<usize> {
    match format {
        "c" | "C" => Some(1),
        "s" | "S" => Some(2),
        "i" | "I" => Some(4),
        "l" | "L" => Some(8),
        _ => None,
    }
}

/// Returns the name of a format's type.
pub(super) fn kind(format: &str) -> &str {
    const KINDS: [(&str, &str); 32] = [
        ("b", "Boolean"),
        ("c", "Int8"),
        ("C", "UInt8"),
        ("s", "Int16"),
        ("S", "UInt16"),
        ("i", "Int32"),
        ("I", "UInt32"),
        ("l", "Int64"),
        ("L", "UInt64"),
        ("e", "Float16"),
        ("f", "Float32"),
        ("g", "Float64"),
        ("z", "Binary"),
        ("Z", "LargeBinary"),
        ("vz", "BinaryView"),
        ("d", "Decimal"),
        ("w", "FixedSizeBinary"),
        ("td", "Date"),
        ("tt", "Time"),
        ("ts", "Timestamp"),
        ("tD", "Duration"),
        ("ti", "Interval"),
        ("+l", "List"),
        ("+L", "LargeList"),
        ("+vl", "ListView"),
        ("+vL", "LargeListView"),
        ("+w", "FixedSizeList"),
        ("+s", "Struct"),
        ("+m", "Map"),
        ("+r", "RunEndEncoded"),
        ("+ud", "Union"),
        ("+us", "Union"),
    ];
    // Some formats go on with a unit or a size.
    KINDS.iter().find(|(start, _)| format.starts_with(start)).map_or(format, |(_, kind)| kind)
}
