//! The comments that say what a program is for.

use std::path::{Path, PathBuf};

pub struct Program {
    pub path: PathBuf,
    /// Relative to the folder of all programs.
    pub name: String,
    /// Further files that belong to it.
    pub files: Vec<PathBuf>,
    pub cflags: Vec<String>,
    pub stdin: Option<Vec<u8>>,
    pub cases: Vec<Case>,
    pub marks: Vec<Mark>,
}

/// One directive that runs something.
pub struct Case {
    pub line: usize,
    pub text: String,
    pub action: Action,
}

pub enum Action {
    Gordian {
        subcommand: String,
        flags: Vec<String>,
        arguments: Vec<String>,
        expected: Expected,
    },
    /// The native binary and `gordian run` print the same and end the same.
    Native {
        arguments: Vec<String>,
    },
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// `safe`, `bug`, `bounded`, `inconclusive` or `usage`.
    pub verdict: String,
    /// Exactly these, each once, sorted.
    pub kinds: Vec<String>,
    pub executions: Option<u64>,
    pub blocked: Option<u64>,
    pub message: Option<String>,
}

/// A line that a finding of this kind must name.
pub struct Mark {
    pub file: PathBuf,
    pub line: usize,
    pub kind: String,
}

const VERDICTS: [&str; 5] = ["safe", "bug", "bounded", "inconclusive", "usage"];

impl Program {
    /// `None` for a file without directives: it belongs to another program.
    pub fn read(path: &Path, name: String) -> Result<Option<Program>, String> {
        let text = read(path)?;
        let folder = path.parent().expect("a file stands in a folder");
        let mut program = Program {
            path: path.to_owned(),
            name,
            files: Vec::new(),
            cflags: Vec::new(),
            stdin: None,
            cases: Vec::new(),
            marks: Vec::new(),
        };
        let mut any = false;
        for (nth, line) in text.lines().enumerate() {
            let Some(directive) = line.trim_start().strip_prefix("//@") else { continue };
            any = true;
            let wrong = |why: String| format!("{}:{}: {why}", program.name, nth + 1);
            let directive = directive.trim();
            if let Some(files) = directive.strip_prefix("files:") {
                program.files.extend(files.split_whitespace().map(|file| folder.join(file)));
            } else if let Some(flag) = directive.strip_prefix("cflag:") {
                program.cflags.push(flag.trim().to_owned());
            } else if let Some(stdin) = directive.strip_prefix("stdin:") {
                program.stdin = Some(unescape(stdin.trim()).map_err(wrong)?);
            } else {
                let action = action(directive).map_err(wrong)?;
                program.cases.push(Case { line: nth + 1, text: directive.to_owned(), action });
            }
        }
        if !any {
            return Ok(None);
        }
        if program.cases.is_empty() {
            return Err(format!("{}: its directives run nothing", program.name));
        }
        for file in std::iter::once(path.to_owned()).chain(program.files.clone()) {
            program.marks.extend(marks(&file)?);
        }
        Ok(Some(program))
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn marks(file: &Path) -> Result<Vec<Mark>, String> {
    let mut marks = Vec::new();
    for (nth, line) in read(file)?.lines().enumerate() {
        let Some((_, kinds)) = line.split_once("//~ BUG ") else { continue };
        let kinds = kinds.split([' ', ',']).filter(|kind| !kind.is_empty());
        marks.extend(kinds.map(|kind| Mark { file: file.to_owned(), line: nth + 1, kind: kind.to_owned() }));
    }
    Ok(marks)
}

fn action(directive: &str) -> Result<Action, String> {
    if directive.split_whitespace().next() == Some("native") {
        let (flags, arguments) = command(directive.trim_start_matches("native"))?;
        if !flags.is_empty() {
            return Err("`native` takes arguments after `--` and nothing else".into());
        }
        return Ok(Action::Native { arguments });
    }
    let (head, tail) = split_verdict(directive)?;
    let (mut flags, arguments) = command(head)?;
    if flags.is_empty() {
        return Err("a directive starts with a subcommand".into());
    }
    let subcommand = flags.remove(0);
    Ok(Action::Gordian { subcommand, flags, arguments, expected: expected(tail)? })
}

/// At the last `: ` that a verdict follows. What a message says does not count.
fn split_verdict(directive: &str) -> Result<(&str, &str), String> {
    let searched = directive.find(" message=").unwrap_or(directive.len());
    let is_verdict = |rest: &str| rest.split_whitespace().next().is_some_and(|word| VERDICTS.contains(&word));
    let at = directive[..searched].rmatch_indices(": ").map(|(at, _)| at).find(|at| is_verdict(&directive[at + 2..]));
    let at = at.ok_or_else(|| format!("`: ` and one of {} are missing", VERDICTS.join(", ")))?;
    Ok((&directive[..at], &directive[at + 2..]))
}

/// The words before and after `--`.
fn command(text: &str) -> Result<(Vec<String>, Vec<String>), String> {
    let mut words = words(text)?;
    match words.iter().position(|word| word == "--") {
        Some(at) => {
            let arguments = words.split_off(at + 1);
            words.pop();
            Ok((words, arguments))
        }
        None => Ok((words, Vec::new())),
    }
}

/// Words at spaces; double quotes keep spaces and take C escapes.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let mut word = String::new();
        while let Some(first) = rest.chars().next().filter(|first| !first.is_whitespace()) {
            if first == '"' {
                let end = closing_quote(rest)?;
                let bytes = unescape(&rest[..=end])?;
                word.push_str(&String::from_utf8(bytes).map_err(|_| "a word is not text".to_owned())?);
                rest = &rest[end + 1..];
            } else {
                word.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        words.push(word);
        rest = rest.trim_start();
    }
    Ok(words)
}

fn closing_quote(text: &str) -> Result<usize, String> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Ok(at),
            _ => {}
        }
    }
    Err(format!("{text} lacks a closing quote"))
}

