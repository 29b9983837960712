//! Installs what is missing.

use crate::process::{cargo, run, say, succeeds};
use anyhow::bail;
use std::process::{Command, Stdio};

const COMPILER: &str = "clang-22";

/// clang 22, which gordian is built against and calls: on Debian one package.
pub fn compiler() -> anyhow::Result<()> {
    install(COMPILER, COMPILER)
}

/// LLVM's own interpreter and optimiser, which the benchmarks compare with.
pub fn interpreter() -> anyhow::Result<()> {
    install("lli-22", "llvm-22")
}

pub fn gcc() -> anyhow::Result<()> {
    install("gcc", "gcc")
}

/// csmith and the folder of its headers, where Debian has it; without it there are gordian's own programs.
pub fn csmith() -> Option<(String, String)> {
    if let Err(error) = install("csmith", "csmith") {
        say(&format!("without csmith: {error:#}"));
        return None;
    }
    let entries = std::fs::read_dir("/usr/include").ok()?.flatten().map(|entry| entry.path());
    let include = entries.into_iter().find(|path| path.join("csmith.h").exists())?;
    Some(("csmith".to_owned(), include.display().to_string()))
}

fn install(program: &str, package: &str) -> anyhow::Result<()> {
    if succeeds(program, &["--version"]) {
        return Ok(());
    }
    if !succeeds("apt-get", &["--version"]) {
        bail!("{program} is missing and there is no apt-get to install it with; install {package}");
    }
    run(&format!("{program} is missing: refreshing the list of Debian packages"), &mut apt(package, &["update"])?)?;
    let install = ["install", "-y", "--no-install-recommends", package];
    run(&format!("installing {package}"), &mut apt(package, &install)?)?;
    if !succeeds(program, &["--version"]) {
        bail!("{package} was installed, but `{program} --version` fails");
    }
    Ok(())
}

fn apt(package: &str, arguments: &[&str]) -> anyhow::Result<Command> {
    let is_root = Command::new("id").arg("-u").stderr(Stdio::null()).output().is_ok_and(|id| id.stdout == b"0\n");
    let mut command = if is_root {
        Command::new("apt-get")
    } else if succeeds("sudo", &["--version"]) {
        let mut sudo = Command::new("sudo");
        // sudo drops the environment, so it is set again behind it.
        sudo.args(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        sudo
    } else {
        bail!("{package} is missing; as root, type: apt-get update && apt-get install -y {package}");
    };
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    Ok(command)
}

/// rustfmt and clippy.
pub fn rust_tools() -> anyhow::Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let present = || cargo().args([subcommand, "--version"]).output().is_ok_and(|output| output.status.success());
        if present() {
            continue;
        }
        if !succeeds("rustup", &["--version"]) {
            bail!("`cargo {subcommand}` is missing; install {component}");
        }
        say(&format!("{component} is missing"));
        run(&format!("installing {component}"), Command::new("rustup").args(["component", "add", component]))?;
    }
    Ok(())
}
