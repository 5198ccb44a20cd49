//! Certifies the built-in dialects for a folder of chat templates, and writes or checks the page about it.
//!
//! `cargo run --package toolglot-template --example certificates -- FOLDER [--write FILE | --check FILE] [--messages N]`.
//! `MANIFEST.tsv` in the folder may name each template's family, licence, repository and path.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolglot::Dialects;
use toolglot_template::{Certificate, Grade, InferError, Inferred, Template, certify, derive_only, infer};

/// What is known of one template.
struct Row {
    source: String,
    family: String,
    origin: String,
    found: Result<Inferred, InferError>,
    derived: Result<Inferred, InferError>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).cloned();
    let Some(folder) = args.first().filter(|arg| !arg.starts_with("--")) else {
        eprintln!("name a folder with chat templates");
        return ExitCode::from(2);
    };
    let rows = rows(Path::new(folder));
    let page = page(&rows);
    if let Some(file) = flag("--write") {
        return match std::fs::write(&file, page) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&format!("cannot write {file}: {error}")),
        };
    }
    if let Some(messages) = flag("--messages").and_then(|number| number.parse().ok()) {
        return many(&rows, messages);
    }
    match flag("--check") {
        Some(file) if std::fs::read_to_string(&file).ok().as_ref() != Some(&page) => {
            failed(&format!("{file} is not what these templates give; write it anew with --write"))
        }
        Some(_) => ExitCode::SUCCESS,
        None => {
            print!("{page}");
            ExitCode::SUCCESS
        }
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}

fn rows(folder: &Path) -> Vec<Row> {
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.tsv")).unwrap_or_default();
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let mut files: Vec<PathBuf> = listed.filter(|path| path.extension().is_some_and(|end| end == "jinja")).collect();
    files.sort();
    let row = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let facts: Vec<&str> = manifest
            .lines()
            .map(|line| line.split('\t'))
            .find(|row| row.clone().next() == Some(&name))
            .into_iter()
            .flatten()
            .collect();
        let fact = |at: usize| facts.get(at).copied().unwrap_or_default();
        let source = std::fs::read_to_string(&path).unwrap_or_default();
        let template = Template::new(source.clone());
        let family = if fact(1).is_empty() { name.trim_end_matches(".jinja") } else { fact(1) };
        let file = fact(4).rsplit('/').next().unwrap_or_default().trim_end_matches(".jinja");
        Row {
            family: family.to_owned(),
            origin: if facts.len() > 4 { format!("{}: {file} ({})", fact(3), fact(2)) } else { name.clone() },
            found: infer(&template, &Dialects::builtin()),
            derived: derive_only(&template, "derived"),
            source,
        }
    };
    files.into_iter().map(row).collect()
}

fn page(rows: &[Row]) -> String {
    let mut out = String::from(HEAD);
    let mut certified: Vec<&Row> = rows.iter().filter(|row| row.found.is_ok()).collect();
    certified.sort_by_key(|row| (row.dialect().to_owned(), row.origin.clone()));
    for row in certified {
        let Ok(found) = &row.found else { continue };
        let proof = &found.certificate;
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} of {} | {} of {} | {} | {} | {} |",
            row.dialect(),
            row.family,
            row.origin,
            proof.grade,
            proof.read_back,
            proof.probes,
            proof.byte_equal,
            proof.fixed,
            code(&proof.prefill),
            proof.ends.iter().map(|end| code(end)).collect::<Vec<_>>().join(" "),
            limits(proof)
        );
    }
    for row in rows.iter().filter(|row| row.found.is_err()) {
        let why = match &row.found {
            Err(InferError::NoCalls) => "writes no calls",
            _ => "not certified: values are not told apart",
        };
        let _ = writeln!(out, "| – | {} | {} | – | | | | | {why} |", row.family, row.origin);
    }
    let (writing, good) = (count(rows, |row| !is_without(&row.found)), count(rows, |row| is_good(&row.found)));
    let derived = count(rows, |row| is_good(&row.derived));
    let (mutations, held) = rows.iter().map(mutated).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    let _ = write!(
        out,
        "\n{writing} of these {} templates write calls. {good} of them have a dialect of grade A or B; a dialect derived from the \
         template alone has grade A or B for {derived}. Of {mutations} templates with one damaged marker, {held} keep the \
         certificate.\n",
        rows.len()
    );
    out
}

