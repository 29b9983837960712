//! Symmetric threads in one order: threads that one thread created in a row, with the same start function and the same
//! argument, can change their names in every execution.
//!
//! **The rule.** The threads of a group stand in the order of their creation. As long as all steps of a thread only
//! looked, and each was like the step of the same number of the thread before it (the same accesses, and nothing in
//! between that either depends on), the thread is *tied* to that one: it waits with its next step until the other has
//! made its own.
//!
//! **Why no orbit is lost.** While a thread T is tied to S, and both have made as many steps, exchanging their names
//! gives an equivalent execution, so it leads to the same state. What T could do from there, S can do as well with all
//! that follows, under exchanged names. So every execution is, step by step, one that keeps to the rule, up to names.
//!
//! **Why those are found.** A step that has to wait for another is nothing new: the rule is one more way in which a step makes
//! another possible. Whether a thread is tied is settled by what happens before its next step. The search is that of a
//! program whose threads wait for each other in this way, with the order between the two steps as a dependence; so it
//! makes one execution for each of that program's traces, which are those traces of the real one that keep to the rule.
//!
//! Where threads part after steps that are not ordered, more than one execution of an orbit is left. After Ip and
//! Dill, "Better Verification Through Symmetry", FMSD 1996; for traces, Kokologiannakis, Marmanis and Vafeiadis, "SPORE:
//! Combining Symmetry and Partial Order Reduction", PLDI 2024. What the program can see of the names of threads is
//! asked for beforehand and watched in each execution: see `objection.rs`.

use super::Dpor;
use crate::happens_before::footprint::Footprint;
use crate::happens_before::history::History;
use crate::happens_before::location::{Access, Class, Mode};
use crate::happens_before::tie::Tie;
use crate::happens_before::transition::Transition;
use gordian_base::{Id, ThreadId};
use gordian_engine::{Ended, Point};
use gordian_trace::{Choice, Event, OpKind, Wants};

/// What the threads of a group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    creator: ThreadId,
    start: u64,
    argument: u64,
    /// Events of the creator before, other than creations.
    time: u32,
}

#[derive(Clone, Copy, Debug)]
struct Birth {
    /// Steps made by then.
    steps: u32,
    thread: ThreadId,
    kind: Kind,
    /// The thread of its group that was created before it.
    before: Option<ThreadId>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug)]
struct Own {
    step: u32,
    wants: Option<Wants>,
    /// It and all before it only looked.
    looks: bool,
    /// The thread is still tied after it.
    tied: bool,
}

/// The name of a step that others may wait for.
fn name(thread: ThreadId, nth: usize) -> u64 {
    u64::from(thread.0) << 32 | nth as u64
}

#[derive(Default)]
pub struct Symmetry {
    births: Vec<Birth>,
    /// By thread, its steps.
    steps_of: Vec<Vec<Own>>,
    /// For each state, the events that were looked at for births.
    n_events: Vec<u32>,
    /// Two threads that are tied want different things.
    pub contradiction: Option<(ThreadId, ThreadId)>,
    /// Why threads are not symmetric after all.
    pub refusal: Option<String>,
    /// The most threads in groups, and groups, of an execution.
    most: (usize, usize),
    /// Threads would be a group if their creator did nothing in between.
    is_interrupted: bool,
}

impl Symmetry {
    pub fn new(refusal: Option<String>) -> Symmetry {
        Symmetry { refusal, ..Symmetry::default() }
    }

    /// The first state of an execution.
    pub fn start(&mut self, events: &[Event]) {
        if self.n_events.is_empty() {
            self.look_for_births(events, 0, 0);
        }
    }

    fn look_for_births(&mut self, events: &[Event], from: usize, steps: u32) {
        let n_births = self.births.len();
        let created = |(_, event): &(usize, &Event)| event.kind == OpKind::Create;
        for (position, event) in events.iter().enumerate().skip(from).filter(created) {
            let creator = event.thread;
            let own = events[..position].iter().filter(|other| other.thread == creator && other.kind != OpKind::Create);
            let kind = Kind { creator, start: event.other, argument: event.value, time: own.count() as u32 };
            let before = self.births.iter().rev().find(|birth| birth.kind == kind).map(|birth| birth.thread);
            let parted = |birth: &Birth| Kind { time: kind.time, ..birth.kind } == kind && birth.kind != kind;
            self.is_interrupted |= self.births.iter().any(parted);
            self.births.push(Birth { steps, thread: ThreadId(event.address as u32), kind, before });
        }
        self.n_events.push(events.len() as u32);
        if self.births.len() > n_births {
            let members = self.births.iter().filter(|birth| self.is_member(birth.thread)).count();
            self.most = self.most.max((members, self.groups().count()));
        }
    }

