//! `gordian run` against native compilers: what a defined program prints is the same.
//!
//! A generated file has many cases. A build with sanitizers tells which of them are undefined, and those are left out. The rest must print the
//! same under `gordian run`, clang without optimisation and gcc with some. `GORDIAN_SEED`, `GORDIAN_CASES` and `GORDIAN_SECONDS` choose how
//! many and which; `cargo xtask native-fuzz` goes on until it is stopped. With `GORDIAN_CSMITH` programs of csmith are compared as well.

mod compilers;
mod generator;

use compilers::{Native, Ran};
use gordian_base::Rng;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Cases that stand in one file.
const BATCH: usize = 40;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

#[derive(Default)]
struct Counts {
    equal: usize,
    undefined: usize,
    /// Natively they do not agree with each other, or take too long.
    left_out: usize,
    different: Vec<String>,
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native");
    std::fs::create_dir_all(&folder).expect("cargo's folder for tests can be written to");
    folder
}

/// The lines `case N: …` of an output, by number.
fn results(output: &str, n_cases: usize) -> Vec<Option<&str>> {
    let mut results = vec![None; n_cases];
    for line in output.lines() {
        let parts = line.strip_prefix("case ").and_then(|rest| rest.split_once(": "));
        if let Some((number, result)) = parts
            && let Some(place) = number.parse().ok().and_then(|number: usize| results.get_mut(number))
        {
            *place = Some(result);
        }
    }
    results
}

/// Which cases a sanitizer says nothing about: messages follow the line of their case.
fn defined(ran: &Ran, n_cases: usize) -> Vec<bool> {
    let mut defined = vec![true; n_cases];
    let mut present = 0;
    for line in ran.stderr.lines() {
        match line.strip_prefix("case ").and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => present = number,
            None => defined[present] = false,
        }
    }
    let printed = results(&ran.stdout, n_cases);
    (0..n_cases).map(|nth| defined[nth] && printed[nth].is_some()).collect()
}

/// Compares the cases of one file.
fn compare(seed: u64, batch: u64, n_cases: usize, counts: &mut Counts) {
    let path = folder().join(format!("{seed}-{batch}.c"));
    let text = generator::source(&mut Rng::stream(seed, batch), n_cases);
    std::fs::write(&path, text).expect("cargo's folder for tests can be written to");
    let native = Native::new(&path);
    let Some(sanitized) = native.sanitized(&"1".repeat(n_cases)) else {
        counts.left_out += n_cases;
        native.remove();
        return;
    };
    let defined = defined(&sanitized, n_cases);
    let which: String = defined.iter().map(|&defined| if defined { '1' } else { '0' }).collect();
    counts.undefined += defined.iter().filter(|&&defined| !defined).count();
    let (clang, gcc) = (native.clang(&which), native.gcc(&which));
    let ours = compilers::gordian(&path, &[&which]);
    let outputs = [&clang, &gcc, &ours].map(|ran| results(&ran.stdout, n_cases));
    for nth in (0..n_cases).filter(|&nth| defined[nth]) {
        let [clang, gcc, gordian] = [outputs[0][nth], outputs[1][nth], outputs[2][nth]];
        if clang.is_none() || clang != gcc {
            counts.left_out += 1;
        } else if gordian == clang {
            counts.equal += 1;
        } else {
            counts.different.push(format!(
                "case {nth} of {}: {gordian:?} and not {clang:?}\n{}",
                path.display(),
                ours.stderr.lines().filter(|line| !line.starts_with("case ")).take(12).collect::<Vec<_>>().join("\n")
            ));
        }
    }
    if counts.different.is_empty() {
        std::fs::remove_file(&path).expect("the file was written just now");
    }
    native.remove();
}

/// One program of csmith.
fn compare_with_csmith(csmith: &str, seed: u64, counts: &mut Counts) {
    let path = folder().join(format!("csmith-{seed}.c"));
    if !compilers::csmith(csmith, seed, &path) {
        counts.left_out += 1;
        return;
    }
    let native = Native::new(&path);
    let (clang, gcc) = (native.clang(""), native.gcc(""));
    native.remove();
    if clang.stdout.is_empty() || clang.stdout != gcc.stdout {
        counts.left_out += 1;
        return;
    }
    let ours = compilers::gordian(&path, &[]);
    if ours.stdout == clang.stdout {
        counts.equal += 1;
        std::fs::remove_file(&path).expect("the file was written just now");
    } else {
        counts.different.push(format!(
            "{}: {:?} and not {:?}\n{}",
            path.display(),
            ours.stdout,
            clang.stdout,
            ours.stderr
        ));
    }
}

#[test]
fn defined_programs_print_what_they_do_natively() {
    let seconds = number("GORDIAN_SECONDS").map(Duration::from_secs);
    let (n_cases, seed) = (number("GORDIAN_CASES").unwrap_or(240) as usize, number("GORDIAN_SEED").unwrap_or(1));
    #[expect(clippy::disallowed_methods, reason = "how long to go on is for the user to say")]
    let (begin, now) = (Instant::now(), Instant::now);
    let is_over = |n: usize| seconds.map_or(n >= n_cases, |seconds| now() - begin >= seconds);
    let csmith = std::env::var("GORDIAN_CSMITH").ok();
    let mut counts = Counts::default();
    let mut n = 0;
    for batch in 0.. {
        if is_over(n) {
            break;
        }
        let here = if seconds.is_some() { BATCH } else { BATCH.min(n_cases - n) };
        compare(seed, batch, here, &mut counts);
        n += here;
        if let Some(csmith) = &csmith {
            compare_with_csmith(csmith, seed << 32 | batch, &mut counts);
        }
    }
    let Counts { equal, undefined, left_out, different } = counts;
    println!("{equal} programs print the same, {undefined} are undefined, {left_out} were left out");
    assert!(different.is_empty(), "{} programs print something else:\n{}", different.len(), different.join("\n"));
    assert!(2 * equal > n, "only {equal} of {n} programs could be compared");
}
