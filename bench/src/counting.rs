//! Instructions, counted by valgrind: the same on every run of the same build, whatever else the machine does.

use std::process::Command;

/// The function in which instructions count, as valgrind names it.
const COUNTED: &str = "toolglot_bench::counting::counted";

/// Returns how many instructions each piece of work takes; all run in one process under valgrind.
pub(crate) fn count(works: &[String]) -> Result<Vec<u64>, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = std::env::temp_dir().join(format!("toolglot-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let out = folder.join("counts");
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", &format!("--toggle-collect={COUNTED}"), &format!("--dump-after={COUNTED}")])
        .args(["--combine-dumps=yes", &format!("--callgrind-out-file={}", out.display())])
        .arg(own)
        .arg("count")
        .args(works)
        .output()
        .map_err(|error| format!("valgrind does not run: {error}; install it"))?;
    let dumps = std::fs::read_to_string(&out).unwrap_or_default();
    // The folder is only ours; that it stays is no harm.
    std::fs::remove_dir_all(&folder).ok();
    let counts = totals(&dumps);
    // The last dump is that of the end of the program, in which nothing is counted.
    if counts.len() == works.len() + 1 {
        Ok(counts[..works.len()].to_vec())
    } else {
        Err(format!("valgrind counted {} of {}: {}", counts.len(), works.len(), String::from_utf8_lossy(&run.stderr)))
    }
}

/// Returns the sum of each dump in a file of callgrind.
fn totals(dumps: &str) -> Vec<u64> {
    dumps.lines().filter_map(|line| line.strip_prefix("summary: ")?.trim().parse().ok()).collect()
}

/// What happens in here is counted.
#[inline(never)]
pub(crate) fn counted(work: &mut dyn FnMut()) {
    work();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_dumps_are_found() {
        assert_eq!(
            totals("version: 1\nevents: Ir\nsummary: 12\nfn=(1)\n1 12\n\nsummary: 3456\ntotals: 3468\n"),
            [12, 3456]
        );
    }
}
