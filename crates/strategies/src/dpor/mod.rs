//! Optimal dynamic partial order reduction: Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A Foundation for
//! Optimal Dynamic Partial Order Reduction", J. ACM 2017 (algorithm with wake-up trees), after Flanagan and Godefroid,
//! POPL 2005, and the sleep sets of Godefroid.
//!
//! **Guarantee:** one execution for each Mazurkiewicz trace, that is for each way in which dependent steps can be
//! ordered; when it is done and no bound was hit, every behaviour of the program was executed.
//!
//! **Where the paper's algorithm is** (its Algorithm 2; `E` is the execution up to a state, here a depth)
//!
//! | in the paper | here |
//! |---|---|
//! | `Explore(E, Sleep, WuT)` | `choose` and `next`: one execution after the other, with a stack of `Node`s instead of recursion |
//! | races of a maximal `E` | `analyse`; `race_cache.rs` goes through them |
//! | `v = notdep(e, E).proc(e')` | `History::without`, with `e'` as it turns out when it comes first (`reversal.rs`) |
//! | `Sleep(E') ∩ WI[E'](v) = ∅` | the first loop of `plan_in_any_case` in `planning.rs`; `WI` is `weak_initial` |
//! | `insert[E'](v, wut(E'))` | `Forest::insert` in `wakeup.rs` |
//! | choose `p`, the least of `wut(E)`, or any that does not sleep | `follow` and `pick` in `choosing.rs` |
//! | `Sleep' = {q ∈ Sleep : E ⊢ p ◇ q}`, `WuT' = subtree(wut(E), p)` | `push_state` in `recording.rs` |
//! | add `p` to `Sleep(E)`, remove it from `wut(E)` | `next` |
//!
//! **Terms**
//! - A *plan* is a sequence in a wake-up tree. A step *covers* a sequence if what is explored behind the step contains an execution that begins with the sequence.
//! - An execution is *redundant*, or sleep-set blocked, if it comes to where all who could go on are in the sleep set.
//! - A step in the sleep set of a state is *woken* when one is made that depends on it: then it leaves the sleep set.
//! - It is *firm* there if it covers every sequence that is independent of it, as in the papers. It is *loose* if it may stay in the sleep set
//!   beyond the end of the plan that leads through the state; then it covers only sequences that contain it. See `Dpor::is_firm`.
//! - A pending step is *inevitable* if its thread makes exactly these accesses whatever other threads do, unless one of them takes the same lock or unit
//!   first. See `happens_before/about_to.rs`.
//! - A sequence is *deferred* to a branch of which it is not certain what it touches: it is planned anew if the branch does not lead to it.
//! - A plan is *trimmed* if it leaves out steps that neither the second step of its race needs nor wake anybody.
//! - A state is *open* if it needs no wake-up tree: everything in its sleep set is sure to be woken, the step made from it included. See `trimming.rs`.
//!
//! | word | of what | set by | what it forbids |
//! |---|---|---|---|
//! | `UNKNOWN` | a planned step | a plan that only says who is next | it depends on everything, so nothing independent is left to it |
//! | `UNTRIED` | a planned step | `plan_before_the_end`, `plan_for_starved` | the same; what sleeps behind it is loose |
//! | `is_guess`, `is_uncertain` | a planned step | `reversal.rs`: it may touch something else at another time | plans that it covers are deferred to it; what sleeps behind it is loose |
//! | `varies` | an event, a pending operation | the machine: a call, a copy, a lock of a program with robust ones | it is no inevitable step, and reversed it is a guess |
//! | `unsure` | an access | the machine: inputs decide what it found | it is not compared by its value |
//! | `Coverage::Containing` | a step | its thread could go several ways, or it ends the process | it covers only sequences that contain it |
//! | `Coverage::Ending` | a step | `plan_before_the_end`: the execution failed with it | the same; what sleeps beside and behind it is loose |
//! | `Coverage::Nothing` | a step | `give_up`: it could not be made as it was planned | it covers nothing, and stands for no step of a sequence |
//! | `is_loose` | a state | `recording.rs`, `give_up`, `plan_before_the_end` | what sleeps there covers only sequences that contain it, and plans from there are not trimmed |
//!
//! **Reading order.** First `happens_before`: `location.rs`, `footprint.rs`, `operation.rs`, `touch/`, `history/races.rs`, `reversal.rs`. Then here: `mod.rs` (the search), `planning.rs` (how a race becomes a plan), `wakeup.rs` (wake-up trees), `choosing.rs` and `recording.rs` (one
//! execution), then `trimming.rs` and `outlook.rs` (smaller plans and none), `race_cache.rs`, `shortcuts.rs`, and what builds on these: `symmetry.rs` with
//! `objection.rs`, `split.rs`, `observers.rs`, `parallel/`. Without the shortcuts it is the published algorithm.
//!
//! **Deviations**
//! - Locks, semaphores and read-write locks block: an acquisition races with the latest operation before which it
//!   would not have been blocked (the previous acquisition, not the release), and threads that are blocked forever
//!   at the end of an execution take part with the operation that they wait to make.
//! - Steps with several variants (which waiter a signal wakes) are explored in all of them.
//! - Plans are trimmed, and open states have none: see `trimming.rs`.
//! - If asked to, it explores threads that the program cannot tell apart in one order only: see `symmetry.rs`.
//! - What an atomic section touches may depend on when it comes, and so does what an exchange does that inputs decide about.
//!   Planned for another time it is a guess, and what was left to it on this account is looked at again when it has been made. A
//!   plan that turns out to lead to a step in the sleep set is redundant: it is given up there.
//!
//! Executions are redundant only where several unordered steps could each let a waiting thread go on, where a guess was wrong, and where a step that
//! fails ends executions. Its memory grows with the depth of the executions and the wake-up trees along one of them, which are small: see `trimming.rs`.
//!
//! # What it adds to the papers
//!
//! **Trimmed plans.** As published, wake-up trees keep for every race all that does not happen after its first step, and a write among N reads leaves 2^N
//! sequences in one state. The sequence is only there to wake what is in the sleep set, so `trimming.rs` keeps of it what does (and what the second step
//! of the race needs, to find its place), and nothing where another thread is about to make a step that will. Where that goes for all of the sleep set, the
//! step under way included, the state is open: what does not begin with the step is a search of its own, which begins with any step outside the sleep set,
//! needs no plans, and knows nothing of the search before it. Two things follow for the rest of the code. A step in the sleep set beyond the end of a plan
//! covers only sequences that contain it, not all that are independent of it (`Covering::is_firm`). And a worker has nothing to tell about an open state
//! but its next step, which is the same whoever finds it, so it is told at once (`PrefixUpdate::NextSibling`). With `--symmetry` plans are whole, since threads
//! are held back.
//!
//! **Plans that are guesses.** What an atomic section touches may depend on when it comes, so in a plan that reverses a race it is a guess
//! (`Footprint::is_guess`), and so is an exchange that inputs decide about, and what comes before a step that ended an execution. Sequences that a
//! wake-up tree leaves to such a branch are kept (`deferred`) and planned anew once the step was made, if it turned out otherwise or went one way of
//! several. A plan that leads to a step in the sleep set is redundant and is given up there: with the steps before it, which turned out to be independent of
//! that step, it was explored behind the step already. What does not begin with that step was planned by its races and stands beside. Only a plan whose
//! next thread cannot go on covers nothing (`give_up`).
//!
//! **Executions that are cut short.** A step that fails ends its execution, and what others would have done after it was not seen. So every other thread
//! that could have gone on is given the chance in its place (`plan_before_the_end`), while the thread that fails sleeps: as if it stood still forever and
//! the others went on. A section that fails does so at an operation that was not logged; it counts as one that depends on everything (`History::fails`).
//!
//! **Race cache.** Most races of an execution were there in the one before; `race_cache.rs` remembers which step covered each, and compares that
//! with the new steps alone.
//!
//! **Shortcuts have switches** (`shortcuts.rs`): trimmed plans, states without wake-up trees, the race cache, fast-forwarding. Generated tests
//! compare searches without each of them, and the benchmarks say what each is worth; what is worth less than a tenth is not kept.
//!
//! **Sets instead of lists.** Where the machine replays from its memo, it has the threads that can go on as bits. They come with every choice point
//! (`Stepping::free`), so `dpor` neither goes through the choices nor keeps them. What a step knows that knows of no other thread's steps
//! (`Step::is_solo`) is one number, and is added to other clocks as that.
//!
//! **Fast-forwarding.** Where the plan of an execution ends the sleep set is often empty, and whoever goes on is as good as anyone else. So `dpor` lets the engine go
//! on by itself (`Strategy::fast_forward`): the same thread, or else the first that can, while the machine replays steps from its memo
//! (`Machine::replay_steps`), keeping to the orders of a split on the way. All these steps are recorded together afterwards (`recording.rs`); their
//! states have no branch of a wake-up tree until something is planned there. Half of all steps or more are made like that.

