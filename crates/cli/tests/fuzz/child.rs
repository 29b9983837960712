//! A gordian of its own for each mutant.

use gordian_base::Rng;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// What the documentation promises: safe, bug, bad usage or input, inconclusive.
const EXIT_CODES: [i32; 4] = [0, 1, 2, 3];
/// For everything but running a program.
const TIME_LIMIT: Duration = Duration::from_secs(100);
/// A mutant may loop for ever; that is the program's right, and gordian's bound on instructions is a long way off.
const PATIENCE: Duration = Duration::from_secs(5);
/// Kilobytes of address space: a mutant may ask for much, gordian may not take it all.
const MEMORY_LIMIT: &str = "12000000";

pub enum Verdict {
    /// With this exit code; none for a program that ran for too long.
    Good(Option<i32>),
    /// What gordian did, and where the input is kept.
    Bad(String),
}

/// A folder of its own for each kind; only what offends is left in it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        // Beside the folder that cargo gives to tests: a place that people find.
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../fuzz").join(name);
        std::fs::create_dir_all(&path).expect("the target folder can be written to");
        Folder(path.canonicalize().expect("the folder was made"))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Loads a program and explores it a little.
    pub fn try_program(&self, name: &str, content: &[u8], rng: &mut Rng) -> Verdict {
        let strategy = ["random", "pct", "exhaustive"][rng.below(3)];
        let mut arguments =
            vec!["check", name, "--quiet", "--runs", "3", "--max-steps", "2000", "--strategy", strategy];
        for option in ["--overflow", "--uninit", "--leaks"] {
            if rng.below(4) == 0 {
                arguments.push(option);
            }
        }
        match self.attempt(name, content, &arguments, PATIENCE) {
            // Loading it must end all the same.
            Verdict::Good(None) => match self.attempt(name, content, &["ir", name], TIME_LIMIT) {
                Verdict::Good(None) => Verdict::Bad(format!("loading {name} does not end")),
                Verdict::Good(Some(_)) => Verdict::Good(None),
                bad => bad,
            },
            verdict => verdict,
        }
    }

    pub fn try_test(&self, name: &str, content: &[u8]) -> Verdict {
        self.attempt(name, content, &["replay", name, "--force"], PATIENCE)
    }

    fn attempt(&self, name: &str, content: &[u8], arguments: &[&str], patience: Duration) -> Verdict {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("the target folder can be written to");
        let verdict = run(&self.0, arguments, patience);
        self.saved_tests().iter().for_each(|saved| drop(std::fs::remove_file(saved)));
        match verdict {
            Verdict::Good(_) => {
                let _ = std::fs::remove_file(&path);
                verdict
            }
            Verdict::Bad(what) => {
                let command = arguments.join(" ");
                Verdict::Bad(format!("{what}\n  to see it: cd {} && gordian {command}", self.0.display()))
            }
        }
    }

    /// Tests in the folder that gordian saved, and that are no mutants themselves.
    pub fn saved_tests(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.0).expect("the folder can be read");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
        paths.retain(|path| {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let is_mutant =
                stem.strip_prefix("mutant-").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
            !is_mutant && path.extension().is_some_and(|extension| extension == "gordian")
        });
        paths.sort();
        paths
    }
}

/// Runs gordian and judges how it ends.
fn run(folder: &Path, arguments: &[&str], patience: Duration) -> Verdict {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -v \"$1\"; ulimit -c 0; shift; exec \"$@\"", "sh", MEMORY_LIMIT]);
    command.arg(env!("CARGO_BIN_EXE_gordian")).args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("gordian starts");
    let mut pipe = child.stderr.take().expect("stderr is piped");
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    let Ok(words) = receiver.recv_timeout(patience) else {
        let _ = child.kill();
        let _ = child.wait();
        return Verdict::Good(None);
    };
    let _ = reader.join();
    let status = child.wait().expect("gordian ends");
    let panicked = words.contains("panicked at") || words.contains("internal error");
    match status.code() {
        Some(code) if EXIT_CODES.contains(&code) && !panicked => Verdict::Good(Some(code)),
        _ => Verdict::Bad(format!("ended with {status} and said:\n{}", words.chars().take(2000).collect::<String>())),
    }
}
