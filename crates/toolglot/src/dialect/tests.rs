//! Tests of the dialect notation and of the built-in files.

use super::Dialect;
use super::builtin::FILES;

#[test]
fn every_file_loads() {
    let errors: Vec<String> = FILES.iter().filter_map(|(name, source)| Dialect::from_toml(name, source).err()).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n\n"));
}
