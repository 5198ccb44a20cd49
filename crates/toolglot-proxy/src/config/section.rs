//! Sections of settings: a struct, its keys and their documentation, declared once.

use toolglot_json::Value;

use crate::config::setting::Raw;

/// One setting of a section.
pub(crate) struct SettingKey<S> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// The default, as text.
    pub(crate) default: &'static str,
    pub(crate) schema: fn() -> Value,
    pub(crate) set: fn(&mut S, Raw<'_>) -> Result<(), String>,
    /// The value as TOML.
    pub(crate) show: fn(&S) -> String,
}

/// A table of a settings file.
pub(crate) trait Section: Default + 'static {
    /// The table's name; empty for top-level keys.
    const NAME: &str;
    /// The table's description.
    const ABOUT: &str;
    /// Whether it is an array of tables, `[[name]]`.
    const MANY: bool;

    fn keys() -> &'static [SettingKey<Self>];
}

/// Declares a section: `section! { "name" one|many /// about; struct Name { /// about; key: Type = "default", } }`.
macro_rules! section {
    (@many one) => { false };
    (@many many) => { true };
    ($name:literal $many:ident
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

        impl Section for $section {
            const NAME: &str = $name;
            const ABOUT: &str = $about;
            const MANY: bool = section!(@many $many);

            fn keys() -> &'static [SettingKey<Self>] {
                const KEYS: &[SettingKey<$section>] = &[$(SettingKey {
                    name: stringify!($key),
                    about: $key_about,
                    default: $default,
                    schema: <$kind as Setting>::schema,
                    set: |section, raw| { section.$key = Setting::read(raw)?; Ok(()) },
                    show: |section| section.$key.show(),
                },)+];
                KEYS
            }
        }
    };
}

pub(crate) use section;
