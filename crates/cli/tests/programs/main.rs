//! Runs every program under `tests/programs/` as the directives in it say (see CONTRIBUTING.md), with the
//! `gordian` that was built beside this runner. `cargo xtask programs [FILTER] [--jobs N]` calls it.

mod case;
mod directive;
mod process;

use case::{Failure, run_program};
use directive::Program;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Options {
    filter: Option<String>,
    jobs: usize,
    /// A filter that fits no program is no mistake.
    may_be_none: bool,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("programs: {message}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options, String> {
    let mut options = Options { filter: None, jobs: 2, may_be_none: false };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--jobs" {
            let jobs = arguments.next().and_then(|jobs| jobs.parse().ok()).filter(|jobs| *jobs > 0);
            options.jobs = jobs.ok_or("--jobs wants a number")?;
        } else if argument == "--may-be-none" {
            options.may_be_none = true;
        } else if argument.starts_with('-') {
            return Err(format!("{argument} is no option; there are --jobs N and a filter"));
        } else {
            options.filter = Some(argument);
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let root = root.canonicalize().map_err(|error| format!("cannot find {}: {error}", root.display()))?;
    let mut programs = Vec::new();
    for path in sources(&root)? {
        let name = path.strip_prefix(&root).expect("below the root").display().to_string();
        if options.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str())) {
            programs.extend(Program::read(&path, name)?);
        }
    }
    if programs.is_empty() && !options.may_be_none {
        return Err(format!("no program matches `{}`", options.filter.as_deref().unwrap_or("")));
    }
    let scratch = std::env::temp_dir().join(format!("gordian-programs-{}", std::process::id()));
    let results = Results::new(programs.len());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(nth) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|nth| *nth < programs.len()) {
                    let failures = run_program(&programs[nth], &scratch.join(nth.to_string()));
                    results.add(nth, &programs, failures);
                }
            });
        }
    });
    let failed = results.close(&programs);
    if !failed {
        let _ = std::fs::remove_dir_all(&scratch);
    }
    Ok(!failed)
}

/// Every C file below `folder`, sorted.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let error = |error| format!("cannot read {}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// What came of each program; printed in the order of the programs, whoever is done first.
struct Results {
    done: Mutex<(usize, Vec<Option<Vec<Failure>>>)>,
}

impl Results {
    fn new(n_programs: usize) -> Self {
        Results { done: Mutex::new((0, (0..n_programs).map(|_| None).collect())) }
    }

    fn add(&self, nth: usize, programs: &[Program], failures: Vec<Failure>) {
        let mut done = self.done.lock().expect("no runner panicked");
        let (printed, all) = &mut *done;
        all[nth] = Some(failures);
        while let Some(Some(failures)) = all.get(*printed) {
            let program = &programs[*printed];
            if failures.is_empty() {
                println!("ok      {} ({})", program.name, program.cases.len());
            }
            for failure in failures {
                println!("FAILED  {}:{failure}", program.name);
            }
            *printed += 1;
        }
    }

    /// Repeats the failures where nobody has to scroll for them; whether there were any.
    fn close(self, programs: &[Program]) -> bool {
        let (_, all) = self.done.into_inner().expect("no runner panicked");
        let n_cases: usize = programs.iter().map(|program| program.cases.len()).sum();
        let mut lines = Vec::new();
        let mut n_failed = 0;
        for (program, failures) in programs.iter().zip(all) {
            let failures = failures.expect("every program was run");
            let mut failed: Vec<usize> = failures.iter().map(|failure| failure.line).collect();
            failed.dedup();
            n_failed += failed.len();
            lines.extend(
                failures.iter().map(|failure| format!("  {}:{}: {}", program.name, failure.line, failure.directive)),
            );
        }
        lines.dedup();
        if n_failed > 0 {
            println!("\nfailed:\n{}", lines.join("\n"));
        }
        println!("\n{} passed, {n_failed} failed", n_cases - n_failed);
        n_failed > 0
    }
}
