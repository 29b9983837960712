//! Symmetric threads in one order only: threads that one thread created in a row, with the same start function and the
//! same argument, can change their names in every execution. After Kokologiannakis, Marmanis and Vafeiadis, "SPORE:
//! Combining Symmetry and Partial Order Reduction", PLDI 2024, for wake-up trees instead of execution graphs.
//!
//! **What is left out.** Let S < T be threads of one group, and S.i the i-th step of S. They are *alike* up to k if
//! each S.i with i <= k only looks, and exchanging S and T maps what happens before S.i onto what happens before T.i;
//! having read the same, both then want the same. A prefix of an execution is *twisted* if S and T are alike up to
//! k - 1, T.k is made, and either S.k comes after it, or S.k is not made yet and something that is T.k or comes after
//! it is bound to depend on what S wants. Twisted prefixes are not planned.
//!
//! **Why no orbit is lost.** Let the height of a step be the length of the longest chain of dependent steps up to it.
//! Renaming threads leaves heights alone, and steps that are alike have the same. In a twisted execution T.k is lower than S.k,
//! or S.k is never made: the heights of T come before those of S in the order of dictionaries. So
//! renaming the threads of each group such that their heights are in that order gives an execution that is not twisted.
//!
//! **Why those are found.** What a twisted prefix leads to is twisted. Let E be a prefix and q a step explored from it, w a
//! sequence whose steps do not depend on q, p a step that does, and neither E.q nor E.w.p be twisted. Then E.q.w.p,
//! in which the race of q and p shows, is not twisted either, unless a thread S lags behind one like it and its next
//! step could be made in E: that step is a beginning of w.p, or can take the place of q. It is therefore explored
//! from E whenever the thread ahead goes on ([`Symmetry::laggards`]). As no race asked for that step, what is explored from E while
//! it waits is set apart: otherwise each of the two could be left to the other. Where an execution has to go on with a
//! twisted prefix, it says nothing of what others do without that step, whose label is set apart, and the other
//! choices are explored too.
//!
//! Which pairs of threads are compared is settled by their first step that does more than look, so more than one
//! execution of an orbit may be left. What the program can see of the names of threads is asked for beforehand
//! ([`tells_threads_apart`]) and watched in each execution ([`Symmetry::objection`]).

use super::footprint::{Class, Effect, Footprint, Label, Mode};
use super::history::{History, Race, Second};
use gordian_base::{Id, ThreadId};
use gordian_engine::Point;
use gordian_trace::{Choice, Event, OpKind, Wants};

/// Whether a function that a program refers to lets it tell one thread from another, or act on one of them.
pub fn tells_threads_apart(function: &str) -> bool {
    matches!(
        function,
        "pthread_self"
            | "pthread_equal"
            | "pthread_cancel"
            | "pthread_kill"
            | "pthread_sigqueue"
            | "pthread_tryjoin_np"
            | "pthread_timedjoin_np"
            | "pthread_clockjoin_np"
            | "pthread_getname_np"
            | "pthread_setname_np"
            | "pthread_getattr_np"
            | "pthread_getcpuclockid"
            | "pthread_getaffinity_np"
            | "pthread_setaffinity_np"
            | "pthread_getschedparam"
            | "pthread_setschedparam"
            | "pthread_setschedprio"
            | "thrd_current"
            | "thrd_equal"
            | "gettid"
            | "sched_getcpu"
            | "syscall"
    )
}

/// What the threads of a group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    creator: ThreadId,
    /// Steps that the creator had made, and events of its own other than creations.
    time: u32,
    start: u64,
    argument: u64,
}

#[derive(Clone, Copy, Debug)]
struct Birth {
    /// Steps made before.
    steps: u32,
    thread: ThreadId,
    kind: Kind,
}

/// How an operation touches its location, as far as it can be told before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Known(Mode),
    /// Reads or writes, as it turns out.
    Tries,
    /// Shares or reads, as it turns out.
    TriesToShare,
}