/// The bytes of a C string literal.
fn unescape(literal: &str) -> Result<Vec<u8>, String> {
    let inner = literal.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let inner = inner.ok_or_else(|| format!("{literal} is no string in double quotes"))?;
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'x') => {
                let mut code = 0u8;
                while let Some(digit) = rest.peek().and_then(|digit| (*digit as char).to_digit(16)) {
                    code = code.wrapping_mul(16).wrapping_add(digit as u8);
                    rest.next();
                }
                code
            }
            Some(digit @ b'0'..=b'7') => {
                let mut code = digit - b'0';
                while let Some(digit) = rest.next_if(|digit| (b'0'..=b'7').contains(digit)) {
                    code = code.wrapping_mul(8).wrapping_add(digit - b'0');
                }
                code
            }
            Some(other) => other,
            None => return Err(format!("{literal} ends in a backslash")),
        });
    }
    Ok(bytes)
}

fn expected(text: &str) -> Result<Expected, String> {
    let mut expected = Expected::default();
    let mut words = words(text)?.into_iter().peekable();
    expected.verdict = words.next().expect("a verdict follows the colon");
    if expected.verdict == "bug" {
        let kinds = words.next().filter(|kinds| !kinds.contains('=')).ok_or("`bug` wants the kinds that are found")?;
        expected.kinds = kinds.split(',').filter(|kind| !kind.is_empty()).map(str::to_owned).collect();
        while let Some(kind) = words.next_if(|word| !word.contains('=')) {
            expected.kinds.extend(kind.split(',').filter(|kind| !kind.is_empty()).map(str::to_owned));
        }
        expected.kinds.sort();
        expected.kinds.dedup();
    }
    for word in words {
        let number = |value: &str| value.parse().map_err(|_| format!("`{word}` wants a number"));
        match word.split_once('=') {
            Some(("executions", value)) => expected.executions = Some(number(value)?),
            Some(("blocked", value)) => expected.blocked = Some(number(value)?),
            Some(("message", value)) => expected.message = Some(value.to_owned()),
            _ => return Err(format!("`{word}` is nothing that a directive can expect")),
        }
    }
    Ok(expected)
}
