//! A deterministic machine for one multithreaded program: memory, threads, synchronisation, libc.
//!
//! The machine never learns which strategy runs it. It offers the choices that the program leaves open,
//! makes the one it is told to make, and can go back to any earlier state.
//!
//! # How the machine works
//!
//! **Addresses** name an object (its allocator and that allocator's running number) and an offset. Names never depend on the interleaving: threads are
//! numbered by who created them as which (`Test::threads` keeps the numbering where threads create threads). All bytes lie in one vector that the object
//! tables point into.
//!
//! **Steps, events, visible operations.** An operation is *visible* if another thread could observe or influence it: accesses to objects that more than one
//! thread can reach, and synchronisation. A *scheduling point* is a visible operation before which its thread parks. A *step* is one choice: the thread's
//! next operation, its invisible code up to the next scheduling point, and what that lets others do at once. An *event* is a logged operation; a step has
//! one or more. An object is private until a pointer to it becomes known to others (`publish.rs`);
//! should another thread reach a private object all the same, the search ends as unsupported rather than wrong. While one thread is alone nothing is
//! visible. Thread creation (unless its handle goes to memory that others look at), passing a full barrier and thread ends are no scheduling points: once
//! possible they stay possible and concern nobody else. Nor are
//! joins of ended threads, unless another thread could join, detach or cancel: the program calls `pthread_detach` or `pthread_cancel`, or joins elsewhere
//! than in `main`.
//!
//! **Hidden state** (`hidden.rs`): what threads share besides memory (keys, exit handlers, the clock, who was joined, detached or cancelled, open files).
//! Each look and each change is logged where it happens (`OpKind::Look`, `OpKind::Change`), and is a scheduling point where others could see it. Exit
//! handlers run while other threads do: each is a step, and so is the end of the process behind the last one.
//!
//! **Synchronisation objects** keep their state in the bytes that the program declared for them, so initialisers, copies, frees and going back need
//! nothing special.
//!
//! **Going back** is an undo journal (`journal.rs`): a mark is a number of steps, for which the machine keeps how long everything was, and the journal
//! has old words of memory, old object entries or modes, the top frame of a thread before its step, frames that a return exposed. It is off until
//! somebody asks for a mark, so a plain run pays nothing.
//!
//! **Memoised steps** (`memo`): what a thread does up to its next visible operation depends on where it stood and on what its operation found, nothing
//! else, and in a search the same few stretches come again and again. So in a search the machine may fall behind: a step that was made before, by a
//! thread in the same local state that found the same, is replayed (events, choices, what each thread wants) and not run, and so is what the last thread does to the
//! end. The machine catches up when something new comes. Local states of a thread whose private memory is untouched are one if frames, live registers and its
//! visits to loops are the same. What a step changes besides the word of its operation is looked for in the journal when it is learnt; steps that do more
//! (create, publish, free, wait for conditions, write to files, ask for inputs) are always made, with all that follows them. Vector clocks are kept up to
//! date in replayed steps, and a race that was not reported yet is left to the machine. Replayed and made steps are compared when a passage is learnt,
//! when the machine catches up, for every third step of debug builds, and by tests that look at all that a strategy is shown. A search in which little
//! comes again forgets all this. Whoever reads memory or output asks for `execute_replayed_steps` first; `describe` and fingerprints insist on it.
//!
//! **Awaits** (`awaits`, `Settings::awaits`): an access that decides whether a waiting loop goes round is possible only where it lets its thread leave
//! the loop. A thread that parks before one is tried on a copy, from values that stand there now or stood there before; `ir/src/rounds.rs` says
//! statically where that is worth it. `OpKind::Watch` tells strategies before which write an await could have happened, so that races with the others are
//! not reversed. The head of the file has the argument.
//!
//! **Waiting loops** (`spin.rs`, `watch.rs`): a thread that comes back to the same point in the same live state, having only read, has completed a redundant round. With
//! awaits it stops for good, and the execution is dropped unless all is as it was at the end; without, it is blocked until something it read has changed.
//! A state in which only such threads are left is a livelock. Frames and live registers are compared;
//! of private memory only the number of changes is, so every change must be counted, also one by the operation itself. A thread alone never parks; if it runs for long it is watched
//! for a while, and one that comes back to the same state is a livelock too (`endless.rs`).
//!
//! **Rounds without net effect** (`net_effect.rs`, `Settings::net_effect`) that take back what they did, unseen by others, stop their thread likewise.
//! **Private reads** (`private_reads.rs`, `Settings::private_reads`): what a thread reads before its first visible operation is no step, unless others write it.
//!
//! **Exits** (`exits.rs`, `Settings::delayed_exits`) wait until no other thread can step, where nobody could see the difference. **Rounds**
//! (`Settings::rounds`): a thread that comes to the same place in the same state too often stops like one that was unrolled. If a shortcut does not fit
//! the program, or loops have no end, the machine raises an `Objection`, and `gordian check` searches again with other settings.
//!
//! **False assumptions** (`assumption.rs`) stop their thread for good and the others go on, as if it were never scheduled again. A state in which nobody
//! can step and a thread stands at one is blocked (`End::Dropped`). Within an atomic section the execution ends at once; where that happens, `gordian
//! check` makes a `dpor` search again by `dpor-classic`, since plans that such a section cuts short may lose traces.
//!
//! **Unrolling** (`unroll.rs`, with `--unroll` only): the front end puts counters on the edges that go back (`ir/src/loops.rs`), in registers of the
//! frame. A thread that would go beyond the bound stops for good and the others go on, so that what a strategy sees of them is whole.
//!
//! **Data races** (`races.rs`): happens-before by vector clocks over the C11 orders as written; the last accesses of each word are kept as epochs. What
//! was written to an object before it was published counts as written by the publication, unless the program has relaxed atomics: there each write to a
//! private object is noted on its own, since an object can become known without what was written to it before. Only the thread that owns a private object
//! can publish it: numbers may look like a pointer to it.
//!
//! **libc**: strings, parsing and sorting are C compiled into the program; I/O, memory, time and threads are models in Rust (`vm/src/models`,
//! `vm/src/sync`). Files are an overlay over the real ones that is written back only by `gordian run`. Time is virtual.
//!
//! **Inputs from outside** (`sources.rs`): bytes of arguments, environment, standard input and files that are inputs of the main thread, drawn before it
//! runs. Bytes of files carry their terms beside them (`files/bytes.rs`), and models hand them on. A model that must know something of such a byte asks
//! (`Call::is`, `Call::decide`): if inputs lead both ways the call is undone, a step decides, and the call is made again. Where another thread could
//! change what the call would ask, one way is taken and recorded as a loss.

mod access;
mod arith;
mod assumption;
mod attempt;
mod awaits;
mod backtrack;
mod census;
mod choices;
mod coverage;
mod describe;
mod endless;
mod exits;
mod fault;
mod files;
mod fingerprint;
mod float;
mod frames;
mod hidden;
mod interp;
mod invisible;
mod journal;
mod local_state;
mod log;
mod machine;
mod memo;
mod memory;
mod models;
mod names;
mod net_effect;
mod order;
mod parts;
mod plain;
mod private_globals;
mod private_reads;
mod publish;
mod races;
mod sched;
mod setup;
mod slow;
mod sources;
mod spin;
mod state;
mod symbolic;
mod sync;
mod thread;
mod undefined;
mod unroll;
mod watch;

pub use backtrack::Mark;
pub use log::RawFinding;
pub use machine::{End, Machine};
pub use memo::Guide;
pub use models::is_about_inputs;
pub use sched::variant;
pub use setup::SetupError;
pub use symbolic::{Action, Annotation, AnnotationKind, CallFrame, Calls, Does, Terms};