#[derive(Default)]
pub struct Symmetry {
    births: Vec<Birth>,
    /// By thread, its steps.
    steps_of: Vec<Vec<u32>>,
    /// What each step was about to do.
    wants: Vec<Option<Wants>>,
    /// The first step that made the execution twisted.
    twisted: Option<u32>,
    /// Events of the execution up to its present state that were looked at for births, by step.
    n_events: Vec<u32>,
    started: bool,
    /// Why threads are not symmetric after all.
    pub refusal: Option<String>,
    /// The most threads in groups, and groups, of an execution.
    most: (usize, usize),
}

/// A part of the execution, closed under what happens before, and a step that would come last.
struct Part<'a> {
    history: &'a History,
    /// What is left out with all that happens after it.
    without: Option<u32>,
    /// Steps from here on are left out unless they happen before `second`.
    end: u32,
    second: Option<(Race, Label)>,
}

impl Part<'_> {
    fn contains(&self, step: u32) -> bool {
        let history = self.history;
        let made = &history.steps[step as usize];
        let after = self.without.is_some_and(|first| {
            let first = &history.steps[first as usize];
            history.clocks.time(made.clock, first.choice.thread) >= first.time
        });
        !after && (step < self.end || self.second.is_some_and(|(race, _)| history.precedes_second(step, race)))
    }
}

impl Symmetry {
    pub fn new(refusal: Option<String>) -> Symmetry {
        Symmetry { refusal, ..Symmetry::default() }
    }

    /// Takes in the newest step of `history` and what was created in it.
    pub fn push(&mut self, history: &History, events: &[Event], wants: Option<Wants>) {
        let index = history.len() - 1;
        let thread = history.steps[index].choice.thread;
        if self.steps_of.len() <= thread.index() {
            self.steps_of.resize(thread.index() + 1, Vec::new());
        }
        self.steps_of[thread.index()].push(index as u32);
        self.wants.push(wants);
        let from = self.n_events.last().copied().unwrap_or(0);
        self.look_for_births(events, from as usize);
        self.n_events.push(events.len() as u32);
    }

    /// Before the first step of a search.
    pub fn start(&mut self, events: &[Event]) {
        if !self.started {
            self.started = true;
            self.look_for_births(events, 0);
            self.n_events.push(events.len() as u32);
        }
    }

    fn look_for_births(&mut self, events: &[Event], from: usize) {
        for (position, event) in events.iter().enumerate().skip(from).filter(|(_, event)| event.kind == OpKind::Create)
        {
            let creator = event.thread;
            let own = events[..position].iter().filter(|other| other.thread == creator && other.kind != OpKind::Create);
            let kind = Kind { creator, time: own.count() as u32, start: event.other, argument: event.value };
            let thread = ThreadId(event.address as u32);
            self.births.push(Birth { steps: self.wants.len() as u32, thread, kind });
        }
        let n_in_groups = self.births.iter().filter(|birth| self.group(birth.kind).nth(1).is_some()).count();
        let firsts = (0..self.births.len()).filter(|&nth| {
            let kind = self.births[nth].kind;
            self.births[..nth].iter().all(|other| other.kind != kind) && self.group(kind).nth(1).is_some()
        });
        self.most = self.most.max((n_in_groups, firsts.count()));
    }

    fn group(&self, kind: Kind) -> impl Iterator<Item = ThreadId> {
        self.births.iter().filter(move |birth| birth.kind == kind).map(|birth| birth.thread)
    }

    /// All pairs of symmetric threads, the lesser first.
    fn pairs(&self) -> impl Iterator<Item = (ThreadId, ThreadId)> {
        self.births.iter().flat_map(move |birth| {
            self.group(birth.kind).filter(|other| birth.thread < *other).map(|other| (birth.thread, other))
        })
    }

    /// The search goes back until `len` steps are left.
    pub fn truncate(&mut self, len: usize) {
        self.wants.truncate(len);
        self.n_events.truncate(len + 1);
        for steps in &mut self.steps_of {
            while steps.last().is_some_and(|&step| step as usize >= len) {
                steps.pop();
            }
        }
        self.births.retain(|birth| birth.steps as usize <= len);
        // Those of the last step that was taken back are made again with it.
        self.twisted = self.twisted.filter(|&step| (step as usize) < len);
    }

    pub fn is_twisted(&self) -> bool {
        self.twisted.is_some()
    }

