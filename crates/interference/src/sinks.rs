//! Failures that no branch leads to, as sinks of candidates: data races, uses of what was freed or destroyed, deadlocks.
//!
//! **Lemma 1 (races).** Let all atomic operations be acquire or release operations as their kind allows, and let neither an attempt to lock
//! fail nor something be destroyed that others may use. An execution has
//! a race by happens-before only if some execution has two conflicting accesses next to each other, not both atomic. *Proof.* Take an execution and its
//! first race (a, b): nothing before b races. So every read before b takes a write that happens before it, and the events that happen before a or b,
//! without these, are an execution: the same values are read, and whoever holds a lock there released it to those who took it later. After it a and b are
//! next in their threads, and no access is ever blocked.
//!
//! **Lemma 2 (uses after the end of an object).** A use of what was freed or destroyed is an execution in which the free comes before the use,
//! next to each other or not; a lock that both hold does not exclude it.
//!
//! **Lemma 3 (deadlocks).** Let threads wait for locks and for the ends of threads only. If no thread can step and the process goes on, main waits for what a
//! thread holds that waits itself or has ended with a lock, and so on: a chain of threads from main that ends in a circle or in an ended thread. In turn,
//! where such a chain stands, main waits forever, and when all others have ended or wait, nobody can step.
//!
//! What locks held in common, creation or joins exclude is no candidate. Where the premises of a lemma do not hold, or a sink could not be
//! settled, [`Sinks::are_settled`] says no, and nothing is claimed.

use crate::forest::{Forest, NodeId};
use crate::scenario::{Candidate, Goal};
use gordian_base::{FxHashMap, FxHashSet, ThreadId};
use gordian_ir::{Inst, Program};
use gordian_solve::Budget;
use gordian_witness::{EventKind, PendingOperation, Place};
use std::rc::Rc;

/// What orders a node of a thread with those of others.
#[derive(Clone, Default)]
struct Guards {
    /// Locks held, and whether only with others who read.
    locks: Rc<Vec<(u64, bool)>>,
    /// Threads that were joined before.
    joined: Rc<Vec<ThreadId>>,
}

/// How a node uses the bytes or the synchronisation object at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
    /// The object becomes known to others: whoever uses it later has its address from there.
    Publish,
    Free,
    /// Of a synchronisation object.
    Operate,
    /// A synchronisation object is initialised or destroyed.
    Claim,
}

#[derive(Clone, Copy)]
struct Access {
    node: NodeId,
    place: Place,
    does: Use,
    atomic: bool,
}

/// A thread's wait for a lock or for the end of a thread, or its end with a lock held.
#[derive(Clone)]
struct Blocked {
    /// The last node before the wait; the end itself.
    end: NodeId,
    thread: ThreadId,
    wants: Option<Wanted>,
    holds: Rc<Vec<(u64, bool)>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Lock { lock: u64, shared: bool },
    End(ThreadId),
}

/// Chains of blocked threads that are looked at; with more nothing is claimed.
const MOST_CHAINS: usize = 10_000;

/// What was found in the forest so far.
pub struct Sinks {
    /// Races are to be found.
    races: bool,
    /// The premises of Lemma 1 hold of all atomic operations.
    strong: bool,
    guards: Vec<Guards>,
    /// In the order in which they were reached, those of one thread in a row together.
    by_word: FxHashMap<u64, Vec<(ThreadId, Vec<Access>)>>,
    blocked: Vec<Blocked>,
    /// [`Blocked::end`] of all these.
    waits: FxHashSet<NodeId>,
    n_looked_at: usize,
    chains: FxHashSet<Vec<NodeId>>,
    /// Something was met that the lemmas do not speak of.
    unsettled: bool,
    /// Conflicting accesses that nothing orders were met.
    has_conflicts: bool,
    /// Operations depend on others that do not happen before them: attempts to lock that fail, what is destroyed.
    has_hidden_orders: bool,
}

impl Sinks {
    pub fn new(program: &Program, races: bool) -> Self {
        Sinks {
            races,
            strong: has_strong_orders(program),
            guards: Vec::new(),
            by_word: FxHashMap::default(),
            blocked: Vec::new(),
            waits: FxHashSet::default(),
            n_looked_at: 0,
            chains: FxHashSet::default(),
            unsettled: false,
            has_conflicts: false,
            has_hidden_orders: false,
        }
    }

    /// A sink that was planned did not show.
    pub fn unsettle(&mut self) {
        self.unsettled = true;
    }

