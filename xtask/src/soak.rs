//! All generated tests with new seeds, until stopped or for some time, and a report of what was compared.

use crate::packages;
use crate::process::{cargo, say, target, text};
use crate::times::now;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Test binaries with generated tests: package and name.
const BINARIES: [(&str, &str); 17] = [
    ("gordian-strategies", "generated"),
    ("gordian-strategies", "commute"),
    ("gordian-strategies", "symbolic"),
    ("gordian-strategies", "waits"),
    ("gordian-interference", "degrees"),
    ("gordian-expr", "random"),
    ("gordian-solve", "random"),
    ("gordian-analysis", "soundness"),
    ("gordian-predict", "oracle"),
    ("gordian-predict", "own"),
    ("gordian-predict", "switches"),
    ("gordian-sequentialize", "generated"),
    ("gordian-unfolding", "events"),
    ("gordian-unfolding", "generated"),
    ("gordian-value-schedule", "generated"),
    ("gordian", "enumeration"),
    ("gordian", "native"),
];

/// Cases of a test for each seed: one C file.
const CASES: u64 = 150;

/// A test that is run with one seed after the other.
struct Generated {
    package: &'static str,
    binary: &'static str,
    executable: PathBuf,
    name: String,
}

impl Generated {
    /// What filters choose by, and what the report calls it.
    fn full_name(&self) -> String {
        format!("{}/{} {}", self.package, self.binary, self.name)
    }
}

/// What is asked for on the command line.
struct Options {
    seconds: Option<u64>,
    seed: u64,
    cases: u64,
    filter: String,
    jobs: usize,
}

/// What came of all tests so far.
#[derive(Default)]
struct Report {
    runs: u64,
    cases: u64,
    /// Pairs of steps that were made in both orders, and those of them that are independent.
    pairs: [u64; 2],
    /// By test and feature.
    compared: BTreeMap<(String, String), u64>,
    /// By feature and reason.
    left_out: BTreeMap<(String, String), u64>,
    /// By test: how often it ran, the cases that were compared, and how long all runs took.
    by_test: BTreeMap<String, (u64, u64, Duration)>,
    /// Each with the command that shows it again.
    differences: Vec<String>,
}

pub fn soak(arguments: &[String]) -> anyhow::Result<()> {
    let options = Options::parse(arguments)?;
    packages::compiler()?;
    let folder = target().join(format!("soak-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let outcome = build(&options.filter, &folder).and_then(|tests| run_all(&tests, &options));
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}

fn run_all(tests: &[Generated], options: &Options) -> anyhow::Result<()> {
    if tests.is_empty() {
        bail!("no generated test has `{}` in its name, which has the form `package/binary test`", options.filter);
    }
    say(&format!(
        "{} generated tests, {} cases of each for every seed from {} on",
        tests.len(),
        options.cases,
        options.seed
    ));
    let report = Mutex::new(Report::default());
    let stop = Stop::new(options.seconds)?;
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while !stop.is_due() {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    let (test, seed) = (&tests[nth % tests.len()], options.seed + (nth / tests.len()) as u64);
                    run(test, seed, options, &stop, &report);
                }
            });
        }
    });
    let report = lock(&report);
    report.print();
    if !report.differences.is_empty() {
        bail!("{} differences", report.differences.len());
    }
    Ok(())
}

impl Options {
    fn parse(arguments: &[String]) -> anyhow::Result<Options> {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let mut options = Options { seconds: None, seed: fresh_seed(), cases: CASES, filter: String::new(), jobs };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut number = || -> anyhow::Result<u64> {
                let number = words.next().and_then(|number| number.parse().ok());
                number.with_context(|| format!("{word} wants a number"))
            };
            match word.as_str() {
                "--seconds" => options.seconds = Some(number()?),
                "--seed" => options.seed = number()?,
                "--cases" => options.cases = number()?,
                "--jobs" => options.jobs = (number()? as usize).max(1),
                other if other.starts_with('-') || !options.filter.is_empty() => {
                    bail!(
                        "`cargo xtask soak` takes --seconds N, --seed S, --cases N, --jobs N and one filter, not `{other}`"
                    )
                }
                filter => options.filter = filter.to_owned(),
            }
        }
        Ok(options)
    }
}