    fn before(&self, thread: ThreadId) -> Option<ThreadId> {
        self.births.iter().find(|birth| birth.thread == thread)?.before
    }

    fn is_followed(&self, thread: ThreadId) -> bool {
        self.births.iter().any(|birth| birth.before == Some(thread))
    }

    fn is_member(&self, thread: ThreadId) -> bool {
        self.before(thread).is_some() || self.is_followed(thread)
    }

    /// The groups, each by its threads in order.
    pub fn groups(&self) -> impl Iterator<Item = Vec<ThreadId>> {
        let firsts = self.births.iter().filter(|birth| birth.before.is_none() && self.is_followed(birth.thread));
        firsts.map(|first| {
            let group = self.births.iter().filter(|birth| birth.kind == first.kind);
            group.map(|birth| birth.thread).collect()
        })
    }

    fn steps(&self, thread: ThreadId) -> &[Own] {
        self.steps_of.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// The thread that this one must not overtake.
    fn tied_to(&self, thread: ThreadId) -> Option<ThreadId> {
        let tied = self.steps(thread).last().is_none_or(|last| last.tied);
        self.before(thread).filter(|_| tied)
    }

    /// Whether a thread has to wait until one like it has gone on; `wants` tells what threads want.
    pub fn holds_back(&self, thread: ThreadId, wants: &dyn Fn(ThreadId) -> Option<Wants>) -> bool {
        self.refusal.is_none()
            && self
                .tied_to(thread)
                .is_some_and(|before| self.steps(before).len() <= self.steps(thread).len() && wants(before).is_some())
    }

    /// What orders the next step of a thread.
    pub fn tie(&self, thread: ThreadId) -> Tie {
        if self.refusal.is_some() {
            return Tie::default();
        }
        let own = self.steps(thread);
        let is_awaited = own.last().is_none_or(|last| last.looks) && self.is_followed(thread);
        let after = self.tied_to(thread).and_then(|before| {
            let other = self.steps(before).get(own.len())?;
            Some((name(before, own.len()), other.step))
        });
        Tie { name: is_awaited.then(|| name(thread, own.len())), after }
    }

    /// Takes in the newest step of `history`, and what was created in it.
    pub fn push(&mut self, history: &History, events: &[Event], wants: Option<Wants>) {
        let step = history.len() as u32 - 1;
        let label = history.steps[step as usize].label;
        let thread = label.thread;
        let own = self.steps(thread);
        let looks = own.last().is_none_or(|last| last.looks) && only_looks(history.footprints.get(label.footprint));
        let mut tied = false;
        if let Some(before) = self.tied_to(thread) {
            let other = self.steps(before).get(own.len());
            tied = looks && other.is_some_and(|other| are_alike(history, other.step, step));
            if other.is_none_or(|other| !want_the_same(other.wants, wants)) {
                self.contradiction = Some((before, thread));
            }
        }
        if self.steps_of.len() <= thread.index() {
            self.steps_of.resize(thread.index() + 1, Vec::new());
        }
        self.steps_of[thread.index()].push(Own { step, wants, looks, tied });
        let from = self.n_events.last().copied().unwrap_or(0);
        self.look_for_births(events, from as usize, step + 1);
    }

    /// The search goes back until `len` steps are left.
    pub fn truncate(&mut self, len: usize) {
        self.n_events.truncate(len + 1);
        for steps in &mut self.steps_of {
            while steps.last().is_some_and(|own| own.step as usize >= len) {
                steps.pop();
            }
        }
        self.births.retain(|birth| birth.steps as usize <= len);
    }

    /// Two threads that are tied at the end of an execution and want different things: they had the same history, so they
    /// have seen something that no step shows.
    pub fn contradiction(&self, wants: &dyn Fn(ThreadId) -> Option<Wants>) -> Option<(ThreadId, ThreadId)> {
        let of_tied = self.births.iter().filter_map(|birth| Some((self.tied_to(birth.thread)?, birth.thread)));
        self.contradiction.or_else(|| {
            of_tied.into_iter().find(|&(before, thread)| {
                let theirs = match self.steps(before).get(self.steps(thread).len()) {
                    Some(own) => own.wants,
                    None => wants(before),
                };
                !want_the_same(theirs, wants(thread))
            })
        })
    }

    pub fn is_used(&self) -> bool {
        self.refusal.is_none() && self.most.0 > 0
    }

    /// What to say of it in the report.
    pub fn note(&self) -> String {
        let (threads, groups) = self.most;
        let groups = if groups == 1 { "1 group".to_owned() } else { format!("{groups} groups") };
        match (&self.refusal, threads) {
            (Some(why), _) => format!("symmetry not used: {why}"),
            (None, 0) if self.is_interrupted => {
                "symmetry not used: between the creations of threads with the same start function and argument their \
                 creator does something that others can see, as keeping their handles in a global variable"
                    .to_owned()
            }
            (None, 0) => "symmetry: no threads with the same start function and argument".to_owned(),
            (None, _) => format!("symmetry: {threads} threads in {groups}, explored in one order of each group"),
        }
    }
}

impl Dpor {
    /// Explores threads that the program cannot tell apart in one order only. `refusal` says why it cannot be done for
    /// this program, if that is known beforehand.
    pub fn with_symmetry(mut self, refusal: Option<String>) -> Dpor {
        self.symmetry = Some(Box::new(Symmetry::new(refusal)));
        self
    }