    /// Whether there is no such failure, if no candidate is left. If not, that means nothing. `failed` were seen to end the execution.
    pub fn are_settled(&self, forest: &Forest, failed: &FxHashSet<NodeId>) -> bool {
        // Whoever stands before such an operation would have been seen to make it.
        let is_left = |node: NodeId| {
            let entry = &forest[node];
            let waits = matches!(
                entry.event.kind,
                EventKind::Pending(PendingOperation::Lock { .. } | PendingOperation::Join(_))
            );
            matches!(entry.event.kind, EventKind::Pending(_)) && !entry.reached && !waits && !failed.contains(&node)
        };
        let may_hide_races = self.has_conflicts && (!self.strong || self.has_hidden_orders);
        !self.unsettled && !may_hide_races && !forest.ids().any(is_left)
    }

    /// Candidates for sinks that involve these nodes, which were reached now, or new waits. Some are missing if the budget's interrupt is raised.
    pub fn look_for(&mut self, forest: &Forest, reached: &[NodeId], budget: &Budget) -> Vec<Candidate> {
        self.extend_guards(forest);
        let mut found = Vec::new();
        for &node in reached {
            let Some(access) = access(forest, node) else { continue };
            for word in access.place.words() {
                let runs = self.by_word.remove(&word).unwrap_or_default();
                self.meet(forest, access, word, &runs, budget, &mut found);
                self.by_word.insert(word, add_to_runs(runs, forest[node].thread, access));
            }
            if budget.is_stopped() {
                self.unsettle();
                return found;
            }
        }
        self.look_for_chains(budget, &mut found);
        found
    }

    /// Pairs an access with those of other threads that share a word with it.
    fn meet(
        &mut self,
        forest: &Forest,
        access: Access,
        word: u64,
        runs: &[(ThreadId, Vec<Access>)],
        budget: &Budget,
        found: &mut Vec<Candidate>,
    ) {
        let first = |access: &Access| access.place.words().next();
        let others = runs.iter().filter(|(thread, _)| *thread != forest[access.node].thread);
        for other in others.flat_map(|(_, run)| run) {
            if budget.is_stopped() {
                return;
            }
            // Accesses that share several words meet at the first of them.
            if Some(word) == first(&access).max(first(other)) {
                self.pair(forest, *other, access, found);
            }
        }
    }

    /// Nodes come after their parents and creators.
    fn extend_guards(&mut self, forest: &Forest) {
        for node in forest.ids().skip(self.guards.len()) {
            let entry = &forest[node];
            let mut guards = entry.parent.map_or_else(Guards::default, |parent| self.guards[parent.0 as usize].clone());
            self.note_wait(forest, node, &guards);
            match entry.event.kind {
                EventKind::Lock { lock, shared } => Rc::make_mut(&mut guards.locks).push((lock, shared)),
                EventKind::Unlock(lock) => {
                    let held = Rc::make_mut(&mut guards.locks);
                    match held.iter().rposition(|&(held, _)| held == lock) {
                        Some(last) => drop(held.remove(last)),
                        None => self.unsettled = true,
                    }
                }
                EventKind::Join(thread) => Rc::make_mut(&mut guards.joined).push(thread),
                EventKind::LockFails { .. } => self.has_hidden_orders = true,
                EventKind::Wait { .. }
                | EventKind::SemWait(_)
                | EventKind::BarrierArrive(_)
                | EventKind::BarrierFill(_) => self.unsettled = true,
                _ => {}
            }
            self.guards.push(guards);
        }
    }

    /// `guards` are those before the node.
    fn note_wait(&mut self, forest: &Forest, node: NodeId, guards: &Guards) {
        let entry = &forest[node];
        let wants = match entry.event.kind {
            EventKind::Lock { lock, shared } | EventKind::Pending(PendingOperation::Lock { lock, shared }) => {
                // An attempt to lock never waits.
                let siblings = entry.parent.map(|parent| &forest[parent].children);
                let fails = EventKind::LockFails { lock, shared };
                if siblings.into_iter().flatten().any(|&sibling| forest[sibling].event.kind == fails) {
                    return;
                }
                Some(Wanted::Lock { lock, shared })
            }
            EventKind::Join(thread) | EventKind::Pending(PendingOperation::Join(thread)) => Some(Wanted::End(thread)),
            EventKind::End => {
                // Main that has ended need not wait for the others to be stuck.
                self.unsettled |= entry.thread == ThreadId::MAIN;
                if guards.locks.is_empty() {
                    return;
                }
                None
            }
            _ => return,
        };
        let end = if wants.is_some() { entry.parent.expect("a root does not wait") } else { node };
        let blocked = Blocked { end, thread: entry.thread, wants, holds: Rc::clone(&guards.locks) };
        // What was pending is met again when it is made.
        if self.waits.insert(end) {
            self.blocked.push(blocked);
        }
    }

