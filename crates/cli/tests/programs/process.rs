//! Commands with a time limit, their output in files so that no pipe fills up.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub const TIME_LIMIT: Duration = Duration::from_secs(120);

pub struct Ran {
    /// The command as one would type it.
    pub command: String,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// `None` when the time limit ended it.
    pub status: Option<ExitStatus>,
}

impl Ran {
    pub fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    pub fn ending(&self) -> String {
        match self.status {
            None => format!("no end within {} s", TIME_LIMIT.as_secs()),
            Some(status) => status.to_string(),
        }
    }
}

pub fn run(command: &mut Command, folder: &Path, stdin: Option<&Path>) -> io::Result<Ran> {
    std::fs::create_dir_all(folder)?;
    // Beside the folder and not in it: the program under test sees the folder.
    let (stdout, stderr) = (folder.with_extension("stdout"), folder.with_extension("stderr"));
    command.current_dir(folder).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    command.stdin(match stdin {
        Some(stdin) => Stdio::from(File::open(stdin)?),
        None => Stdio::null(),
    });
    let status = wait(command)?;
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    Ok(Ran { command: words.join(" "), stdout: std::fs::read(stdout)?, stderr: std::fs::read(stderr)?, status })
}

#[expect(clippy::disallowed_methods, reason = "a time limit for other processes, not for the program under test")]
fn wait(command: &mut Command) -> io::Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > TIME_LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
