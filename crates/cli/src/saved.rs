//! Saved tests: their names, and where their programs are.
//!
//! A test names the files of its program relative to its own folder, so that a folder with both can be
//! moved, unless the user gave an absolute name.

use anyhow::Context;
use gordian_ir::Program;
use gordian_trace::{Finding, Test};
use std::ffi::OsStr;
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};

/// Writes one file for each failing test of a search. Files of the same program are overwritten, all
/// others are left alone.
pub struct Saver {
    folder: PathBuf,
    stem: String,
    identity: String,
    written: Vec<PathBuf>,
}

impl Saver {
    pub fn new(folder: &Path, template: &Test) -> Self {
        let stem = stem(template);
        let identity = template.program.identity.clone();
        Saver { folder: tidy(folder), stem, identity, written: Vec::new() }
    }

    pub fn save(&mut self, test: &Test, finding: &Finding) -> anyhow::Result<PathBuf> {
        std::fs::create_dir_all(folder_or_here(&self.folder))
            .with_context(|| format!("cannot make the folder {}", self.folder.display()))?;
        let path = self.free_name(finding);
        write_beside(test, &path)?;
        self.written.push(path.clone());
        Ok(path)
    }

    fn free_name(&self, finding: &Finding) -> PathBuf {
        let mut nth = 1u64;
        loop {
            let path = self.folder.join(format!("{}-{}-{nth}.gordian", self.stem, finding.kind));
            let ours = || Test::read(&path).is_ok_and(|old| old.program.identity == self.identity);
            if !self.written.contains(&path) && (!path.exists() || ours()) {
                return path;
            }
            nth += 1;
        }
    }
}

/// Refuses to write to a named pipe: opening it waits for somebody who reads it. Standard output may be a pipe.
pub fn refuse_pipe(path: &Path) -> anyhow::Result<()> {
    let is_pipe = std::fs::metadata(path).is_ok_and(|there| there.file_type().is_fifo());
    anyhow::ensure!(!is_pipe || path.starts_with("/dev"), "cannot write {}: it is a named pipe", path.display());
    Ok(())
}

/// Saves tests of reorderings that did not replay.
pub fn keep_spurious(folder: &Path, tests: &[Test]) -> anyhow::Result<()> {
    if !tests.is_empty() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    for (nth, test) in (1..).zip(tests) {
        write_beside(test, &folder.join(format!("{}-spurious-{nth}.gordian", stem(test))))?;
    }
    Ok(())
}

/// Whether files can be written to a folder, before a search that may take hours. What the folder lacks is made when there is
/// something to save.
pub fn probe(folder: &Path) -> anyhow::Result<()> {
    let folder = tidy(folder);
    let there = folder.ancestors().map(folder_or_here).find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    let file = there.join(format!(".gordian-{}.part", std::process::id()));
    // More than fits into what a full disk has left for names.
    let written = std::fs::write(&file, [b'\n'; 4096]);
    let _ = std::fs::remove_file(&file);
    written.with_context(|| format!("cannot write to the folder {}", folder_or_here(&folder).display()))
}

/// The name of a program, for files about it.
pub fn stem(template: &Test) -> String {
    let stem = template.program.files.first().and_then(|file| file.file_stem());
    stem.map_or_else(|| "program".into(), |stem| stem.to_string_lossy().into_owned())
}

/// The folder as its files are named.
pub fn folder_for(folder: &Path) -> PathBuf {
    tidy(folder)
}

/// Writes a test whose files are named from the working directory.
/// Writes a test that shows no failure, by what it is for.
pub fn save_as(test: &Test, folder: &Path, template: &Test, what: &str) -> anyhow::Result<PathBuf> {
    let folder = tidy(folder);
    std::fs::create_dir_all(folder_or_here(&folder))
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let path = folder.join(format!("{}-{what}.gordian", stem(template)));
    write_beside(test, &path)?;
    Ok(path)
}

pub fn write_beside(test: &Test, path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut test = test.clone();
    test.program.files = test.program.files.iter().map(|file| relative(file, folder)).collect();
    Ok(test.write(path)?)
}

/// The files of a saved test's program as seen from here.
pub fn files(test: &Test, path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    test.program.files.iter().map(|file| tidy(&folder.join(file))).collect()
}

/// Findings are compared by their places, and the same file may have another name seen from here.
pub fn rename_places(finding: &mut Finding, program: &Program) {
    for place in &mut finding.places {
        if program.files.iter().any(|file| *file == place.file) {
            continue;
        }
        let base = |file: &str| Path::new(file).file_name().map(OsStr::to_owned);
        let mut same = program.files.iter().filter(|file| base(file) == base(&place.file));
        if let (Some(file), None) = (same.next(), same.next()) {
            place.file = file.clone();
        }
    }
}

fn folder_or_here(folder: &Path) -> &Path {
    if folder == Path::new("") { Path::new(".") } else { folder }
}

/// `file` as seen from `folder`; both count from the working directory.
pub fn relative(file: &Path, folder: &Path) -> PathBuf {
    if file.is_absolute() {
        return file.to_owned();
    }
    // Symbolic links make `..` lie, so names are compared only after the links are gone.
    let (Ok(file_there), Ok(folder_there)) = (file.canonicalize(), folder_or_here(folder).canonicalize()) else {
        return file.to_owned();
    };
    let common = file_there.components().zip(folder_there.components()).take_while(|(a, b)| a == b).count();
    let ups = folder_there.components().skip(common).map(|_| Component::ParentDir);
    ups.chain(file_there.components().skip(common)).collect()
}

/// Without `.` and without `folder/..`.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(tidied.components().next_back(), Some(Component::Normal(_))) => {
                tidied.pop();
            }
            other => tidied.push(other),
        }
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tidied() {
        assert_eq!(tidy(Path::new("./a/./b/../c.c")), Path::new("a/c.c"));
        assert_eq!(tidy(Path::new("../a.c")), Path::new("../a.c"));
        assert_eq!(tidy(Path::new(".")), Path::new(""));
    }
}