    fn pair(&mut self, forest: &Forest, a: Access, b: Access, found: &mut Vec<Candidate>) {
        if !a.place.overlaps(b.place) {
            return;
        }
        // They come in one order only, and every execution that has the later one shows what comes of it.
        if self.comes_first(forest, a.node, b.node) || self.comes_first(forest, b.node, a.node) {
            return;
        }
        for (ends, user) in [(a, b), (b, a)] {
            // Whether something can be destroyed depends on who holds it.
            self.has_hidden_orders |= ends.does == Use::Claim;
            look_for_late_use(forest, ends, user, found);
        }
        if !self.races || self.is_excluded(a.node, b.node) {
            return;
        }
        match conflict(&a, &b) {
            None => {}
            Some(Conflict::Data) => {
                self.has_conflicts = true;
                found.push(Candidate::with_goal(a.node, Goal::Race(b.node)));
            }
            Some(Conflict::Publication) => self.has_conflicts = true,
            Some(Conflict::Other) => self.unsettled = true,
        }
    }

    /// Whether both hold a lock that they cannot hold at the same time.
    fn is_excluded(&self, a: NodeId, b: NodeId) -> bool {
        let [a, b] = [a, b].map(|node| &self.guards[node.0 as usize].locks);
        a.iter().any(|&(lock, shared)| b.iter().any(|&(other, also)| other == lock && !(shared && also)))
    }

    /// Whether `a` comes before `b` because its thread created that of `b` later, or was joined before.
    fn comes_first(&self, forest: &Forest, a: NodeId, b: NodeId) -> bool {
        let mut at = Some(b);
        while let Some(node) = at {
            if forest[node].thread == forest[a].thread {
                return forest.is_on_the_way(a, node);
            }
            if self.guards[node.0 as usize].joined.contains(&forest[a].thread) {
                return true;
            }
            at = forest[forest[node].root].created_by;
        }
        false
    }

    /// Chains of Lemma 3 that have not been looked at.
    fn look_for_chains(&mut self, budget: &Budget, found: &mut Vec<Candidate>) {
        if std::mem::replace(&mut self.n_looked_at, self.blocked.len()) == self.blocked.len() {
            return;
        }
        let may_close = |blocked: &Blocked| {
            !blocked.holds.is_empty()
                || blocked.thread != ThreadId::MAIN && matches!(blocked.wants, Some(Wanted::End(_)))
        };
        if !self.blocked.iter().any(may_close) {
            return;
        }
        let mut stack: Vec<Vec<usize>> = Vec::new();
        stack.extend((0..self.blocked.len()).filter(|&n| self.blocked[n].thread == ThreadId::MAIN).map(|n| vec![n]));
        while let Some(chain) = stack.pop() {
            let &Blocked { thread, wants, .. } = &self.blocked[*chain.last().expect("a chain has a first")];
            let Some(wants) = wants else {
                self.add_chain(&chain, found);
                continue;
            };
            for next in 0..self.blocked.len() {
                if !is_held_by(wants, thread, &self.blocked[next]) {
                    continue;
                }
                if chain.contains(&next) {
                    self.add_chain(&chain, found);
                } else if !chain.iter().any(|&n| self.blocked[n].thread == self.blocked[next].thread) {
                    stack.push(chain.iter().copied().chain([next]).collect());
                }
            }
            if self.chains.len() > MOST_CHAINS || stack.len() > MOST_CHAINS || budget.is_stopped() {
                self.unsettled = true;
                return;
            }
        }
    }

    fn add_chain(&mut self, chain: &[usize], found: &mut Vec<Candidate>) {
        let ends: Vec<NodeId> = chain.iter().map(|&n| self.blocked[n].end).collect();
        let mut others = ends[1..].to_vec();
        others.sort_unstable();
        if self.chains.insert(ends.iter().copied().take(1).chain(others.iter().copied()).collect()) {
            found.push(Candidate::with_goal(ends[0], Goal::Deadlock(others)));
        }
    }
}

fn add_to_runs(
    mut runs: Vec<(ThreadId, Vec<Access>)>,
    thread: ThreadId,
    access: Access,
) -> Vec<(ThreadId, Vec<Access>)> {
    match runs.last_mut() {
        Some((last, run)) if *last == thread => run.push(access),
        _ => runs.push((thread, vec![access])),
    }
    runs
}

