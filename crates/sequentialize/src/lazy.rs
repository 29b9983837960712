//! The lazy runtime, for model checkers: code is unrolled, and every event of T' has a fixed number.
//!
//! T' runs first, on its own copy; each of its events has a number from 1 to n, in an order that all executions follow. T then
//! guesses at each of its events how many events of T' come before it (its position), never fewer than at the event before. So an order of both is
//! a walk through the same grid as in the eager runtime, and a tester chooses it together with all inputs:
//!
//! 1. *Reads of T* see the last write at their position. A local read needs that T' has written nothing there between the
//!    position of T's own write, or the write that T took, and the position of the read. A non-local read of write p needs p to be
//!    behind the former and not behind the latter, and no other write between p and the read.
//! 2. *Writes of T*: a read of T' that comes later, whose own write came before, would see it. T' stops before it: the largest
//!    position becomes smaller.
//! 3. *Locks*: T' holds none of T's locks at any position from T's acquisition to its release.
//! 4. *Atomic sections*: positions stay the same within those of T, and are never within those of T'.
//! 5. *Joining T'*: the position is n.
//! 6. *Frees of T'*: an access of T that takes one fails; another one comes before it.
//! 7. *Conditions and semaphores*: see `waits`.
//!
//! With more than two threads T' is several, whose events have guessed times instead of numbers (`others`).
//!
//! The code is written twice: accesses of the first pass say how large the cells of each object can be.

mod access;
mod control;
mod events;
mod flow;
mod guesses;
mod joins;
mod library;
mod locks;
mod memory;
mod others;
mod state;
mod threads;
mod uses;
mod value;
mod waits;
mod walk;

use crate::names::comment;
use crate::{Error, Options, Plan, Role, Target};
use gordian_ir::{FuncId, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use walk::Walk;

/// What a pass learns for the next one.
#[derive(Default)]
struct Info {
    /// How large the cells of an object can be.
    granules: BTreeMap<usize, u64>,
    /// Objects that each copy of the code accesses.
    used: [BTreeSet<usize>; 2],
    /// Objects whose cells have positions of T, and numbers of writes of T'.
    positions: BTreeSet<usize>,
    sources: BTreeSet<usize>,
    /// So many objects are there when threads begin.
    at_fork: usize,
}

const NUMBERS: &str = include_str!("../runtime/numbers.c");
const LAZY: &str = include_str!("../runtime/lazy.c");

/// The sequential program of `program` for a model checker, as C.
pub fn sequentialize(program: &Program, plan: &Plan, options: &Options) -> Result<String, Error> {
    if options.role.n_created > 2 && options.k2 > 0 {
        return Err(Error::ManyThreadsReadFromT(options.role.n_created));
    }
    let main = program.main.ok_or(Error::NoMain)?;
    crate::emit::refuse_destructors(program)?;
    let first = Info::default();
    let mut walk = Walk::new(program, plan, options, &first, main);
    walk.program(main)?;
    let mut info = std::mem::take(&mut walk.seen);
    drop(walk);
    if options.role.n_created > 2 {
        // Each of the others begins with what main has left, which T's copy has until T runs.
        let of_main: Vec<usize> = info.used[1].iter().copied().filter(|&object| object < info.at_fork).collect();
        info.used[0].extend(of_main);
    }
    let mut walk = Walk::new(program, plan, options, &info, main);
    walk.program(main)?;
    Ok(assemble(&walk, program, options, &info, main))
}

fn assemble(walk: &Walk<'_>, program: &Program, options: &Options, info: &Info, main: FuncId) -> String {
    let mut out = head(program, options, walk.n_events);
    out.push_str(NUMBERS);
    out.push_str(LAZY);
    out.push_str("\n/* ---- the program ---- */\n");
    declare_memory(walk, info, options, &mut out);
    for (name, ty) in &walk.variables {
        let _ = writeln!(out, "static {ty} {name} GS_UNUSED;");
    }
    let _ = writeln!(
        out,
        "\n/* {} */\nint main(int argc, char **argv)\n{{\n    gs_begin(argc, argv);",
        comment(&program.functions[main].name)
    );
    out.push_str(&walk.out);
    out.push_str("    return 0;\n}\n");
    out
}

fn head(program: &Program, options: &Options, n_events: u32) -> String {
    let Role { number, name, n_created } = &options.role;
    let others = if *n_created > 2 { "other threads" } else { "the other thread" };
    let times = match n_created {
        3.. => format!("#define GS_TIMES {}\n", (n_events + 1) << others::THREAD_BITS),
        _ => String::new(),
    };
    let spelling = match options.target {
        Target::Cbmc => "#define GS_FOR_CBMC\n",
        Target::Gordian { .. } => "#define GS_FOR_GORDIAN\n",
        Target::Plain | Target::Klee | Target::Svcomp => "#define GS_FOR_SVCOMP\n",
    };
    let (back, back_inputs) = crate::emit::said_of_k2(options.k2);
    let k_is = match options.target {
        Target::Gordian { .. } => "static unsigned gs_k, gs_k2;\n#define GS_K gs_k\n#define GS_K2 gs_k2\n".to_owned(),
        _ => format!("#define GS_K {}\n#define GS_K2 {}\n", options.k, options.k2),
    };
    format!(
        "/* Written by gordian sequentialize: T is thread {number} ({}), and takes values of k = {k} writes of {others}{back}.\n \
         * Inputs are those of the program and, from 1 on, the numbers rds of reads of T and wrts of writes of T'{back_inputs}. */\n\
         #include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n\
         {k_is}#define GS_MOST_K {k}\n#define GS_MOST_K2 {k2}\n#define GS_PROGRAM \"{identity:016x}\"\n{spelling}{times}#define GS_UNUSED __attribute__((unused))\n",
        comment(name),
        k = options.k,
        k2 = options.k2,
        identity = program.identity,
    )
}

/// The objects that the code accesses, as arrays of cells.
fn declare_memory(walk: &Walk<'_>, info: &Info, options: &Options, out: &mut String) {
    let main_copy = usize::from(options.role.n_created == 1 && options.role.number == 1);
    for (number, object) in walk.objects.list.iter().enumerate() {
        let Some(&granule) = info.granules.get(&number) else { continue };
        let n_cells = object.size.div_ceil(granule).max(1);
        let ty = format!("uint{}_t", 8 * granule);
        let used = |copy: usize| info.used[copy].contains(&number) || (object.constant && copy == 0);
        for copy in (0..2).filter(|&copy| used(copy) && !(object.constant && copy == 1)) {
            // Thread-local variables, and what a thread makes, are never copied.
            let is_original = object.constant || copy == main_copy || !used(main_copy);
            let init = match is_original && object.init.iter().any(|&byte| byte != 0) {
                true => format!(" = {{{}}}", words(&object.init, granule).join(", ")),
                false => String::new(),
            };
            let name = comment(&object.name);
            let _ = writeln!(out, "static {ty} m{copy}_{number}[{n_cells}] GS_UNUSED{init}; /* {name} */");
        }
        if info.positions.contains(&number) {
            let _ = writeln!(out, "static unsigned short lt_{number}[{n_cells}] GS_UNUSED;");
        }
        if info.sources.contains(&number) {
            let _ = writeln!(out, "static unsigned short lu_{number}[{n_cells}] GS_UNUSED;");
        }
    }
}

fn words(bytes: &[u8], size: u64) -> Vec<String> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(size as usize).map(|chunk| walk::constant(word(chunk))).collect()
}
