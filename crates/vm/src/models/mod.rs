//! External functions: what gordian does when the program calls into libc or pthreads.
//!
//! A model is a Rust function over a [`Call`]. One that other threads can see first says what it wants
//! (`Model::wants`), so that the scheduler can decide before it happens. To add a libc function: write
//! its model in the file of its theme and name it in that file's `lookup`.
//!
//! **Obligations.** All reductions rest on three things, which no type checks:
//! 1. What a call wants does not depend on what other threads change. Whether an object was freed by then shows when the call is made ([`Call::wants_object`]).
//! 2. What it logs contains what it wanted, and every byte and piece of hidden state that it looked at or changed: memory through [`Call::read`] and
//!    [`Call::write`], files through `on_file`, the rest through `look_at_hidden` and `change_hidden`. Looks without a log are for what never changes.
//! 3. A call that fails has done nothing yet, or has logged what it did.
//!
//! `strategies/tests/commute` makes pairs of calls in both orders; a new model belongs in its `pairs.c`.

mod args;
mod calendar;
mod call;
mod conversion;
mod decide;
mod descriptors;
mod environment;
mod floats;
mod format;
mod input;
mod inputs;
mod libm;
mod locale;
mod math;
mod math_parts;
mod memory;
mod native;
mod native_ffi;
mod paths;
mod print;
mod process;
mod random;
mod scan;
mod scan_numbers;
mod signals;
mod statics;
mod stdio;
mod streams;
mod svcomp;
mod system;
mod time;
mod waits;

pub use call::{Call, CallNotes};
pub use conversion::{Use, uses};
pub use inputs::{Decided, assumes, decided, is_about_inputs};
pub use memory::free_object;
pub use native::{Foreign, is_foreign};
pub use process::duration_of;
pub use statics::Static;

use crate::fault::Fault;
use crate::interp::Flow;
use crate::setup::SetupError;
use gordian_base::IndexVec;
use gordian_ir::{ExternId, Program};
use gordian_trace::{Machine as Settings, Wants};

pub type Run = for<'a, 'm, 'p> fn(&'a mut Call<'m, 'p>) -> Result<Flow, Fault>;
pub type WantsOf = for<'a, 'm, 'p> fn(&'a mut Call<'m, 'p>) -> Result<Option<Wants>, Fault>;

#[derive(Clone, Copy)]
pub struct Model {
    pub run: Run,
    /// `None` for functions that no other thread can see.
    pub wants: Option<WantsOf>,
    /// May end by time-out.
    pub timed: bool,
    pub cancels: Cancels,
}

/// Whether a function is a cancellation point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancels {
    Never,
    Always,
    /// Natively it acts where it reads or writes its descriptor, which depends on what is in the buffer of its stream. Here it acts while it waits for a pipe; if it
    /// goes on although its thread was cancelled, that is a doubt.
    Perhaps,
}

impl Model {
    /// Invisible to other threads.
    pub const fn plain(run: Run) -> Self {
        Model { run, wants: None, timed: false, cancels: Cancels::Never }
    }

    /// A scheduling point if an argument points to memory that other threads can reach: the function
    /// then reads or writes it in one step.
    pub const fn touching(run: Run) -> Self {
        Model { run, wants: Some(call::shared_argument), timed: false, cancels: Cancels::Never }
    }

    pub const fn visible(run: Run, wants: WantsOf) -> Self {
        Model { run, wants: Some(wants), timed: false, cancels: Cancels::Never }
    }

    pub const fn timed(self) -> Self {
        Model { timed: true, ..self }
    }

    pub const fn cancels(self) -> Self {
        Model { cancels: Cancels::Always, ..self }
    }
}

pub fn lookup(name: &str) -> Option<Model> {
    let model = lookup_any(name)?;
    Some(if may_transfer(name) { Model { cancels: Cancels::Perhaps, ..model } } else { model })
}