/// Candidates in which the second node uses what the first one ends.
fn look_for_late_use(forest: &Forest, ends: Access, user: Access, found: &mut Vec<Candidate>) {
    match (ends.does, user.does) {
        // Whoever publishes an object has it before anybody else could free it.
        (Use::Free, Use::Publish) => {}
        (Use::Free, _) | (Use::Claim, Use::Operate | Use::Claim) => {
            found.push(Candidate::with_goal(user.node, Goal::After(ends.node)));
        }
        _ => return,
    }
    match forest[user.node].event.kind {
        EventKind::Lock { .. } if ends.does == Use::Claim => {
            found.push(Candidate::with_goal(ends.node, Goal::Within(user.node)));
        }
        EventKind::Join(_) => found.push(Candidate::with_goal(ends.node, Goal::After(user.node))),
        _ => {}
    }
}

enum Conflict {
    /// Of accesses that Lemma 1 speaks of.
    Data,
    /// Of what was written to an object before others knew it. Lemma 1 speaks of it: whoever has its address read it, or what it was
    /// reached through, from who published it, so the first race is another one.
    Publication,
    /// Of data with a synchronisation object.
    Other,
}

fn conflict(a: &Access, b: &Access) -> Option<Conflict> {
    match (a.does, b.does) {
        (Use::Read, Use::Read) | (Use::Operate, Use::Operate | Use::Read) | (Use::Read, Use::Operate) => None,
        (Use::Read | Use::Write, Use::Read | Use::Write) => (!(a.atomic && b.atomic)).then_some(Conflict::Data),
        (Use::Free, Use::Read | Use::Write) | (Use::Read | Use::Write, Use::Free) => Some(Conflict::Data),
        // A use after the end, if anything.
        (Use::Free | Use::Claim, Use::Free | Use::Claim | Use::Operate) | (Use::Operate, Use::Free | Use::Claim) => {
            None
        }
        (Use::Publish, _) | (_, Use::Publish) => Some(Conflict::Publication),
        (Use::Operate | Use::Claim, Use::Read | Use::Write) | (Use::Read | Use::Write, Use::Operate | Use::Claim) => {
            Some(Conflict::Other)
        }
    }
}

fn is_held_by(wanted: Wanted, by: ThreadId, holder: &Blocked) -> bool {
    match wanted {
        _ if holder.thread == by => false,
        Wanted::End(thread) => holder.thread == thread && holder.wants.is_some(),
        Wanted::Lock { lock, shared } => {
            holder.holds.iter().any(|&(held, only_read)| held == lock && !(shared && only_read))
        }
    }
}

fn access(forest: &Forest, node: NodeId) -> Option<Access> {
    let object = |address: u64| Place { address, size: 1 };
    let (place, does) = match forest[node].event.kind {
        EventKind::Read { place, .. } if crate::degree::counts(place) => (place, Use::Read),
        EventKind::Write { place, .. } if crate::degree::counts(place) => (place, Use::Write),
        EventKind::Publish { place, .. } => (place, Use::Publish),
        EventKind::Free(place) => (place, Use::Free),
        EventKind::Claim(address) | EventKind::Destroy(address) => (object(address), Use::Claim),
        EventKind::Lock { lock, .. } | EventKind::Unlock(lock) | EventKind::LockFails { lock, .. } => {
            (object(lock), Use::Operate)
        }
        EventKind::Signal(cond) | EventKind::Broadcast(cond) => (object(cond), Use::Operate),
        EventKind::SemPost(semaphore) => (object(semaphore), Use::Operate),
        EventKind::Join(thread) => (object(gordian_witness::thread_claim(thread)), Use::Operate),
        _ => return None,
    };
    Some(Access { node, place, does, atomic: forest[node].event.atomic })
}

/// Whether every atomic operation acquires what it reads and releases what it writes.
fn has_strong_orders(program: &Program) -> bool {
    let is_strong = |inst: &Inst| match *inst {
        Inst::AtomicLoad { order, .. } => order.acquires(),
        Inst::AtomicStore { order, .. } => order.releases(),
        Inst::AtomicRmw { order, .. } => order.acquires() && order.releases(),
        Inst::CmpXchg { order, failure, .. } => order.acquires() && order.releases() && failure.acquires(),
        _ => true,
    };
    program.functions.iter().all(|function| function.code.iter().all(is_strong))
}
