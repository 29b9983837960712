//! What README.md and docs/pairs.md show is what gordian prints. `GORDIAN_BLESS=1 cargo test -p gordian` rewrites them.

use std::path::Path;
use std::process::Command;

/// The output of a command as README.md shows it, run in a folder with the examples.
fn output(command: &str, folder: &Path) -> String {
    let arguments: Vec<&str> = command.strip_prefix("gordian ").expect("a command of gordian's").split(' ').collect();
    let mut gordian = Command::new(env!("CARGO_BIN_EXE_gordian"));
    let output = gordian.args(arguments).current_dir(folder).env("COLUMNS", "110").output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_readme_shows_real_output() {
    compare("README.md", 2);
}

#[test]
fn the_page_about_pairs_shows_real_output() {
    compare("docs/pairs.md", 1);
}

/// Runs the commands of a page, of which there are at least so many.
fn compare(page: &str, n_least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(page.replace(['/', '.'], "-"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("examples")).unwrap();
    for entry in std::fs::read_dir(root.join("examples")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.join("examples").join(path.file_name().unwrap())).unwrap();
    }
    let readme = std::fs::read_to_string(root.join(page)).unwrap();
    let mut actual = String::new();
    let mut n_commands = 0;
    for (nth, part) in readme.split("```").enumerate() {
        let fence = if nth == 0 { "" } else { "```" };
        match part.strip_prefix("\n$ ").and_then(|part| part.split_once('\n')) {
            Some((command, _)) => {
                n_commands += 1;
                actual.push_str(&format!("{fence}\n$ {command}\n{}", output(command, &folder)));
            }
            None => actual.push_str(&format!("{fence}{part}")),
        }
    }
    assert!(n_commands >= n_least, "{page} shows no commands");
    if std::env::var_os("GORDIAN_BLESS").is_some() {
        std::fs::write(root.join(page), actual).unwrap();
    } else {
        assert!(actual == readme, "{page} is out of date; GORDIAN_BLESS=1 renews it; it should be:\n{actual}");
    }
}
