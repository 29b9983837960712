//! From C sources or LLVM bitcode to a [`Program`]: clang compiles, LLVM links and keeps locals in
//! registers, and `lower` turns what remains into gordian's own instructions. The only crate that
//! links LLVM.
//!
//! Nothing but sroa runs on the program: other passes merge, hoist or invent accesses to shared
//! memory, and would have us test another program than the user wrote.

mod compile;
mod error;
mod ffi;
mod link;
mod locals;
mod lower;

pub use error::FrontendError;

use gordian_ir::Program;
use std::path::PathBuf;

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Further flags for the C compiler.
    pub cflags: Vec<String>,
    /// Signed overflow becomes a finding.
    pub check_overflow: bool,
    /// What else C leaves undefined becomes a finding where the compiler can check for it.
    pub check_undefined: bool,
    /// Locals stay in memory, so that reads of uninitialised ones are seen.
    pub keep_memory: bool,
    /// Iterations of loops are counted, for a bound on them.
    pub count_loops: bool,
}

/// Compiles, links and lowers a program.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Program, FrontendError> {
    if files.is_empty() {
        return Err(FrontendError::NoInput);
    }
    let inputs = compile::readable_inputs(files, options)?;
    let context = ffi::Context::new();
    let linked = link::link(&context, &inputs, options)?;
    let mut program = lower::lower(&linked, options)?;
    if options.count_loops {
        gordian_ir::count_loops(&mut program);
    }
    gordian_ir::verify(&program).expect("the front end makes valid programs");
    Ok(program)
}