/// One that nobody has used, most likely.
#[expect(clippy::disallowed_methods, reason = "another seed each time is the point")]
fn fresh_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs())
}

/// When it ends: after some time, or when the user has had enough.
struct Stop {
    interrupted: Arc<AtomicBool>,
    begin: Instant,
    limit: Option<Duration>,
}

impl Stop {
    fn new(seconds: Option<u64>) -> anyhow::Result<Stop> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("cannot listen to Ctrl-C")?;
        Ok(Stop { interrupted, begin: now(), limit: seconds.map(Duration::from_secs) })
    }

    fn is_due(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.limit.is_some_and(|limit| self.begin.elapsed() >= limit)
    }
}

/// Builds all binaries and lists those of their tests that are generated from a seed and have the filter in their names. They are run from copies in the
/// folder, so that they stay as they are when the project is built again meanwhile.
fn build(filter: &str, folder: &Path) -> anyhow::Result<Vec<Generated>> {
    // All at once: cargo builds a dependency again for packages that want other features of it.
    let mut build = cargo();
    build.args(["test", "--profile", "soak", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]);
    build.args(BINARIES.iter().flat_map(|(_, binary)| ["--test", binary])).stderr(Stdio::inherit());
    say("building the generated tests");
    let output = build.output().with_context(|| format!("cannot run `{}`", text(&build)))?;
    if !output.status.success() {
        bail!("`{}` failed", text(&build));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut tests = Vec::new();
    for (package, binary) in BINARIES {
        let is_it = |line: &&str| {
            line.contains(&format!("#{package}@"))
                && line.contains("\"kind\":[\"test\"]")
                && line.contains(&format!("\"name\":\"{binary}\""))
        };
        let executable = messages.lines().filter(is_it).find_map(crate::test::executable);
        let executable = executable.with_context(|| format!("cargo did not say where {package}/{binary} is"))?;
        let copy = folder.join(format!("{package}-{binary}"));
        std::fs::copy(executable, &copy).with_context(|| format!("cannot copy {executable}"))?;
        let list = Command::new(executable).args(["--list", "--format", "terse"]).output();
        let list = list.with_context(|| format!("cannot run {executable}"))?;
        for name in String::from_utf8_lossy(&list.stdout).lines().filter_map(|line| line.strip_suffix(": test")) {
            let (executable, name) = (copy.clone(), name.to_owned());
            let test = Generated { package, binary, executable, name };
            if is_seeded(binary, &test.name) && test.full_name().contains(filter) {
                tests.push(test);
            }
        }
    }
    Ok(tests)
}

/// Whether a test does something else for every seed. Those over `tests/programs` do not, unless they walk at random.
fn is_seeded(binary: &str, name: &str) -> bool {
    if binary == "commute" {
        return name.starts_with("steps_of");
    }
    !name.contains("programs") || name.contains("generated_programs")
}

/// Runs a test with one seed and takes in what it says.
fn run(test: &Generated, seed: u64, options: &Options, stop: &Stop, report: &Mutex<Report>) {
    let mut command = Command::new(&test.executable);
    command.args(["--exact", &test.name, "--nocapture"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("GORDIAN_SEED", seed.to_string()).env("GORDIAN_TEST_SEED", seed.to_string());
    command.env("GORDIAN_CASES", options.cases.to_string()).env("RUST_BACKTRACE", "0");
    let start = now();
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return lock(report).differ(test, seed, &format!("{} cannot be run: {error}", test.executable.display()));
        }
    };
    // Both pipes are read at once, so that neither fills up.
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (lines, errors) = std::thread::scope(|scope| {
        let lines = scope.spawn(|| read(output));
        let errors = scope.spawn(|| read(errors));
        wait(&mut child, stop);
        (lines.join().unwrap_or_default(), errors.join().unwrap_or_default())
    });
    let has_failed = child.wait().map_or(true, |status| !status.success());
    if stop.is_due() && has_failed && !lines.iter().any(|line| line.starts_with("different ")) {
        // It was ended before its time.
        return;
    }
    let mut report = lock(report);
    let before = report.cases;
    report.take(test, seed, options.cases, &lines);
    let compared = report.cases - before;
    let (runs, cases, time) = report.by_test.entry(test.full_name()).or_default();
    *runs += 1;
    *cases += compared;
    *time += start.elapsed();
    if has_failed && !lines.iter().any(|line| line.starts_with("different ")) {
        report.differ(test, seed, &errors.join("\n"));
    }
}

/// Waits for the end of a test, and ends it when it is time.
fn wait(child: &mut Child, stop: &Stop) {
    while let Ok(None) = child.try_wait() {
        if stop.is_due() {
            let _ = child.kill();
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn read(pipe: Option<impl std::io::Read>) -> Vec<String> {
    let lines = pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).lines());
    lines.map_while(Result::ok).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Report {
    /// Lines that a test printed: see `tally.rs` of the generated tests. What follows a difference is the program that shows it.
    fn take(&mut self, test: &Generated, seed: u64, cases: u64, lines: &[String]) {
        self.runs += 1;
        for (nth, line) in lines.iter().enumerate() {
            let value = |name: &str| value_of(line, name).unwrap_or_default();
            let number = || value("cases").parse::<u64>().unwrap_or(0);
            if line.starts_with("total ") {
                self.cases += number();
            } else if line.starts_with("commuted ") {
                let number = |name| value(name).parse::<u64>().unwrap_or(0);
                self.pairs[0] += number("pairs");
                self.pairs[1] += number("independent");
            } else if line.starts_with("compared ") {
                *self.compared.entry((test.name.clone(), value("feature").to_owned())).or_default() += number();
            } else if line.starts_with("left-out ") {
                let why = line.split_once("why=").map_or("", |(_, why)| why);
                *self.left_out.entry((value("feature").to_owned(), why.to_owned())).or_default() += number();
            } else if line.starts_with("different ") {
                let rest = &lines[nth..];
                let ends = |line: &String| line.starts_with("total ") || line.starts_with("different ");
                let end = rest.iter().skip(1).position(ends);
                let source = rest[..end.map_or(rest.len(), |end| end + 1)].join("\n");
                let only = format!("GORDIAN_CASES={cases} GORDIAN_ONLY={} ", value("case").trim_end_matches(':'));
                self.differ_as(test, seed, &only, &source);
            }
        }
    }

    fn differ(&mut self, test: &Generated, seed: u64, what: &str) {
        self.differ_as(test, seed, "", what);
    }

    fn differ_as(&mut self, test: &Generated, seed: u64, more: &str, what: &str) {
        let Generated { package, binary, name, .. } = test;
        let features = std::env::var("GORDIAN_FEATURES").map(|names| format!("GORDIAN_FEATURES={names} "));
        let command = format!(
            "GORDIAN_SEED={seed} GORDIAN_TEST_SEED={seed} {more}{}cargo test --release -p {package} --test {binary} -- --exact {name}",
            features.unwrap_or_default()
        );
        let difference = format!("{command}\n{what}");
        println!("\n{difference}");
        self.differences.push(difference);
    }

    fn print(&self) {
        say(&format!("{} cases compared in {} runs", self.cases, self.runs));
        let [pairs, independent] = self.pairs;
        println!("{pairs} pairs of steps looked at, {independent} of them called independent and made in both orders");
        println!("runs, cases and seconds of each test:");
        for (test, (runs, cases, time)) in &self.by_test {
            println!("{runs:>6} {cases:>8} {:>7}  {test}", time.as_secs());
        }
        println!("compared, by feature and test:");
        for ((test, feature), number) in &self.compared {
            println!("{number:>10}  {feature:<20} {test}");
        }
        println!("not compared:");
        for ((feature, why), number) in &self.left_out {
            println!("{number:>10}  {feature:<20} {why}");
        }
        for difference in &self.differences {
            println!("different: {}", difference.lines().take(2).collect::<Vec<_>>().join("\n  "));
        }
    }
}

/// The value behind a name in a line of the form `what name=value name=value`.
fn value_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}