    /// Whether the newest step has made the execution twisted; `wants` tells what threads want now.
    pub fn twists(&mut self, history: &History, wants: &dyn Fn(ThreadId) -> Option<Wants>) -> bool {
        if self.twisted.is_some() || self.refusal.is_some() {
            return false;
        }
        let all = Part { history, without: None, end: u32::MAX, second: None };
        let twists = self.is_part_twisted(&all, wants);
        if twists {
            self.twisted = Some(history.len() as u32 - 1);
        }
        twists
    }

    /// Where the sequence that reverses a race must end so that it is not twisted: steps from there on are left out unless
    /// they happen before the second. None if it is twisted at any rate.
    pub fn end_of_plan(
        &self,
        history: &History,
        race: Race,
        second: Label,
        wants: &dyn Fn(ThreadId) -> Option<Wants>,
    ) -> Option<u32> {
        let ends = [u32::MAX, self.twisted.unwrap_or(u32::MAX), 0];
        ends.into_iter().find(|&end| {
            let part =
                Part { history, without: Some(race.first), end: end.max(race.first), second: Some((race, second)) };
            !self.is_part_twisted(&part, wants)
        })
    }

    fn is_part_twisted(&self, part: &Part<'_>, wants: &dyn Fn(ThreadId) -> Option<Wants>) -> bool {
        self.pairs().any(|(less, more)| self.is_pair_twisted(part, less, more, wants))
    }

