//! `cargo xtask cbmc`: gets CBMC for the tests of sequentialized programs, into the target folder; nothing is installed.
//!
//! Debian 12 has no CBMC. The version of Debian 11 runs there, with Debian 12's `minisat`; it is looked for where the machine's own packages
//! come from.

use crate::process::{run, say, target};
use anyhow::{Context, bail};
use std::path::Path;
use std::process::Command;

/// The release that has CBMC.
const RELEASE: &str = "bullseye";
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

pub fn cbmc() -> anyhow::Result<()> {
    let folder = target().join("tools/cbmc");
    if works(&folder) {
        say(&format!("CBMC is in {}", folder.display()));
        return Ok(());
    }
    let lists = folder.join("apt");
    for sub in ["lists/partial", "cache/archives/partial", "packages"] {
        let path = lists.join(sub);
        std::fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
    }
    let keys = if Path::new(KEYS).exists() { format!("[signed-by={KEYS}] ") } else { String::new() };
    let sources = lists.join("sources.list");
    std::fs::write(&sources, format!("deb {keys}{} {RELEASE} main\n", repository()?))?;
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        let options = [
            ("Dir::Etc::sourcelist", sources.display().to_string()),
            ("Dir::Etc::sourceparts", "-".to_owned()),
            ("Dir::State::lists", lists.join("lists").display().to_string()),
            ("Dir::Cache", lists.join("cache").display().to_string()),
        ];
        options.iter().for_each(|(name, value)| {
            command.arg("-o").arg(format!("{name}={value}"));
        });
        command.args(arguments).current_dir(lists.join("packages"));
        command
    };
    run(&format!("reading the list of packages of {RELEASE}"), &mut apt(&["update"]))?;
    run("getting CBMC", &mut apt(&["download", "cbmc"]))?;
    let mut minisat = Command::new("apt-get");
    run("getting its solver", minisat.args(["download", "minisat"]).current_dir(lists.join("packages")))?;
    for entry in std::fs::read_dir(lists.join("packages"))?.flatten() {
        let mut unpack = Command::new("dpkg-deb");
        run("unpacking", unpack.arg("-x").arg(entry.path()).arg(&folder))?;
    }
    std::fs::remove_dir_all(&lists)?;
    if !works(&folder) {
        bail!("CBMC was unpacked to {}, but does not run", folder.display());
    }
    say(&format!("CBMC is in {}", folder.display()));
    Ok(())
}

fn works(folder: &Path) -> bool {
    let mut command = Command::new(folder.join("usr/bin/cbmc"));
    let version = command.arg("--version").env("LD_LIBRARY_PATH", folder.join("usr/lib")).output();
    version.is_ok_and(|output| output.status.success())
}

/// Where the packages of this machine's own release come from.
fn repository() -> anyhow::Result<String> {
    let release =
        std::fs::read_to_string("/etc/os-release").context("this is no Debian: there is no /etc/os-release")?;
    let codename = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let codename = codename.context("/etc/os-release has no VERSION_CODENAME")?;
    let mut command = Command::new("apt-get");
    command.args(["indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages"]);
    let output = command.output().context("there is no apt-get to get CBMC with")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(_, release)| *release == codename);
    Ok(found.with_context(|| format!("apt has no source for {codename}"))?.0.to_owned())
}
