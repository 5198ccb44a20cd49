//! Counters and histograms in the Prometheus text format; labels come from settings and tables, never from clients.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Maximum series of a metric; others are combined, so that clients cannot exhaust memory.
const MAX_SERIES: usize = 1000;

/// Bucket bounds in seconds for the proxy's overhead.
const FINE: &[f64] = &[0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1.0];

/// Bucket bounds in seconds for model latencies.
const COARSE: &[f64] =
    &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0];

/// A metric with labels.
pub(crate) struct Family<V> {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    bounds: &'static [f64],
    series: Mutex<BTreeMap<Vec<String>, V>>,
}

/// A distribution of times.
#[derive(Default)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    sum: f64,
    count: u64,
}

impl<V: Default> Family<V> {
    const fn new(
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        bounds: &'static [f64],
    ) -> Self {
        Self { name, help, labels, bounds, series: Mutex::new(BTreeMap::new()) }
    }

    fn with(&self, labels: &[&str], change: impl FnOnce(&mut V)) {
        let mut series = lock(&self.series);
        let mut key: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
        if series.len() >= MAX_SERIES && !series.contains_key(&key) {
            key.iter_mut().for_each(|label| *label = "other".to_owned());
        }
        change(series.entry(key).or_default());
    }

    fn head(&self, kind: &str, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "# HELP {} {}\n# TYPE {} {kind}", self.name, self.help, self.name);
    }

    fn labels(&self, values: &[String]) -> String {
        let escaped = |value: &String| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let pairs = self.labels.iter().zip(values).map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
        pairs.collect::<Vec<_>>().join(",")
    }
}

impl Family<u64> {
    /// Adds to the counter.
    pub(crate) fn add(&self, labels: &[&str], count: u64) {
        self.with(labels, |value| *value += count);
    }

    fn write(&self, out: &mut String) {
        self.head("counter", out);
        for (labels, value) in lock(&self.series).iter() {
            let _ = writeln!(out, "{}{{{}}} {value}", self.name, self.labels(labels));
        }
    }
}

impl Family<Histogram> {
    /// Records a duration.
    pub(crate) fn note(&self, labels: &[&str], time: Duration) {
        let seconds = time.as_secs_f64();
        self.with(labels, |histogram| {
            histogram.counts.resize(self.bounds.len(), 0);
            if let Some(at) = self.bounds.iter().position(|bound| seconds <= *bound) {
                histogram.counts[at] += 1;
            }
            histogram.sum += seconds;
            histogram.count += 1;
        });
    }

    fn write(&self, out: &mut String) {
        self.head("histogram", out);
        for (labels, histogram) in lock(&self.series).iter() {
            let (labels, mut below) = (self.labels(labels), 0);
            for (bound, count) in self.bounds.iter().zip(&histogram.counts) {
                below += count;
                let _ = writeln!(out, "{}_bucket{{{labels},le=\"{bound}\"}} {below}", self.name);
            }
            let Histogram { sum, count, .. } = histogram;
            let _ = writeln!(out, "{}_bucket{{{labels},le=\"+Inf\"}} {count}", self.name);
            let _ = writeln!(out, "{0}_sum{{{labels}}} {sum}\n{0}_count{{{labels}}} {count}", self.name);
        }
    }
}

/// Declares each metric once: its field, name, help, labels, and for histograms its bounds. They are written in this order.
macro_rules! metrics {
    ($($field:ident: $kind:ty = $name:literal, $help:literal, $labels:expr, $bounds:expr;)*) => {
        /// All metrics.
        pub(crate) struct Metrics {
            $(pub(crate) $field: Family<$kind>,)*
        }

        impl Default for Metrics {
            fn default() -> Self {
                Self { $($field: Family::new($name, $help, $labels, $bounds),)* }
            }
        }

        impl Metrics {
            fn write(&self, out: &mut String) {
                $(self.$field.write(out);)*
            }
        }
    };
}

metrics! {
    requests: u64 = "toolglot_requests_total", "Requests answered.", &["ingress", "upstream", "model", "status"], &[];
    durations: Histogram = "toolglot_request_duration_seconds", "Time from the request to the end of its answer.", &["ingress", "upstream"], COARSE;
    first_bytes: Histogram = "toolglot_time_to_first_byte_seconds", "Time from the request to the first byte of its answer.", &["ingress", "upstream"], COARSE;
    overheads: Histogram = "toolglot_overhead_seconds", "Time spent in the proxy.", &["ingress", "upstream"], FINE;
    calls: u64 = "toolglot_tool_calls_total", "Tool calls, by outcome.", &["dialect", "outcome"], &[];
    diagnostics: u64 = "toolglot_diagnostics_total", "Diagnostics and repairs, by code.", &["code"], &[];
    dialects: u64 = "toolglot_dialect_detected_total", "Answers that contained calls as text.", &["dialect"], &[];
    upstream_errors: u64 = "toolglot_upstream_errors_total", "Errors of model servers.", &["upstream", "code"], &[];
    retries: u64 = "toolglot_retries_total", "Requests resent in another form.", &["upstream"], &[];
    resent: u64 = "toolglot_resent_total", "Times a request was resent unchanged, because the server was unreachable or overloaded.", &["upstream"], &[];
    prompts: u64 = "toolglot_prompted_requests_total", "Requests with tools in the prompt.", &["upstream", "dialect"], &[];
    misses: u64 = "toolglot_near_misses_total", "Answers that look like a call but were not recognised as one.", &["model", "reason"], &[];
    disconnects: u64 = "toolglot_client_disconnects_total", "Clients that disconnected early.", &["ingress"], &[];
    reloads: u64 = "toolglot_config_reloads_total", "Reloads of the settings, by result.", &["result"], &[];
    store_errors: u64 = "toolglot_store_errors_total", "Failed operations of the shared store.", &["operation"], &[];
}

impl Metrics {
    /// Returns all metrics in the text format, with the current gauges.
    pub(crate) fn text(&self, in_flight: usize, held: usize) -> String {
        let mut out = String::new();
        self.write(&mut out);
        let mut now = |name: &str, help: &str, value: String| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name}{value}");
        };
        now("toolglot_in_flight_requests", "Requests in progress.", format!(" {in_flight}"));
        now("toolglot_held_bytes", "Bytes of text currently held back, in all streams.", format!(" {held}"));
        now(
            "toolglot_build_info",
            "The version of toolglot.",
            format!("{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION")),
        );
        out
    }
}

/// Ignores poisoning, since nothing panics while holding one of these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_bounded() {
        let family: Family<u64> = Family::new("x_total", "X.", &["a"], &[]);
        family.add(&["q\"\n"], 2);
        (0..5000).for_each(|n| family.add(&[&n.to_string()], 1));
        let mut out = String::new();
        family.write(&mut out);
        assert!(out.contains("x_total{a=\"q\\\"\\n\"} 2\n") && out.contains("x_total{a=\"other\"} 4001\n"));
        assert_eq!(out.lines().count(), MAX_SERIES + 3);
    }

    #[test]
    fn buckets_are_cumulative() {
        let family: Family<Histogram> = Family::new("x", "X.", &["a"], FINE);
        [20, 80, 80, 5_000_000].iter().for_each(|micros| family.note(&["b"], Duration::from_micros(*micros)));
        let mut out = String::new();
        family.write(&mut out);
        for line in ["le=\"0.00005\"} 1", "le=\"0.0001\"} 3", "le=\"1\"} 3", "le=\"+Inf\"} 4", "x_count{a=\"b\"} 4"] {
            assert!(out.contains(line), "{line} is not in {out}");
        }
    }
}