mod choosing;
mod objection;
mod observers;
mod outlook;
mod parallel;
mod planning;
mod race_cache;
mod recording;
mod shortcuts;
mod split;
mod symmetry;
mod trimming;
mod wakeup;

use crate::explain::explain;
use crate::happens_before::footprint::FootprintId;
use crate::happens_before::transition::Coverage;
use crate::happens_before::{Footprints, History, Race, Second, Transition};
use gordian_base::Rng;
use gordian_engine::{Capabilities, End, Ended, FastForward, Next, OrderConstraint, Point, Strategy};
use gordian_trace::{Bound, Choice, Event, Exploration, OpKind, Wants};
pub use objection::tells_threads_apart;
use outlook::Outlook;
pub use parallel::parts::Order;
use parallel::prefix::{Prefix, PrefixUpdate};
pub use parallel::team::DporTeam;
use race_cache::RaceCache;
pub use shortcuts::Shortcuts;
use split::OrderConstraints;
use symmetry::Symmetry;
use trimming::SleepContext;
pub(crate) use wakeup::weak_initial;
use wakeup::{BranchId, Forest};

pub const NAME: &str = "dpor";

/// A state on the way of the present execution.
struct Node {
    /// Where its part of the sleep sets begins: steps that were explored from here, or from before and are independent
    /// of all since.
    sleep: u32,
    /// What is to be explored from here, the branch under way first. None while the step under way is all that there is.
    todo: BranchId,
    /// Branches that were explored to their end.
    n_done: u32,
    /// What the step under way was expected to touch.
    planned: FootprintId,
    /// What the step under way was about to do.
    wants: Option<Wants>,
    outlook: Outlook,
    /// The sleep set may have steps that the plan up to here was expected to wake and did not, see [`Dpor::is_firm`].
    is_loose: bool,
}