/// Whether a function on streams may read or write a descriptor, where glibc looks whether the thread was cancelled.
fn may_transfer(name: &str) -> bool {
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    let name = name.trim_end_matches("_unlocked").trim_end_matches("_chk").trim_start_matches("__");
    let name = name.trim_start_matches("_IO_").trim_end_matches("64");
    let transfers = matches!(
        name,
        "fopen"
            | "freopen"
            | "fclose"
            | "fflush"
            | "fseek"
            | "fseeko"
            | "rewind"
            | "fsetpos"
            | "ftell"
            | "ftello"
            | "fgetpos"
            | "setvbuf"
            | "setbuf"
            | "setbuffer"
            | "printf"
            | "vprintf"
            | "fprintf"
            | "vfprintf"
            | "dprintf"
            | "vdprintf"
            | "puts"
            | "fputs"
            | "putchar"
            | "putc"
            | "fputc"
            | "fwrite"
            | "getchar"
            | "getc"
            | "fgetc"
            | "fgets"
            | "gets"
            | "fread"
            | "getline"
            | "getdelim"
            | "scanf"
            | "vscanf"
            | "fscanf"
            | "vfscanf"
    );
    transfers || system::MESSAGES.contains(&name)
}

fn lookup_any(name: &str) -> Option<Model> {
    crate::sync::lookup(name)
        .or_else(|| memory::lookup(name))
        .or_else(|| process::lookup(name))
        .or_else(|| signals::lookup(name))
        .or_else(|| inputs::lookup(name))
        .or_else(|| svcomp::lookup(name))
        .or_else(|| print::lookup(name))
        .or_else(|| input::lookup(name))
        .or_else(|| streams::lookup(name))
        .or_else(|| descriptors::lookup(name))
        .or_else(|| paths::lookup(name))
        .or_else(|| math::lookup(name))
        .or_else(|| math_parts::lookup(name))
        .or_else(|| time::lookup(name))
        .or_else(|| random::lookup(name))
        .or_else(|| environment::lookup(name))
        .or_else(|| locale::lookup(name))
        .or_else(|| system::lookup(name))
}

/// The model of each function that the program calls and does not define; none for unknown ones, which
/// matter only when called. What the user wants called natively is, model or not.
pub fn resolve(program: &Program, settings: &Settings) -> Result<IndexVec<ExternId, Option<Model>>, SetupError> {
    for name in &settings.native {
        native::model(name)?;
    }
    let model = |name: &String| {
        if settings.native.contains(name) { native::model(name).map(Some) } else { Ok(lookup(name)) }
    };
    program.externals.iter().map(|external| model(&external.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// All words in the sources of models that could be names of functions, with what rules put around them.
    fn words() -> Vec<String> {
        let mut words: Vec<String> = gordian_externals::names().map(str::to_owned).collect();
        for folder in ["src/models", "src/sync"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            for file in std::fs::read_dir(folder).expect("a folder of models") {
                let text = std::fs::read_to_string(file.expect("a file").path()).expect("a source");
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                words.extend(text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
        words.sort_unstable();
        words.dedup();
        let made = |word: &String| {
            let prefixed = ["__isoc99_", "__isoc23_", "__VERIFIER_nondet_", "gordian_"].map(|p| format!("{p}{word}"));
            [word.clone(), format!("{word}f"), format!("{word}l")].into_iter().chain(prefixed).collect::<Vec<_>>()
        };
        words.iter().flat_map(made).collect()
    }

    /// What it would not see: a name that a model's `lookup` puts together in a way that is not among those above.
    #[test]
    fn the_table_of_external_functions_knows_what_the_models_know() {
        let (modelled, other): (Vec<String>, Vec<String>) =
            words().into_iter().partition(|name| lookup(name).is_some());
        assert!(modelled.len() > 500, "only {} names of models were found", modelled.len());
        let unknown = |name: &&String| gordian_externals::effects_of(name).is_none();
        assert_eq!(modelled.iter().filter(unknown).collect::<Vec<_>>(), Vec::<&String>::new(), "no row for them");
        let needless = |name: &&String| gordian_externals::names().any(|of| of == name.as_str());
        assert_eq!(other.iter().filter(needless).collect::<Vec<_>>(), Vec::<&String>::new(), "a row but no model");
    }
}
