//! From C sources or LLVM bitcode to a [`Program`]: clang compiles, LLVM links and keeps locals in
//! registers, and `lower` turns what remains into gordian's own instructions. The only crate that
//! links LLVM.
//!
//! Nothing but sroa runs on the program: other passes merge, hoist or invent accesses to shared
//! memory, and would have us test another program than the user wrote.
//!
//! # From C to instructions
//!
//! `clang-22 -O1 -Xclang -disable-llvm-passes`, then `sroa` and nothing else: other passes merge, hoist or invent shared accesses, and we would test
//! another program than the user wrote. With `--uninit` not even `sroa`, so that every local is read from memory. `sroa` drops accesses outside a local
//! or its life, so locals whose accesses are not shown to be inside stay in memory (`frontend/src/locals.rs`). Clang folds undefined arithmetic on
//! constants; a file in which it did is compiled again with clang's checks (`lower/checks.rs`), of which only the folded ones are kept. Foreign bitcode
//! passes through a clang child process first, because LLVM's reader can die of broken input. gordian's own libc (`frontend/libc/*.c`) is linked like an
//! archive; what comes from it is marked internal, and reports name its caller.
//!
//! A variable that was never set has a value of its own (`ffi/promote.rs`), because sroa would take a choice between `undef` and something else for the
//! latter. Beside values made from such ones, and no others, `lower/unset.rs` computes which of their bits were never set, and looks at those before they
//! decide something.
//!
//! A function is a flat array of 20-byte instructions over register slots. Constants lie in the frame behind the registers, so every operand is a slot.
//! Phis are moves on edges, struct values and vectors are taken apart, integers of up to 128 bits take two slots.

mod compile;
mod error;
mod ffi;
mod first_access;
mod link;
mod locals;
mod lower;
mod renewed;

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