impl Default for Node {
    fn default() -> Self {
        Node {
            sleep: 0,
            todo: BranchId::NONE,
            n_done: 0,
            planned: Footprints::UNKNOWN,
            wants: None,
            outlook: Outlook::Unknown,
            is_loose: false,
        }
    }
}

#[derive(Default)]
pub struct Dpor {
    nodes: Vec<Node>,
    /// The sleep sets of all nodes, one after the other.
    sleep_set: Vec<Transition>,
    forest: Forest,
    history: History,
    /// The sequence that is being planned.
    sequence: Vec<Transition>,
    /// It reverses a race of the step that cut the execution short by a failure: see Lemma 6 of [`Dpor::plan`].
    reverses_failure: bool,
    race_cache: RaceCache,
    shortcuts: Shortcuts,
    /// What was last found out about a state.
    sleep_context: SleepContext,
    unsure: Vec<Transition>,
    /// Where nothing is planned, go on with any thread instead of the cheapest.
    shuffle: Option<Rng>,
    /// The way to the part of the search that is explored here, if that is not all of it.
    prefix: Prefix,
    /// Explores symmetric threads in one order only.
    symmetry: Option<Box<Symmetry>>,
    /// Explores a part of a search that was split.
    constraints: Option<Box<OrderConstraints>>,
    /// The execution goes on from the step that was last chosen without asking, and keeps these orders.
    fast_forwards: bool,
    pending_constraints: Vec<OrderConstraint>,
    /// The present execution came to a step in the sleep set: it was explored before.
    is_redundant: bool,
    /// The present execution was left because all who could go on wait for others as the split says.
    is_split_off: bool,
}

impl Dpor {
    /// Goes on with a random thread where any will do. It must reach the same traces, which says more about it than the
    /// one order that is cheapest.
    pub fn shuffled(seed: u64) -> Dpor {
        Dpor { shuffle: Some(Rng::stream(seed, 0)), ..Dpor::default() }
    }

