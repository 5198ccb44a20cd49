//! Columns of ours in Arrow's layout.

use std::ffi::CStr;

/// The name and the type of a column; every column of ours may have nulls.
#[derive(Clone)]
pub(crate) struct Field {
    pub(crate) name: &'static CStr,
    pub(crate) format: &'static CStr,
    pub(crate) children: Vec<Field>,
}

impl Field {
    pub(crate) fn texts(name: &'static CStr) -> Self {
        Self { name, format: c"u", children: Vec::new() }
    }

    pub(crate) fn numbers(name: &'static CStr) -> Self {
        Self { name, format: c"l", children: Vec::new() }
    }

    pub(crate) fn structs(name: &'static CStr, children: Vec<Field>) -> Self {
        Self { name, format: c"+s", children }
    }

    pub(crate) fn lists(name: &'static CStr, items: Vec<Field>) -> Self {
        Self { name, format: c"+l", children: vec![Self::structs(c"item", items)] }
    }
}

pub(crate) struct Column {
    pub(crate) valid: Valid,
    pub(crate) data: Data,
}

pub(crate) enum Data {
    Texts { offsets: Vec<i32>, text: Vec<u8> },
    Numbers(Vec<i64>),
    Lists { offsets: Vec<i32>, items: Box<Column> },
    Structs(Vec<Column>),
}

/// Which rows are not null.
#[derive(Default)]
pub(crate) struct Valid {
    bits: Vec<u8>,
    rows: usize,
    nulls: usize,
}

impl Valid {
    pub(crate) fn all(rows: usize) -> Self {
        Self { bits: vec![u8::MAX; rows.div_ceil(8)], rows, nulls: 0 }
    }

    pub(crate) fn push(&mut self, is_valid: bool) {
        if self.rows.is_multiple_of(8) {
            self.bits.push(0);
        }
        if let Some(last) = self.bits.last_mut() {
            *last |= u8::from(is_valid) << (self.rows % 8);
        }
        self.rows += 1;
        self.nulls += usize::from(!is_valid);
    }

    pub(crate) fn nulls(&self) -> usize {
        self.nulls
    }

    /// Returns a bit for each row; nothing if all are valid.
    pub(crate) fn bits(&self) -> Option<&[u8]> {
        (self.nulls > 0).then_some(&self.bits)
    }

    fn joined<'a>(parts: impl Iterator<Item = &'a Self> + Clone) -> Self {
        if parts.clone().all(|part| part.nulls == 0) {
            return Self::all(parts.map(|part| part.rows).sum());
        }
        let mut joined = Self::default();
        for part in parts {
            (0..part.rows).for_each(|row| joined.push(part.bits[row / 8] >> (row % 8) & 1 == 1));
        }
        joined
    }
}

impl Column {
    pub(crate) fn rows(&self) -> usize {
        self.valid.rows
    }

    /// Returns columns of the same type as one; nothing if its text or its items are too many for 32 bits.
    pub(crate) fn joined(parts: &[&Self]) -> Option<Self> {
        let valid = Valid::joined(parts.iter().map(|part| &part.valid));
        let data = match &parts.first()?.data {
            Data::Texts { .. } => {
                let (offsets, texts): (Vec<_>, Vec<_>) = parts.iter().filter_map(|part| part.data.as_texts()).unzip();
                Data::Texts { offsets: join_offsets(&offsets)?, text: texts.concat() }
            }
            Data::Numbers(_) => {
                let numbers: Vec<_> = parts.iter().filter_map(|part| part.data.as_numbers()).collect();
                Data::Numbers(numbers.concat())
            }
            Data::Lists { .. } => {
                let (offsets, items): (Vec<_>, Vec<_>) = parts.iter().filter_map(|part| part.data.as_lists()).unzip();
                Data::Lists { offsets: join_offsets(&offsets)?, items: Box::new(Self::joined(&items)?) }
            }
            Data::Structs(members) => {
                let member = |at: usize| {
                    let parts: Vec<_> = parts.iter().filter_map(|part| part.data.member(at)).collect();
                    Self::joined(&parts)
                };
                Data::Structs((0..members.len()).map(member).collect::<Option<_>>()?)
            }
        };
        Some(Self { valid, data })
    }
}

impl Data {
    fn as_texts(&self) -> Option<(&[i32], &[u8])> {
        if let Self::Texts { offsets, text } = self { Some((offsets, text)) } else { None }
    }

    fn as_numbers(&self) -> Option<&[i64]> {
        if let Self::Numbers(numbers) = self { Some(numbers) } else { None }
    }

    fn as_lists(&self) -> Option<(&[i32], &Column)> {
        if let Self::Lists { offsets, items } = self { Some((offsets, items)) } else { None }
    }

    fn member(&self, at: usize) -> Option<&Column> {
        if let Self::Structs(members) = self { members.get(at) } else { None }
    }
}

fn join_offsets(parts: &[&[i32]]) -> Option<Vec<i32>> {
    let mut joined = vec![0];
    for part in parts {
        let base: i32 = *joined.last()?;
        for offset in part.get(1..)? {
            joined.push(base.checked_add(*offset)?);
        }
    }
    Some(joined)
}

/// Texts that grow row by row.
#[derive(Default)]
pub(crate) struct Texts {
    valid: Valid,
    offsets: Offsets,
    text: Vec<u8>,
}

impl Texts {
    pub(crate) fn push(&mut self, text: Option<&str>) {
        let text = text.map(str::as_bytes);
        self.valid.push(text.is_some());
        self.text.extend_from_slice(text.unwrap_or_default());
        self.offsets.push(self.text.len());
    }

    /// Returns the column; nothing if its text is too long.
    pub(crate) fn finish(self) -> Option<Column> {
        Some(Column { valid: self.valid, data: Data::Texts { offsets: self.offsets.finish()?, text: self.text } })
    }
}

/// Numbers of items that grow row by row.
#[derive(Default)]
pub(crate) struct Lists {
    rows: usize,
    items: usize,
    offsets: Offsets,
}

impl Lists {
    pub(crate) fn push(&mut self, items: usize) {
        self.rows += 1;
        self.items += items;
        self.offsets.push(self.items);
    }

    /// Returns the column of items of such members; nothing if the items are too many.
    pub(crate) fn finish(self, members: Vec<Column>) -> Option<Column> {
        let items = Box::new(Column { valid: Valid::all(self.items), data: Data::Structs(members) });
        let data = Data::Lists { offsets: self.offsets.finish()?, items };
        Some(Column { valid: Valid::all(self.rows), data })
    }
}

/// Where rows end, until one does not fit.
struct Offsets(Option<Vec<i32>>);

impl Default for Offsets {
    fn default() -> Self {
        Self(Some(vec![0]))
    }
}

impl Offsets {
    fn push(&mut self, end: usize) {
        match (&mut self.0, i32::try_from(end)) {
            (Some(offsets), Ok(end)) => offsets.push(end),
            _ => self.0 = None,
        }
    }

    fn finish(self) -> Option<Vec<i32>> {
        self.0
    }
}
