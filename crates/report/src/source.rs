//! Lines of the program's sources, read when a report first needs them. A source that is gone costs the
//! quotation and nothing else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file larger than this is not quoted: nobody wrote it by hand.
const LARGEST: u64 = 64 << 20;

#[derive(Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, Option<Vec<String>>>,
    /// Names below this folder are shown relative to it.
    folder: Option<PathBuf>,
}

impl Sources {
    /// Sources on disk; relative names count from `folder`, the present working directory of the user.
    pub fn on_disk(folder: Option<PathBuf>) -> Self {
        Sources { files: BTreeMap::new(), folder }
    }

    /// Sources that are at hand already.
    pub fn in_memory<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files = files.into_iter().map(|(name, text)| (name.to_owned(), Some(lines(text.as_bytes())))).collect();
        Sources { files, folder: None }
    }

    /// The line without its line end; `None` when the file or the line is not there.
    pub fn line(&mut self, file: &str, line: u32) -> Option<&str> {
        let folder = &self.folder;
        let lines = self.files.entry(file.to_owned()).or_insert_with(|| read(folder.as_deref(), file));
        let nth = usize::try_from(line).ok()?.checked_sub(1)?;
        lines.as_ref()?.get(nth).map(String::as_str)
    }

    /// The file as the user would name it.
    pub fn name(&self, file: &str) -> String {
        let shown = self.folder.as_deref().and_then(|folder| Path::new(file).strip_prefix(folder).ok());
        match shown {
            Some(shown) if shown != Path::new("") => shown.display().to_string(),
            _ if file.is_empty() => "<unknown>".to_owned(),
            _ => file.to_owned(),
        }
    }
}

fn read(folder: Option<&Path>, file: &str) -> Option<Vec<String>> {
    let path = folder.unwrap_or(Path::new("")).join(file);
    let metadata = std::fs::metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return None;
    }
    Some(lines(&std::fs::read(path).ok()?))
}

fn lines(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text).lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_not_quoted() {
        let mut sources = Sources::in_memory([("a.c", "one\ntwo\n")]);
        assert_eq!(sources.line("a.c", 2), Some("two"));
        assert_eq!(sources.line("a.c", 0), None);
        assert_eq!(sources.line("a.c", 3), None);
        assert_eq!(sources.line("no/such/file.c", 1), None);
    }

    #[test]
    fn names_are_relative_to_the_users_folder() {
        let sources = Sources::on_disk(Some("/home/ada".into()));
        assert_eq!(sources.name("/home/ada/src/a.c"), "src/a.c");
        assert_eq!(sources.name("/home/bob/a.c"), "/home/bob/a.c");
        assert_eq!(sources.name(""), "<unknown>");
    }
}
