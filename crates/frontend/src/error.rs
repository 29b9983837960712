//! What can be wrong with a program before it runs.

use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum FrontendError {
    #[error("no input file was given")]
    NoInput,
    #[error("cannot read {}: {error}", path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error("{}: unknown kind of file; give C sources (.c, .i), LLVM bitcode (.bc) or LLVM assembly (.ll)", .0.display())]
    UnknownExtension(PathBuf),
    #[error("cannot run the compiler {compiler} ({error}); install the package clang-22")]
    CompilerMissing { compiler: String, error: std::io::Error },
    #[error("{} does not compile:\n{}", path.display(), messages.trim_end())]
    DoesNotCompile { path: PathBuf, messages: String },
    #[error("the compiler wrote no bitcode for {}: the flags {flags:?} ask it for something else", path.display())]
    NoBitcode { path: PathBuf, flags: String },
    #[error("the compiler crashed on {}{}", path.display(), first_line(.messages))]
    CompilerCrashed { path: PathBuf, messages: String },
    #[error("the compiler did not finish {} within {seconds} seconds", path.display())]
    CompilerTimeout { path: PathBuf, seconds: u64 },
    #[error("{} is not valid LLVM bitcode{}", path.display(), first_line(.messages))]
    BadBitcode { path: PathBuf, messages: String },
    #[error("{} is for the target {target:?}; gordian runs programs for x86_64 only", path.display())]
    WrongTarget { path: PathBuf, target: String },
    #[error("cannot link {}{}", path.display(), first_line(.messages))]
    Link { path: PathBuf, messages: String },
    #[error("the program has no function main")]
    NoMain,
    #[error("the variable {name} of {size} bytes is too large; gordian's objects end at {limit} bytes")]
    TooLarge { name: String, size: u64, limit: u64 },
    #[error("cannot work out the initial value of {name}: {reason}")]
    Initializer { name: String, reason: String },
    #[error("cannot write temporary files: {0}")]
    Temporary(std::io::Error),
    #[error("LLVM failed on the linked program{}", first_line(.0))]
    Llvm(String),
}

/// The first thing the compiler said, as the tail of a sentence.
fn first_line(messages: &str) -> String {
    let line = messages.lines().map(str::trim).find(|line| !line.is_empty());
    line.map(|line| format!(": {}", line.trim_start_matches("error: "))).unwrap_or_default()
}
