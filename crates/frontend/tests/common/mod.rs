//! Programs as text, for the tests of this crate.

#![allow(dead_code, reason = "not every test file needs all of it")]

use gordian_frontend::{FrontendError, Options, load};
use gordian_ir::{Function, Inst, Program};
use std::path::PathBuf;
use tempfile::TempDir;

pub struct Files {
    pub directory: TempDir,
}

impl Files {
    pub fn new() -> Files {
        Files { directory: TempDir::new().expect("a temporary directory") }
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.directory.path().join(name);
        std::fs::write(&path, content).expect("a temporary file");
        path
    }
}

pub fn load_text(name: &str, content: impl AsRef<[u8]>, options: &Options) -> Result<Program, FrontendError> {
    let files = Files::new();
    let path = files.write(name, content);
    let program = load(&[path], options)?;
    gordian_ir::verify(&program).expect("a valid program");
    Ok(program)
}

pub fn load_c(source: &str) -> Program {
    load_text("test.c", source, &Options::default()).expect("the program loads")
}

pub fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    let id = program.function_named(name).unwrap_or_else(|| panic!("no function {name}"));
    &program.functions[id]
}

pub fn count(function: &Function, matches: impl Fn(&Inst) -> bool) -> usize {
    function.code.iter().filter(|inst| matches(inst)).count()
}

/// Every reason for which something in the program cannot be run.
pub fn unsupported(program: &Program) -> Vec<&str> {
    program.functions.iter().flat_map(|function| &function.unsupported).map(String::as_str).collect()
}