    /// What orders the next step of a thread with those of threads like it.
    pub(super) fn tie(&self, thread: ThreadId) -> Tie {
        self.symmetry.as_ref().map_or(Tie::default(), |symmetry| symmetry.tie(thread))
    }

    /// Whether a thread that could go on has to wait for one like it, or for one that a split says.
    pub(super) fn holds_back(&self, thread: ThreadId, wants: &dyn Fn(ThreadId) -> Option<Wants>) -> bool {
        let is_second = self.symmetry.as_ref().is_some_and(|symmetry| symmetry.holds_back(thread, wants));
        is_second || self.held_back().any(|held| held == thread)
    }

    /// What can be chosen: by those who do not have to wait.
    pub(super) fn free(&self, point: &Point<'_>) -> Vec<Choice> {
        let wants = |thread| point.wants(thread);
        point.choices.iter().copied().filter(|choice| !self.holds_back(choice.thread, &wants)).collect()
    }

    /// Why threads are not symmetric after all, if the execution shows it.
    pub(super) fn objection(&self, ended: &Ended<'_>) -> Option<String> {
        let symmetry = self.symmetry.as_ref().filter(|symmetry| symmetry.refusal.is_none())?;
        symmetry.objection(ended.events, &|thread| ended.wants(thread))
    }
}

fn want_the_same(a: Option<Wants>, b: Option<Wants>) -> bool {
    let what = |wants: Wants| (wants.kind, wants.size, wants.address);
    a.map(what) == b.map(what)
}

/// What a step touches that other threads can see.
fn touched(footprint: &Footprint) -> impl Iterator<Item = &Access> {
    footprint.accesses.iter().filter(|access| access.location.class != Class::Tie)
}

/// Whether a step commutes with one like it, and does nothing to other threads.
fn only_looks(footprint: &Footprint) -> bool {
    let Footprint { effects, ends_process, unknown, .. } = footprint;
    let writes = touched(footprint).any(|access| access.mode == Mode::Write);
    !writes && effects.is_empty() && !ends_process && !unknown
}

/// Whether two steps, of which the second only looks, came to the same: the same was there for both.
fn are_alike(history: &History, first: u32, second: u32) -> bool {
    let label = |step: u32| history.steps[step as usize].label;
    let (a, b) = (history.footprints.get(label(first).footprint), history.footprints.get(label(second).footprint));
    let undisturbed =
        |other: &Transition| other.thread == label(second).thread || !history.footprints.depends(other, &label(second));
    touched(a).eq(touched(b))
        && label(first).variant == label(second).variant
        && a.joins == b.joins
        && history.steps[first as usize + 1..second as usize].iter().all(|step| undisturbed(&step.label))
}