    #[inline]
    fn sleep(&self, depth: usize) -> &[Transition] {
        sleep_at(&self.nodes, &self.sleep_set, depth)
    }

    /// The step that was made, or is to be made, from the state of this depth.
    #[inline]
    fn label(&self, depth: usize) -> Transition {
        let todo = self.nodes[depth].todo;
        if todo.is_none() { self.history.steps[depth].label } else { *self.forest.label(todo) }
    }

    /// The branch of the step under way from the state of this depth.
    #[inline]
    fn under_way(&mut self, depth: usize) -> BranchId {
        let node = &mut self.nodes[depth];
        if node.todo.is_none() {
            node.todo = self.forest.add(self.history.steps[depth].label);
        }
        node.todo
    }

    fn analyse(&mut self, ended: &Ended<'_>) {
        if self.is_redundant {
            return;
        }
        self.history.find_pending(ended);
        self.history.cut_short_at =
            if has_failed(ended) { last_decided(&self.history, self.nodes.len()) } else { None };
        // Whoever is blocked at the end takes part with what it waits to do.
        for (thread, _) in ended.waiting() {
            if self.holds_back(thread, &|thread| ended.wants(thread)) {
                // Whoever it waits for is blocked likewise, and would go first.
                continue;
            }
            let found = self.history.races.len();
            let tie = self.tie_next(thread);
            let second = self.history.find_races_of_tied(thread, ended, tie);
            self.history.awaited.clear();
            for index in found..self.history.races.len() {
                let race = self.history.races[index];
                self.history.without(race, second, &mut self.sequence);
                self.plan(race.first as usize);
            }
            self.history.races.truncate(found);
        }
        let cut_short = is_cut_short(ended, &self.history);
        // Races between steps of earlier executions are looked at again: what others do after a race is a part of what is
        // planned, and may now depend on a step that covered the sequence before.
        self.settle_races();
        if cut_short {
            self.plan_before_the_end();
        }
        if let Some(End::Bound(Bound::Steps | Bound::Instructions)) = ended.end {
            self.plan_for_starved();
        }
    }
}

/// The sleep set of the state of this depth.
#[inline]
fn sleep_at<'a>(nodes: &[Node], sleep_set: &'a [Transition], depth: usize) -> &'a [Transition] {
    let end = nodes.get(depth + 1).map_or(sleep_set.len(), |next| next.sleep as usize);
    &sleep_set[nodes[depth].sleep as usize..end]
}

/// Whether a step ended the execution although others could have gone on.
pub(crate) fn is_cut_short(ended: &Ended<'_>, history: &History) -> bool {
    match ended.end {
        Some(End::Exit(_)) => {
            let last = history.steps.last();
            last.is_some_and(|step| history.footprints.get(step.label.footprint).ends_process)
                || others_could_exit(ended, history)
        }
        Some(End::Failed | End::Dropped) => has_failed(ended),
        None | Some(End::Bound(_) | End::Unsupported(_)) => false,
    }
}

/// Whether the last step ended the process, and another thread could have done so in its place.
fn others_could_exit(ended: &Ended<'_>, history: &History) -> bool {
    let has_waited = |event: &Event| event.kind == OpKind::ProcessExit && event.other == 1;
    let last = history.len().checked_sub(1);
    ended.events.last().is_some_and(has_waited) && last.is_some_and(|last| history.choices(last).len() > 1)
}

/// The last of so many steps, without what inputs decided behind it: nobody can step before they do, so that belongs to the step that led there.
pub(crate) fn last_decided(history: &History, n_steps: usize) -> Option<usize> {
    let mut depth = n_steps.checked_sub(1)?;
    while depth > 0 && history.steps[depth].decides {
        depth -= 1;
    }
    Some(depth)
}

/// Whether the last step has failed, or was an atomic section with a false assumption. Both keep all others from going on.
pub(crate) fn has_failed(ended: &Ended<'_>) -> bool {
    matches!(ended.end, Some(End::Failed | End::Dropped)) && !ended.stuck
}

