//! Whatever a file holds, gordian answers with one of its documented exit codes: it never panics, never dies of a
//! signal and never hangs. Bitcode, assembly and saved tests are mutated, and a child process reads each mutant.
//!
//! Plain `cargo test` tries a few mutants of a fixed seed. `cargo xtask fuzz` goes on until it is stopped, through
//! these variables: `GORDIAN_FUZZ_RUNS` mutants of each kind, `GORDIAN_FUZZ_SECONDS` for each kind (instead of
//! runs), `GORDIAN_FUZZ_SEED`. Offending inputs are kept in `target/fuzz`.

mod assembly;
mod bytes;
mod child;
mod corpus;

use child::{Folder, Verdict};
use gordian_base::Rng;
use std::time::{Duration, Instant};

/// Mutants of each kind when nothing else is asked for.
const RUNS: u64 = 40;

struct Plan {
    runs: u64,
    seconds: Option<u64>,
    seed: u64,
}

impl Plan {
    fn new() -> Self {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
        Plan {
            runs: number("GORDIAN_FUZZ_RUNS").unwrap_or(RUNS),
            seconds: number("GORDIAN_FUZZ_SECONDS"),
            seed: number("GORDIAN_FUZZ_SEED").unwrap_or(1),
        }
    }

    /// Calls `try_one` with a generator for each mutant. Offending ones do not stop a long search.
    #[expect(clippy::disallowed_methods, reason = "a time budget for the fuzzer, of no consequence to any result")]
    fn carry_out(&self, kind: &str, mut try_one: impl FnMut(&mut Rng, u64) -> Verdict) {
        let start = Instant::now();
        let mut bad = Vec::new();
        // How many ended with each exit code, and how many did not end.
        let (mut ended, mut endless) = ([0; 4], 0);
        for nth in 0.. {
            let go_on = match self.seconds {
                Some(seconds) => start.elapsed() < Duration::from_secs(seconds),
                None => nth < self.runs,
            };
            if !go_on {
                break;
            }
            let mut rng = Rng::stream(self.seed, nth);
            match try_one(&mut rng, nth) {
                Verdict::Good(Some(code)) => ended[code as usize] += 1,
                Verdict::Good(None) => endless += 1,
                Verdict::Bad(complaint) => {
                    println!("{kind} {nth} of seed {}: {complaint}", self.seed);
                    bad.push(complaint);
                }
            }
        }
        println!("{kind}: exit codes 0 to 3: {ended:?}, too slow: {endless}, offending: {}", bad.len());
        assert!(bad.is_empty(), "{} mutants of kind {kind} broke gordian; the first: {}", bad.len(), bad[0]);
    }
}

#[test]
fn mutated_bitcode() {
    let folder = Folder::new("bitcode");
    let corpus = corpus::bitcode(&folder);
    Plan::new().carry_out("bitcode", |rng, nth| {
        let mutant = bytes::mutate(rng, &corpus);
        folder.try_program(&format!("mutant-{nth}.bc"), &mutant, rng)
    });
}

/// Text passes LLVM's reader more often than bits do, so that odd modules reach gordian's own lowering.
#[test]
fn mutated_assembly() {
    let folder = Folder::new("assembly");
    let corpus = corpus::assembly(&folder);
    Plan::new().carry_out("assembly", |rng, nth| {
        let mutant = assembly::mutate(rng, &corpus);
        folder.try_program(&format!("mutant-{nth}.ll"), mutant.as_bytes(), rng)
    });
}

#[test]
fn mutated_tests() {
    let folder = Folder::new("tests");
    let corpus = corpus::tests(&folder);
    Plan::new().carry_out("test", |rng, nth| {
        let mutant = if rng.below(3) == 0 { bytes::mutate(rng, &corpus) } else { corpus::mutate_test(rng, &corpus) };
        folder.try_test(&format!("mutant-{nth}.gordian"), &mutant)
    });
}