    fn steps(&self, thread: ThreadId) -> &[u32] {
        self.steps_of.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    fn is_pair_twisted(
        &self,
        part: &Part<'_>,
        less: ThreadId,
        more: ThreadId,
        wants: &dyn Fn(ThreadId) -> Option<Wants>,
    ) -> bool {
        let history = part.history;
        let count = |thread| self.steps(thread).iter().take_while(|&&step| part.contains(step)).count();
        let (of_less, of_more) = (count(less), count(more));
        let alike = self.alike(history, less, more, of_less.min(of_more));
        let level = alike as u32 + 1;
        if alike < of_less {
            let made = &history.steps[self.steps(less)[alike] as usize];
            return of_more > alike && history.clocks.time(made.clock, more) >= level;
        }
        let second = part.second.filter(|(race, _)| race.second != Second::Watching);
        let of_second = second.map(|(race, _)| self.wants_of_second(race, wants));
        let pending = match (second, self.steps(less).get(of_less)) {
            (Some((race, _)), _) if race.thread == less => of_second.flatten(),
            (_, Some(&step)) => self.wants[step as usize],
            (_, None) => wants(less),
        };
        let Some(pending) = pending else { return false };
        let is_after = |step: &u32| history.clocks.time(history.steps[*step as usize].clock, more) >= level;
        let mut after = (0..history.len() as u32).filter(|step| is_after(step) && part.contains(*step));
        if of_more > alike && after.clone().any(|step| conflicts(history.footprint(step), pending)) {
            return true;
        }
        let Some((race, label)) = second.filter(|(race, _)| race.thread != less) else { return false };
        let comes_after = race.thread == more && of_more >= alike
            || of_more > alike
                && after.any(|step| history.footprints.depends(&history.steps[step as usize].label, &label));
        if !comes_after {
            return false;
        }
        if race.thread == more && of_more == alike && self.steps(less).get(of_less) == Some(&race.first) {
            // The same operation in the same state: it turns out as the first did.
            return conflicts(history.footprint(race.first), pending);
        }
        // How an attempt would turn out is not known for sure.
        let sure = of_second.flatten().and_then(manner).is_some_and(|manner| matches!(manner, Manner::Known(_)));
        sure && conflicts(history.footprints.get(label.footprint), pending)
    }

    fn wants_of_second(&self, race: Race, wants: &dyn Fn(ThreadId) -> Option<Wants>) -> Option<Wants> {
        match race.second {
            Second::Step(step) => self.wants[step as usize],
            Second::Blocked | Second::Watching => wants(race.thread),
        }
    }

    /// How many of the first `most` steps of two threads are alike.
    fn alike(&self, history: &History, less: ThreadId, more: ThreadId, most: usize) -> usize {
        let both = self.steps(less).iter().zip(self.steps(more)).take(most);
        both.take_while(|&(&a, &b)| self.are_alike(history, a, b)).count()
    }

    fn are_alike(&self, history: &History, a: u32, b: u32) -> bool {
        let (step_a, step_b) = (&history.steps[a as usize], &history.steps[b as usize]);
        let (less, more) = (step_a.choice.thread, step_b.choice.thread);
        if step_a.label.is_apart || step_b.label.is_apart || step_a.choice.variant != step_b.choice.variant {
            return false;
        }
        if !self.wants_alike(a, b) || !only_look(history.footprint(a), history.footprint(b), self.wants[a as usize]) {
            return false;
        }
        let n_threads = self.steps_of.len() as u32;
        let time = |step: &super::history::Step, thread| history.clocks.time(step.clock, thread);
        let exchanged = |thread| match thread {
            thread if thread == less => more,
            thread if thread == more => less,
            thread => thread,
        };
        let mut threads = (0..n_threads.max(history.n_threads() as u32)).map(ThreadId);
        if threads.any(|thread| time(step_a, thread) != time(step_b, exchanged(thread))) {
            return false;
        }
        // What other threads did before must not tell the two apart either.
        history.steps[..a.max(b) as usize].iter().all(|other| {
            let thread = other.choice.thread;
            thread == less
                || thread == more
                || time(step_a, thread) < other.time
                || time(other, less) == time(other, more)
        })
    }

    fn wants_alike(&self, a: u32, b: u32) -> bool {
        match (self.wants[a as usize], self.wants[b as usize]) {
            (Some(a), Some(b)) => (a.kind, a.size, a.address) == (b.kind, b.size, b.address),
            _ => false,
        }
    }

    /// Threads that lag behind one that is like them when `going` makes a step, and could go on.
    pub fn laggards(&self, history: &History, point: &Point<'_>, going: ThreadId) -> Vec<ThreadId> {
        let mut found = Vec::new();
        if self.twisted.is_some() {
            return found;
        }
        for (less, more) in self.pairs() {
            let (of_less, of_more) = (self.steps(less).len(), self.steps(more).len());
            let lags = of_less < of_more || of_less == of_more && going == more;
            if lags
                && going != less
                && !found.contains(&less)
                && point.choices.iter().any(|choice| choice.thread == less)
                && self.alike(history, less, more, of_less) == of_less
                && self.could_catch_up(history, less, more, point.wants(less))
            {
                found.push(less);
            }
        }
        found
    }

    /// Whether the next step of `less` could still be like the one that `more` has made.
    fn could_catch_up(&self, history: &History, less: ThreadId, more: ThreadId, wants: Option<Wants>) -> bool {
        let Some(&ahead) = self.steps(more).get(self.steps(less).len()) else { return true };
        let Some(wants) = wants else { return true };
        let clock = history.steps[ahead as usize].clock;
        history.steps.iter().all(|step| {
            let thread = if step.choice.thread == more { less } else { step.choice.thread };
            thread == less && step.choice.thread == less
                || history.clocks.time(clock, thread) >= step.time
                || !conflicts(history.footprints.get(step.label.footprint), wants)
        })
    }

    /// Whether a choice is likely to make the execution twisted: better to go on otherwise.
    pub fn shuns(&self, history: &History, point: &Point<'_>, choice: Choice) -> bool {
        let Some(wants) = point.wants(choice.thread) else { return false };
        self.pairs().any(|(less, more)| {
            let (of_less, of_more) = (self.steps(less).len(), self.steps(more).len());
            choice.thread != less
                && (of_less < of_more || of_less == of_more && choice.thread == more)
                && point.wants(less).is_some_and(|other| may_conflict(wants, other))
                && self.alike(history, less, more, of_less) == of_less
        })
    }

    /// Why the threads of a group can be told apart after all, if this execution shows it.
    pub fn objection(
        &self,
        history: &History,
        events: &[Event],
        wants: &dyn Fn(ThreadId) -> Option<Wants>,
    ) -> Option<String> {
        if let Some((less, more)) = self.pairs().find(|&(less, more)| self.want_different(history, less, more, wants)) {
            let (less, more) = (less.0, more.0);
            return Some(format!("threads {less} and {more} do different things after the same history"));
        }
        self.pairs().find_map(|(less, more)| {
            objection_to(events, less, more).or_else(|| unknown_join(events, less, more, wants))
        })
    }

    fn want_different(
        &self,
        history: &History,
        less: ThreadId,
        more: ThreadId,
        wants: &dyn Fn(ThreadId) -> Option<Wants>,
    ) -> bool {
        let (of_less, of_more) = (self.steps(less), self.steps(more));
        let alike = self.alike(history, less, more, of_less.len().min(of_more.len()));
        let next = |steps: &[u32], thread| match steps.get(alike) {
            Some(&step) => self.wants[step as usize],
            None => wants(thread),
        };
        match (next(of_less, less), next(of_more, more)) {
            (Some(a), Some(b)) => (a.kind, a.size, a.address) != (b.kind, b.size, b.address),
            _ => false,
        }
    }

    /// What to say of it in the report.
    pub fn note(&self) -> String {
        let (threads, groups) = self.most;
        let groups = if groups == 1 { "1 group".to_owned() } else { format!("{groups} groups") };
        match (&self.refusal, threads) {
            (Some(why), _) => format!("symmetry not used: {why}"),
            (None, 0) => "symmetry: no threads with the same start function and argument".to_owned(),
            (None, _) => format!("symmetry: {threads} threads in {groups}, explored in one order of each group"),
        }
    }
}

/// Why two threads cannot change their names although they began alike.
fn objection_to(events: &[Event], less: ThreadId, more: ThreadId) -> Option<String> {
    let is_one = |thread: u64| thread == u64::from(less.0) || thread == u64::from(more.0);
    // Joins of one of the two by a thread that has not joined the other.
    let mut halves: Vec<&Event> = Vec::new();
    for event in events {
        let own = is_one(event.thread.0.into());
        match event.kind {
            OpKind::Create if own => return Some("a thread of a group creates threads".to_owned()),
            OpKind::Detach if is_one(event.address) => return Some("a thread of a group is detached".to_owned()),
            OpKind::Join if is_one(event.address) && own => {
                return Some("a thread of a group joins another".to_owned());
            }
            OpKind::Join if is_one(event.address) => match halves.iter().position(|half| half.thread == event.thread) {
                Some(half) => {
                    let half = halves.remove(half);
                    if half.value != event.value && half.other + event.other > 0 {
                        return Some("threads of a group have different results, which are looked at".to_owned());
                    }
                }
                None => halves.push(event),
            },
            // Another of the group, perhaps: whether it is in time is seen when it is paired with these.
            OpKind::Join => {}
            _ if halves.iter().any(|half| half.thread == event.thread) => {
                return Some("something happens between the joins of threads of a group".to_owned());
            }
            _ => {}
        }
    }
    None
}

/// A thread waits at the end for one of the two while the other has ended. With their names exchanged it would have gone on, and
/// whether it would have joined the other next was not seen.
fn unknown_join(
    events: &[Event],
    less: ThreadId,
    more: ThreadId,
    wants: &dyn Fn(ThreadId) -> Option<Wants>,
) -> Option<String> {
    let is_join = |joiner, target: ThreadId| {
        wants(joiner).is_some_and(|wants| wants.kind == OpKind::Join && wants.address == u64::from(target.0))
    };
    let joined = |joiner, target: ThreadId| {
        let of = |event: &Event| event.kind == OpKind::Join && event.address == u64::from(target.0);
        events.iter().any(|event| event.thread == joiner && of(event))
    };
    let has_ended = |thread| events.iter().any(|event| event.kind == OpKind::Exit && event.thread == thread);
    let threads = events.iter().map(|event| event.thread).max()?;
    for joiner in (0..=threads.0).map(ThreadId) {
        for (target, other) in [(less, more), (more, less)] {
            if is_join(joiner, target) && has_ended(other) && !joined(joiner, other) {
                return Some("a thread of a group ends while one that did not end is waited for".to_owned());
            }
        }
    }
    None
}

/// Whether two steps only look at what they want, in the same way.
fn only_look(a: &Footprint, b: &Footprint, wants: Option<Wants>) -> bool {
    use OpKind::*;
    let Some(wants) = wants else { return false };
    let looks = matches!(
        wants.kind,
        Read | AtomicRead | CasOk | TryLock | Lock | SemTryWait | SemWait | SemGet | SemPost | Fence | Yield | Sleep
    );
    let quiet = |footprint: &Footprint| {
        let Footprint { effects, ends_process, unknown, .. } = footprint;
        effects.iter().all(|effect: &Effect| matches!(effect, Effect::Join { .. })) && !ends_process && !unknown
    };
    let of = |footprint: &Footprint| {
        let shared = footprint.accesses.iter().filter(|access| access.location.class != Class::Cancellation);
        shared.copied().collect::<Vec<_>>()
    };
    let (of_a, of_b) = (of(a), of(b));
    let foreseen = of_a.iter().all(|access| touches(wants, access.location.address, access.location.class));
    looks && foreseen && quiet(a) && quiet(b) && of_a == of_b && a.joins == b.joins
}

/// The class of what an operation is about to touch, and how it will.
fn class_of(kind: OpKind) -> Option<(Class, Manner)> {
    use OpKind::*;
    let writes = Manner::Known(Mode::Write);
    Some(match kind {
        Read | AtomicRead => (Class::Memory, Manner::Known(Mode::Read)),
        Write | AtomicWrite | Rmw | Free => (Class::Memory, writes),
        CasOk => (Class::Memory, Manner::Tries),
        Lock | TryLock => (Class::Lock, Manner::Tries),
        ReadLock | TryReadLock => (Class::Lock, Manner::TriesToShare),
        SemWait | SemTryWait => (Class::Semaphore, Manner::Tries),
        SemPost => (Class::Semaphore, Manner::Known(Mode::Share)),
        SemGet => (Class::Semaphore, Manner::Known(Mode::Read)),
        Wait | Signal | Broadcast => (Class::Condition, writes),
        BarrierArrive => (Class::Barrier, writes),
        OnceEnter => (Class::Once, Manner::Tries),
        File => (Class::File, writes),
        Random => (Class::Random, writes),
        _ => return None,
    })
}

fn manner(wants: Wants) -> Option<Manner> {
    class_of(wants.kind).map(|(_, manner)| manner)
}

fn touches(wants: Wants, address: u64, class: Class) -> bool {
    match class_of(wants.kind) {
        Some((Class::Memory, _)) if class == Class::Memory => {
            (wants.address & !7..wants.address + u64::from(wants.size)).contains(&address)
        }
        Some((wanted, _)) => wanted == class && wants.address == address,
        None => false,
    }
}

/// Whether what a thread wants to do is bound to depend on a step that was made, however it turns out.
fn conflicts(made: &Footprint, wants: Wants) -> bool {
    let Some((_, manner)) = class_of(wants.kind) else { return false };
    made.accesses.iter().any(|access| {
        let location = access.location;
        if !touches(wants, location.address, location.class) {
            return false;
        }
        let overlaps = location.class != Class::Memory || {
            let from = wants.address.max(location.address) - location.address;
            let to = (wants.address + u64::from(wants.size)).min(location.address + 8) - location.address;
            (from..to).any(|byte| access.bytes >> byte & 1 == 1)
        };
        overlaps
            && match (access.mode, manner) {
                (Mode::Write, _) | (Mode::Share, Manner::Tries) => true,
                (_, Manner::Tries | Manner::TriesToShare) => false,
                (made, Manner::Known(wanted)) => made.conflicts(wanted),
            }
    })
}

/// Whether two operations might depend on each other.
fn may_conflict(a: Wants, b: Wants) -> bool {
    let looks = |kind| matches!(kind, OpKind::Read | OpKind::AtomicRead);
    let end = |wants: Wants| wants.address + u64::from(wants.size.max(1));
    let (Some((class_a, _)), Some((class_b, _))) = (class_of(a.kind), class_of(b.kind)) else { return false };
    class_a == class_b && a.address < end(b) && b.address < end(a) && !(looks(a.kind) && looks(b.kind))
}
