//! Commands, run from the root of the workspace.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the workspace")
}

/// The same cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

pub fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Says what it does, and fails if the command does.
pub fn run(what: &str, command: &mut Command) -> anyhow::Result<()> {
    let code = exit_code(what, command)?;
    if code != 0 {
        bail!("{what}: `{}` failed with exit code {code}", text(command));
    }
    Ok(())
}

pub fn exit_code(what: &str, command: &mut Command) -> anyhow::Result<i32> {
    say(what);
    let status = command.status().with_context(|| format!("cannot run `{}`", text(command)))?;
    status.code().with_context(|| format!("`{}` was ended by a signal", text(command)))
}

pub fn say(what: &str) {
    println!("\n== {what}");
}

/// Whether a command runs and says yes; what it prints does not matter.
pub fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

pub fn text(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
