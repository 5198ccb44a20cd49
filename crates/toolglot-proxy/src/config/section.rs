//! Sections of settings: a struct, its keys and their documentation, declared once.

use toolglot_json::Value;

use crate::config::Config;
use crate::config::setting::Raw;

/// One setting of a section; `usize` is the number of a table in an array of tables.
pub(crate) struct SettingKey {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// The default, as text.
    pub(crate) default: &'static str,
    pub(crate) schema: fn() -> Value,
    pub(crate) set: fn(&mut Config, usize, Raw<'_>) -> Result<(), String>,
    /// The value as TOML.
    pub(crate) show: fn(&Config, usize) -> String,
}

/// The tables of one kind in a settings file.
pub(crate) struct Section {
    /// The table's name; empty for top-level keys.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Whether it is an array of tables, `[[name]]`.
    pub(crate) is_array: bool,
    pub(crate) keys: &'static [SettingKey],
    /// The number of tables.
    pub(crate) count: fn(&Config) -> usize,
    /// Adds a table to an array.
    pub(crate) add: fn(&mut Config),
}

impl Section {
    pub(crate) fn key(&self, name: &str) -> Option<&'static SettingKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The line that begins a table.
    pub(crate) fn title(&self) -> String {
        if self.is_array { format!("[[{}]]", self.name) } else { format!("[{}]", self.name) }
    }

    /// The name of a setting in flags, for all tables.
    pub(crate) fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// The name of a setting in messages: `listen`, `limits.body`, `route[1].dialect`.
    pub(crate) fn path_in(&self, at: usize, key: &str) -> String {
        if self.is_array { format!("{}[{at}].{key}", self.name) } else { self.path(key) }
    }
}

/// Declares a section and its place in [`Config`]:
/// `section! { "name" one|many field /// about; struct Name { /// about; key: Type = "default", } }`.
macro_rules! section {
    (@one is_array) => { false };
    (@many is_array) => { true };
    (@one add $field:ident) => { |_| () };
    (@many add $field:ident) => { |config| config.$field.push(Default::default()) };
    (@one $table:expr, $slice:ident) => { std::slice::$slice($table) };
    (@many $tables:expr, $slice:ident) => { $tables };
    ($name:literal $many:ident $field:ident
     #[doc = $about:literal]
     pub(crate) struct $section:ident {
        $(#[doc = $key_about:literal] $key:ident: $kind:ty = $default:literal,)+
     }) => {
        #[doc = $about]
        #[derive(Clone, Debug)]
        pub(crate) struct $section {
            $(#[doc = $key_about] pub(crate) $key: $kind,)+
        }

        impl Default for $section {
            fn default() -> Self {
                // A test parses every default.
                Self { $($key: Setting::read(Raw::Text($default)).unwrap_or_default(),)+ }
            }
        }

        impl $section {
            pub(crate) const SECTION: &Section = &Section {
                name: $name,
                about: $about,
                is_array: section!(@$many is_array),
                keys: &[$(SettingKey {
                    name: stringify!($key),
                    about: $key_about,
                    default: $default,
                    schema: <$kind as Setting>::schema,
                    set: |config, at, raw| {
                        section!(@$many &mut config.$field, from_mut)[at].$key = Setting::read(raw)?;
                        Ok(())
                    },
                    show: |config, at| section!(@$many &config.$field, from_ref)[at].$key.show(),
                },)+],
                count: |config| section!(@$many &config.$field, from_ref).len(),
                add: section!(@$many add $field),
            };
        }
    };
}

pub(crate) use section;
