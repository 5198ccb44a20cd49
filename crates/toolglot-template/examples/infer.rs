//! Infers the dialects of template files, a line each.
use std::time::Instant;

use toolglot::Dialects;
use toolglot_template::{InferError, Template, derive_only, infer};

fn main() {
    let derive = std::env::args().any(|flag| flag == "--derive");
    let long = std::env::args().any(|flag| flag == "--long");
    for path in std::env::args().skip(1).filter(|path| !path.starts_with("--")) {
        let source = match std::fs::read_to_string(&path) {
            Ok(source) => source,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let started = Instant::now();
        let template = Template::new(source);
        let found = if derive { derive_only(&template, "derived") } else { infer(&template, &Dialects::builtin()) };
        let name = path.rsplit('/').next().unwrap_or(&path);
        let line = match &found {
            Ok(found) => format!(
                "{} {} {}/{} equal {}/{}",
                found.certificate.grade,
                found.dialect.name(),
                found.certificate.read_back,
                found.certificate.probes,
                found.certificate.byte_equal,
                found.certificate.fixed
            ),
            Err(InferError::Uncertified { turn, .. }) => format!("- uncertified {turn:?}"),
            Err(error) => format!("- {error}"),
        };
        println!("{name:<50} {:>5} ms  {line}", started.elapsed().as_millis());
        if let (true, Ok(found)) = (long, &found) {
            println!("{}\n{}", found.certificate, found.dialect.source());
        }
        if let (true, Err(error)) = (long, &found) {
            println!("{error}");
        }
    }
}
