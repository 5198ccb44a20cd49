//! Slips in keyword arguments.

use super::Slip;
use super::place::Place;
use crate::ends::home::StringStyle;

pub(super) const SLIPS: &[Slip] = &[
    ("a comma after the last", |it| Some(it.put(python(it)?.arguments.end, ","))),
    ("an extra bracket", |it| Some(it.put(python(it)?.arguments.end, ")"))),
    ("colon for `=`", |it| {
        let key = python(it)?.key()?;
        Some(it.with(key.end..key.end + 1, ": "))
    }),
    ("keyword: quoted", |it| {
        let key = python(it)?.key()?;
        Some(it.with(key.clone(), &format!("\"{}\"", &it.text[key])))
    }),
    ("keyword: spaces around `=`", |it| {
        let key = python(it)?.key()?;
        Some(it.with(key.end..key.end + 1, " = "))
    }),
    ("a dict", |it| {
        let place = python(it)?;
        let json = place.call.arguments().to_string();
        place.with_arguments(|_| json)
    }),
    ("a dict, unpacked", |it| {
        let place = python(it)?;
        let json = place.call.arguments().to_string();
        place.with_arguments(|_| format!("**{json}"))
    }),
    ("text in triple quotes", |it| {
        let (_, value) = python(it)?.string()?;
        let plain = !it.text[value.clone()].contains(['\\', '"', '\'']);
        plain.then(|| it.with(value.start - 1..value.end + 1, &format!("\"\"\"{}\"\"\"", &it.text[value.clone()])))
    }),
];

fn python<'p, 'm>(place: &'p Place<'m>) -> Option<&'p Place<'m>> {
    place.is(StringStyle::Python).then_some(place)
}
