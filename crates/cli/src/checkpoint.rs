//! What a long search saves from time to time, so that it can go on after it was interrupted.

use crate::saved;
use anyhow::{Context, bail};
use gordian_engine::Checkpoint;
use gordian_strategies::DporTeam;
use gordian_trace::{Machine, Test};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

const VERSION: u32 = 3;

/// The first line of the file. The second is the search, the third a checksum of both: a search that goes on from damaged counts or plans would
/// come to a wrong verdict.
#[derive(Serialize, Deserialize)]
struct Head {
    gordian_checkpoint: u32,
    /// Written by this version of gordian: what it saves may look otherwise in the next.
    version: String,
    stop_at_first: bool,
    /// What a saved test never says: its inputs are fixed, and nobody asks what it covers.
    symbolic: bool,
    coverage: bool,
    test: Test,
}

impl Head {
    fn new(template: &Test, stop_at_first: bool) -> Head {
        let Machine { symbolic, coverage, .. } = template.machine;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Head { gordian_checkpoint: VERSION, version, stop_at_first, symbolic, coverage, test: template.clone() }
    }

    /// As it was before it was written.
    fn read(text: &str) -> serde_json::Result<Head> {
        let mut head: Head = serde_json::from_str(text)?;
        head.test.machine.symbolic = head.symbolic;
        head.test.machine.coverage = head.coverage;
        Ok(head)
    }
}

pub struct Store {
    path: PathBuf,
    head: Head,
}

impl Store {
    pub fn new(folder: &Path, template: &Test, stop_at_first: bool) -> Store {
        let path = saved::folder_for(folder).join(format!("{}.checkpoint", saved::stem(template)));
        Store { path, head: Head::new(template, stop_at_first) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The old file stays until the new one is complete.
    pub fn write(&self, checkpoint: &Checkpoint) -> anyhow::Result<()> {
        let mut head = serde_json::to_value(&self.head)?;
        head["test"]["threads"] = serde_json::to_value(&checkpoint.threads)?;
        let partial = self.path.with_extension("checkpoint-partial");
        let write = || -> std::io::Result<()> {
            if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                std::fs::create_dir_all(folder)?;
            }
            let mut file = std::fs::File::create(&partial)?;
            let text = format!("{head}\n{}\n", checkpoint.search);
            writeln!(file, "{text}{:016x}", checksum(&text))?;
            file.sync_all()?;
            std::fs::rename(&partial, &self.path)
        };
        let written = write();
        if written.is_err() {
            let _ = std::fs::remove_file(&partial);
        }
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// The saved search, and the template that it goes on with.
    pub fn read(&self) -> anyhow::Result<(DporTeam, Test)> {
        let name = self.path.display();
        let text = match read_text(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                bail!("there is no interrupted search to resume: {name} does not exist")
            }
            Err(error) => return Err(error).with_context(|| format!("cannot read {name}")),
        };
        let broken = || format!("{name} is no checkpoint of this version of gordian, or it is damaged");
        let (head, search) = checked(&text).with_context(broken)?;
        let head = Head::read(head).with_context(broken)?;
        if (head.gordian_checkpoint, &head.version) != (VERSION, &self.head.version) {
            bail!(broken());
        }
        let threads = head.test.threads.clone();
        let is_same = Test { threads: self.head.test.threads.clone(), ..head.test } == self.head.test;
        if !is_same || head.stop_at_first != self.head.stop_at_first {
            bail!(
                "{name} is of another program or of other options; without `--resume` the search starts from the beginning"
            );
        }
        let team = DporTeam::resume(search).with_context(broken)?;
        Ok((team, Test { threads, ..self.head.test.clone() }))
    }

    /// The search came to its end: there is nothing to go on with.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Bytes that are no text are damage like any other.
fn read_text(path: &Path) -> std::io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// FNV-1a.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Head and search of a text whose checksum is right.
fn checked(text: &str) -> Option<(&str, &str)> {
    let body = text.strip_suffix('\n')?;
    let end = body.rfind('\n')? + 1;
    let (lines, sum) = body.split_at(end);
    if sum != format!("{:016x}", checksum(lines)) {
        return None;
    }
    lines.strip_suffix('\n')?.split_once('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_for_all_inputs_is_known_again() {
        let text = r#"{"gordian": 1, "program": {"files": ["a.c"], "identity": "0"}, "schedule": ""}"#;
        let mut template: Test = serde_json::from_str(text).unwrap();
        template.machine.symbolic = true;
        let written = serde_json::to_string(&Head::new(&template, false)).unwrap();
        assert_eq!(Head::read(&written).unwrap().test, template);
    }
}