impl Row {
    fn dialect(&self) -> &str {
        match &self.found {
            Ok(found) if found.is_derived => "(derived)",
            Ok(found) => found.dialect.name(),
            Err(_) => "",
        }
    }
}

fn is_without(found: &Result<Inferred, InferError>) -> bool {
    matches!(found, Err(InferError::NoCalls))
}

fn is_good(found: &Result<Inferred, InferError>) -> bool {
    found.as_ref().is_ok_and(|found| found.certificate.grade <= Grade::B)
}

fn count(rows: &[Row], is: impl Fn(&Row) -> bool) -> usize {
    rows.iter().filter(|row| is(row)).count()
}

fn limits(proof: &Certificate) -> String {
    let refused = proof.template_refuses.iter().filter_map(|why| why.split(':').next());
    let refused: Vec<String> = refused.map(|what| format!("refuses {what}")).collect();
    let dropped = proof.template_drops.iter().map(|what| format!("drops {what}"));
    let lost =
        proof.not_certified.iter().filter(|one| one.probe != OWN).map(|one| format!("not certified: {}", one.probe));
    refused.into_iter().chain(dropped).chain(lost).collect::<Vec<_>>().join("; ")
}

/// Every template without escaping loses these, so the table does not repeat it.
const OWN: &str = "a string with the format's own markers";

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", text.replace('\n', "\\n").replace('|', "\\|")) }
}

/// Damages up to 20 markers of a template, one at a time; returns how many, and after how many the certificate held.
fn mutated(row: &Row) -> (usize, usize) {
    let Ok(found) = &row.found else { return (0, 0) };
    let old = &found.certificate;
    let (mut tried, mut held) = (0, 0);
    for round in 0..6 {
        for word in words(&old.example) {
            let Some(damaged) = damaged(&row.source, &word, round) else { continue };
            let Ok(new) = certify(&Template::new(damaged), &found.dialect, 20) else { continue };
            // What does not show in a call is no marker of it.
            if new.example == old.example || tried == MUTATIONS {
                continue;
            }
            tried += 1;
            let is_same_prompt = new.header == old.header && new.prefill == old.prefill;
            let says_the_same = new.grade <= old.grade && new.ends == old.ends && is_same_prompt;
            held += usize::from(says_the_same);
            if says_the_same {
                eprintln!("{}: `{word}` was damaged, and the certificate holds: {:?}", row.origin, new.example);
            }
        }
    }
    (tried, held)
}

const MUTATIONS: usize = 20;

/// The words of what stands around calls, in order.
fn words(example: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in example.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let is_marker = word.chars().count() > 2 && !word.contains("qz") && !word.contains("Zq");
        if is_marker && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    words
}

/// The source with one letter of a word changed, wherever the word stands.
fn damaged(source: &str, word: &str, round: usize) -> Option<String> {
    let letters: Vec<char> = word.chars().collect();
    let at = (1 + 3 * round) % letters.len();
    let changed: String = letters.iter().enumerate().map(|(i, c)| if i == at { 'Q' } else { *c }).collect();
    (changed != word && source.contains(word)).then(|| source.replace(word, &changed))
}

/// Reads so many random messages of every pair of grade A, in random pieces.
fn many(rows: &[Row], messages: usize) -> ExitCode {
    let (mut pairs, mut differ) = (0, 0);
    for row in rows {
        let Some(found) = row.found.as_ref().ok().filter(|found| found.certificate.grade == Grade::A) else { continue };
        let Ok(proof) = certify(&Template::new(row.source.clone()), &found.dialect, messages) else { continue };
        let wrong: Vec<_> = proof.not_certified.iter().filter(|one| !one.is_template).collect();
        pairs += 1;
        differ += wrong.len();
        println!("{}: {} of {} read back", row.family, proof.read_back, proof.probes);
        wrong.iter().for_each(|one| println!("  {}: wrote {:?}, read {}", one.probe, one.wrote, one.read));
    }
    println!("{pairs} pairs of grade A, {messages} random messages each: {differ} kinds of messages differ");
    if differ == 0 && pairs > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

const HEAD: &str = "\
# Certificates

The dialect of each chat template, and its certificate; [templates.md](../../docs/templates.md) explains the grades. The templates
belong to model families under permissive licences, as distributed by two projects. White space around text and empty reasoning
are ignored. If a template does not escape strings that contain the format's own markers, they cannot be distinguished; the table
does not repeat that.

| dialect | family | template | grade | read back | byte-equal | prefill | end of turn | limits |
|---|---|---|---|---|---|---|---|---|
";
