//! The set of enabled repairs.

use std::fmt;
use std::str::FromStr;

use super::code::{Class, Code, Preset};

/// The set of enabled repairs; `safe` by default.
///
/// Parses from `none`, `exact`, `safe`, `all`, or names joined by commas. Names alone are the whole set;
/// `safe,bare_string` adds to a preset, and `-fence` removes from one.
///
/// # Example
/// ```
/// use toolglot::{Code, Repairs};
/// let repairs: Repairs = "safe,bare_string,-fence".parse()?;
/// assert!(repairs.allow(Code::BareString) && !repairs.allow(Code::Fence));
/// # Ok::<(), toolglot::UnknownRepair>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repairs(u128);

const _: () = assert!(Code::TABLE.len() <= 128);

impl Repairs {
    /// No repair: any deviation breaks the call.
    pub const NONE: Self = Self(0);

    /// All repairs that change neither how valid input is read nor where a string, a value or a call ends.
    pub fn exact() -> Self {
        const { Self::preset(Preset::Exact) }
    }

    /// All repairs that do not change how valid input is read.
    pub fn safe() -> Self {
        const { Self::preset(Preset::Safe) }
    }

    /// All repairs, including guesses.
    pub fn all() -> Self {
        const { Self::preset(Preset::All) }
    }

    /// Returns the set with one repair enabled.
    #[must_use]
    pub fn with(self, repair: Code) -> Self {
        Self(self.0 | 1 << repair as u32)
    }

    /// Returns the set with one repair disabled.
    #[must_use]
    pub fn without(self, repair: Code) -> Self {
        Self(self.0 & !(1 << repair as u32))
    }

    /// Returns the set without the repairs that decide where something ends. Repairs that belong to no preset stay, since
    /// the caller named them.
    #[must_use]
    pub(crate) fn without_ends(self) -> Self {
        Self(self.0 & !(Self::safe().0 & !Self::exact().0))
    }

    /// Returns whether a repair is enabled. Codes that are not repairs are always allowed.
    pub fn allow(self, code: Code) -> bool {
        self.0 & 1 << code as u32 != 0 || !code.is_repair()
    }

    /// Adds a preset up; done when the crate is built.
    const fn preset(preset: Preset) -> Self {
        let (mut set, mut code) = (0, 0);
        while code < Code::TABLE.len() {
            let within = matches!(Code::TABLE[code].class, Class::Repair(least) if least as u8 <= preset as u8);
            set |= (within as u128) << code;
            code += 1;
        }
        Self(set)
    }
}

impl Default for Repairs {
    fn default() -> Self {
        Self::safe()
    }
}

impl FromStr for Repairs {
    type Err = UnknownRepair;

    fn from_str(text: &str) -> Result<Self, UnknownRepair> {
        text.split(',').map(str::trim).filter(|word| !word.is_empty()).try_fold(Self::NONE, |set, word| {
            let (name, on) = word.strip_prefix('-').map_or((word, true), |name| (name, false));
            match name {
                "none" => Ok(Self::NONE),
                "exact" => Ok(Self(set.0 | Self::exact().0)),
                "safe" => Ok(Self(set.0 | Self::safe().0)),
                "all" => Ok(Self::all()),
                _ => match Code::by_name(name).filter(|code| code.is_repair()) {
                    Some(code) if on => Ok(set.with(code)),
                    Some(code) => Ok(set.without(code)),
                    None => Err(UnknownRepair(name.to_owned())),
                },
            }
        })
    }
}

/// A word that is neither a repair nor a preset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRepair(String);

impl fmt::Display for UnknownRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown repair `{}`; use none, exact, safe, all, or names from `toolglot diagnostics`", self.0)
    }
}

impl std::error::Error for UnknownRepair {}
