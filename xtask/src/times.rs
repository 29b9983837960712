//! How long each test binary takes. Cargo lets another program run its test binaries (`CARGO_TARGET_…_RUNNER`): this one, which
//! notes the time of each in a file.

use crate::process::{run, say, target};
use anyhow::{Context, bail};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The command by which cargo runs a test binary.
pub const TIME: &str = "time-test";

/// Names the file with the times.
const FILE: &str = "GORDIAN_TEST_TIMES";

/// Test binaries that are named at the end.
const MOST_NAMED: usize = 8;

/// Runs tests with cargo, and names the slowest test binaries at the end, whether they pass or not.
pub fn run_tests(what: &str, cargo: &mut Command) -> anyhow::Result<()> {
    let file = target().join("test-times");
    if file.exists() {
        std::fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    let me = std::env::current_exe().context("cannot tell where xtask is")?;
    let runner = format!("CARGO_TARGET_{}_RUNNER", host()?.to_uppercase().replace('-', "_"));
    cargo.env(runner, format!("{} {TIME}", me.display())).env(FILE, &file);
    let start = now();
    let result = run(what, cargo);
    let took = start.elapsed();
    if let Ok(times) = std::fs::read_to_string(&file) {
        say(&format!("{what} took {} s; the slowest test binaries", took.as_secs()));
        slowest(&times).iter().for_each(|line| println!("{line}"));
    }
    result
}

/// The platform that tests are built for.
fn host() -> anyhow::Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say its host")?.to_owned())
}

/// Runs a test binary as cargo asked, notes its time and ends as it did.
pub fn time(arguments: &[String]) -> anyhow::Result<()> {
    let Some((binary, rest)) = arguments.split_first() else { bail!("`cargo xtask {TIME}` is for cargo alone") };
    let start = now();
    let status = Command::new(binary).args(rest).status().with_context(|| format!("cannot run {binary}"))?;
    if let Some(file) = std::env::var_os(FILE) {
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        note(Path::new(&file), start.elapsed(), &package, &name_of(binary))?;
    }
    std::process::exit(status.code().unwrap_or(101));
}

fn note(file: &Path, took: Duration, package: &str, name: &str) -> anyhow::Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    Ok(writeln!(file, "{} {package} {name}", took.as_millis())?)
}

/// A test binary's name, without the hash that cargo adds.
fn name_of(binary: &str) -> String {
    let name = Path::new(binary).file_name().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').map_or(&*name, |(name, _)| name).to_owned()
}

/// A line for each of the slowest binaries.
fn slowest(times: &str) -> Vec<String> {
    let parse = |line: &str| {
        let (millis, name) = line.split_once(' ')?;
        Some((millis.parse().ok()?, name.to_owned()))
    };
    let mut all: Vec<(u64, String)> = times.lines().filter_map(parse).collect();
    all.sort_by(|a, b| b.cmp(a));
    let seconds = |millis: u64| format!("{:>6}.{} s", millis / 1000, millis % 1000 / 100);
    all.iter().take(MOST_NAMED).map(|(millis, name)| format!("{}  {name}", seconds(*millis))).collect()
}

#[expect(clippy::disallowed_methods, reason = "how long tests take is for a clock to say")]
pub fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::{name_of, slowest};

    #[test]
    fn the_slowest_come_first() {
        let times = "900 gordian cli\n61250 gordian-vm properties\n7 gordian-base gordian_base\n";
        assert_eq!(slowest(times)[..2], ["    61.2 s  gordian-vm properties", "     0.9 s  gordian cli"]);
    }

    #[test]
    fn a_binary_is_named_without_its_hash() {
        assert_eq!(name_of("/work/target/debug/deps/known_bad-b4864a0eae42ac0b"), "known_bad");
    }
}
