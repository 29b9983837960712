//! Value-schedule-based testing: Huang, "Static and Dynamic Analysis for Concurrency Testing", PhD thesis, 2009, chapters 5 and 6.
//!
//! A value schedule is a set of accesses and the partial order of those that conflict. It is what `dpor` calls a trace, so there is no execution to
//! save. What static access pairs (crate `analysis`) give is the order of the search: the executions in which a suspicious pair happens in the unusual
//! order come first.
//!
//! **Guarantee:** as `dpor`: one execution for each Mazurkiewicz trace, and when it is done and no bound was hit, every behaviour was executed.
//!
//! **How it searches**
//! 1. *Rule 1, the default execution:* threads run one after the other. Each operation that is a side of a static pair (the *trigger*) makes a
//!    *backtracking point*, with the partners that its thread's rivals may still come to (`search.rs`).
//! 2. *Rule 2, out of order:* each pair of each point once. From the state before the trigger the partner's thread runs until it has made the partner happen,
//!    and the trigger follows (`directed.rs`). Read-write pairs come first, then waits and signals, woken waiters, and at last locks; pairs that
//!    surely touch the same bytes come before others (`rank.rs`). A pair of locks is fulfilled when the partner has released the lock again, a
//!    signal when its thread has released the locks that it signalled under. A thread that is blocked on the way is helped by whoever holds what it waits
//!    for: that is the fulfilling stack. If the trigger's thread holds it, the pair is moved to where it was taken, the enclosing monitor entry. Points and partners that are
//!    alike are put off.
//! 3. *The ordinary search* is `dpor`, from the beginning. What was made out of order is not counted as explored and does not restrict it, so
//!    soundness does not rest on the static analysis.
//!
//! **Techniques**, each of which can be switched off
//! - *accessibility*: a pair is given up as soon as the partner cannot be reached from where its thread stands. Asked before each of its steps, so branches and
//!   calls through pointers count as they were taken.
//! - *refinement*: an instance of the partner whose address is another than the trigger's is passed by; two operations that were seen at one address each, and those
//!   differ, are no pair any more.
//! - *priorities*: steps 1 and 2. Without them the search is the ordinary one.
//!
//! **Deviations**
//! - The ordinary search does not derive schedules from static pairs: it reverses races that it saw. So it needs neither sets of reads (figure 5.20) nor
//!   points that are made again for further instances of a partner (figure 6.12) to be complete.
//! - Points that lie on executions of step 2 are tried as well, those with fewer reversals first, up to [`search::MOST_DIRECTED`] executions in all. The thesis goes on with
//!   depth-first search after the first level.
//! - Accessibility knows the innermost function of a thread and the places that may have called it, not its whole stack.
//!
//! **Misses** nothing.

mod directed;
mod focus;
mod guide;
mod ordered;
mod rank;
mod search;
mod threads;

pub use focus::{Focus, FocusError, Operation};
pub use guide::Guide;
pub use ordered::ordered_pairs;
pub use search::{MOST_DIRECTED, Options, ValueSchedule};

pub const NAME: &str = "value-schedule";
pub const HELP: &str = "as dpor, after each static access pair was tried in its unusual order: early bugs";