impl Strategy for Dpor {
    fn exploration(&self) -> Exploration {
        let guarantee = match &self.symmetry {
            Some(symmetry) if symmetry.is_used() => {
                "executes every order of dependent steps within the bounds, up to the names of symmetric threads"
            }
            _ => "executes every order of dependent steps within the bounds, each once",
        };
        Exploration { strategy: NAME.to_owned(), guarantee: guarantee.to_owned() }
    }

    #[inline]
    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.depth >= self.nodes.len() {
            if let Some(symmetry) = &mut self.symmetry {
                symmetry.start(point.events);
            }
            self.record_steps(point.schedule, point.events, point.passed);
            if self.is_redundant {
                return None;
            }
            self.push_state(point);
        }
        self.fast_forwards = false;
        if self.nodes[point.depth].todo.is_none() {
            let Some(choice) = self.pick(point) else {
                self.is_split_off = self.history.choices(point.depth).len() < point.choices.len();
                return None;
            };
            let Choice { thread, variant } = choice;
            let has_variants = self.history.has_variants(thread, point.depth as u32);
            let label = Transition {
                thread,
                variant: Some(variant),
                coverage: Coverage::of_variants(has_variants),
                footprint: Footprints::UNKNOWN,
            };
            let node = &mut self.nodes[point.depth];
            (node.todo, node.wants) = (self.forest.add(label), point.wants(thread));
            if has_variants {
                self.add_variants(point, label);
            } else {
                self.fast_forwards = self.may_fast_forward(point);
            }
            return self.index_of(point, choice);
        }
        self.follow(point)
    }

    #[inline]
    fn fast_forward(&mut self) -> Option<FastForward<'_>> {
        if !self.fast_forwards {
            return None;
        }
        let made = self.forest.label(self.nodes.last()?.todo).thread;
        self.pending_constraints.clear();
        self.pending_constraints
            .extend(self.constraints.iter().flat_map(|constraints| constraints.pending(&self.history)));
        let mut fast_forward = FastForward { constraints: &mut self.pending_constraints };
        // The history does not have it yet.
        fast_forward.made(made);
        Some(fast_forward)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.record_end(ended);
        self.analyse(ended);
        (self.is_redundant, self.is_split_off) = (false, false);
        if let Some(why) = self.objection(ended) {
            // What was left out for the sake of symmetry must be made up for.
            let fresh = Dpor { shuffle: self.shuffle.take(), shortcuts: self.shortcuts, ..Dpor::default() };
            *self = fresh.with_symmetry(Some(why));
            return Next::Anew;
        }
        while self.nodes.len() > self.prefix.len {
            let node = self.nodes.last_mut().expect("there are nodes behind the way");
            if self.forest.is_last(node.todo) {
                self.forest.free(node.todo);
                node.todo = BranchId::NONE;
            }
            if !node.todo.is_none() {
                self.sleep_set.push(*self.forest.label(node.todo));
                self.forest.insert_deferred(&self.history.footprints, node.todo);
                node.todo = self.forest.remove(node.todo);
                node.n_done += 1;
                node.outlook = Outlook::Unknown;
            }
            if !node.todo.is_none() {
                let depth = self.nodes.len() - 1;
                self.history.truncate(depth);
                self.race_cache.keep(depth);
                if let Some(symmetry) = &mut self.symmetry {
                    symmetry.truncate(depth);
                }
                self.prefix.known = self.prefix.known.min(depth);
                explain!(
                    "back to depth {depth}: {}",
                    crate::explain::Steps(&self.history.footprints, &[*self.forest.label(self.nodes[depth].todo)])
                );
                return Next::Backtrack(depth);
            }
            self.sleep_set.truncate(node.sleep as usize);
            self.nodes.pop();
        }
        Next::Done
    }

    fn notes(&self) -> Vec<String> {
        self.symmetry.iter().map(|symmetry| symmetry.note()).collect()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::REDUCTION
    }

    /// As `exhaustive` estimates it, over the branches known so far: those that races will add are not counted, so it
    /// promises too much at first.
    fn done(&self) -> Option<f64> {
        let (mut weight, mut done) = (1.0, 0.0);
        for node in &self.nodes {
            let n_done = f64::from(node.n_done);
            weight /= n_done + self.forest.from(node.todo).count().max(1) as f64;
            done += weight * n_done;
        }
        Some(done)
    }
}
