//! How a race becomes a plan: which sequences must still be explored from a state, and which are covered already.

use super::trimming::SleepContext;
use super::wakeup::{Initial, weak_initial, weak_initial_of};
use super::{Dpor, Node, last_decided, sleep_at};
use crate::explain::explain;
use crate::happens_before::dependence::{Glance, Threads};
use crate::happens_before::transition::Coverage;
use crate::happens_before::{Footprints, Transition};
use gordian_trace::Choice;

/// A step that covers a sequence.
pub(super) struct Covering {
    pub label: Transition,
    pub initial: Initial,
    /// It covers whatever does not depend on it.
    pub is_firm: bool,
}

impl Dpor {
    /// Adds the sequence to what is to be explored from a state, unless that has been or will be. Gives the step that covers it,
    /// if one does so by itself.
    ///
    /// *Lemma 1 (sleep set).* Let `q` be in the sleep set of the state. All executions that begin with `q` were explored, up to equivalence. If `q` is a weak
    /// initial of the sequence `v`, some execution that begins with `v` is equivalent to one that begins with `q`: either `v` contains `q`, and `q` can be
    /// moved to its front; or `v` is independent of `q`, and `q` can come before it as long as it comes at all. The second case is
    /// what [`Dpor::is_firm`] is about.
    ///
    /// *Lemma 2 (tree).* A leaf of the wake-up tree stands for everything behind it, so it covers what it is a weak initial of by the same argument; see
    /// [`Forest::insert`](super::wakeup::Forest::insert).
    ///
    /// *Lemma 3 (variants).* A step that goes one way of several covers only sequences that contain it in that variant: in another variant its thread does
    /// something else. A sequence that wants a step in all its variants is covered if each of them is.
    ///
    /// *Lemma 5 (guesses).* Let a plan end with a guess `u`, and be left to a branch `b` that does not depend on `u`. This relies on the search behind
    /// `b`: if `u` and `b` prove to be dependent, that plans `u` before `b` again. Let that plan be covered by `q` in the sleep set, which does not depend on
    /// what `u` was seen to touch behind `b`. This relies on the search behind `q`, and so on the plan that was left to `b` if that came from there: a circle,
    /// in which nobody makes `u` first. It is impossible if the footprint of a guess has all that the step reads up to where it
    /// turns out otherwise. Let `u` read something else behind `q` than in the state itself from its read `i` on, and behind `b` from `j` on. If `j <= i`, what `u` was
    /// seen to touch behind `q` has the location of read `j`, which `b` writes, so the plan is not left to `b`. If `i < j`, what it
    /// was seen to touch behind `b` has the location of read `i`, which `q` writes, so `q` does not cover the plan. The same goes for chains of branches and of steps in the
    /// sleep set, by the first read that any of them changes. So a pending step names what it reads before its operation, too: the cancellation of its thread.
    ///
    /// *Lemma 6 (failures).* Let a step `e` end an execution by a failure, and race with `f`. What others would have done after `e` was not seen, so
    /// `notdep(f)` lacks it; and where they do it, in the searches in place of `e` (see [`Dpor::plan_before_the_end`]), `e` is in the sleep set and its race does
    /// not show. So Lemma 1 does not hold for this race: a step `q` that is independent of the sequence as far as it was seen may depend on what belongs
    /// to it. It covers the sequence only if that contains it. The sequence may then lead to where `q` sleeps and nothing is sure to wake it, so it is a guess, and the state behind
    /// it is loose. The same goes for what was left to `e` while it was a leaf of the wake-up tree, before it showed that it fails (Lemma 2): it is explored in the
    /// place of `e`, by races alone, so the state before `e` is loose. In all other races of the execution, `e` is left out of `notdep`: a sequence in which something comes after it cannot be made, and whatever
    /// does not contain it shows in the searches in its place.
    pub(super) fn plan(&mut self, depth: usize) -> Option<Covering> {
        if self.is_open(depth) {
            explain!("  no plan at depth {depth}: the state is open");
            return None;
        }
        self.plan_in_any_case(depth)
    }

    /// The same whether or not the state needs plans for races.
    pub(super) fn plan_in_any_case(&mut self, depth: usize) -> Option<Covering> {
        let threads = Threads::of(&self.sequence);
        let glance = Glance::of(&self.history.footprints, &self.sequence, threads);
        // What is in the sleep set of a loose state need not be woken by a plan: it may be later.
        let (is_trimmed, mut knows_inevitable) = (self.may_trim() && !self.nodes[depth].is_loose, false);
        let mut is_incomplete = false;
        for asleep in sleep_at(&self.nodes, &self.sleep_set, depth) {
            let footprints = &self.history.footprints;
            if glance.rules_out(asleep) {
                continue;
            }
            let Some(initial) = weak_initial_of(footprints, asleep, &self.sequence, threads) else { continue };
            if is_trimmed && !knows_inevitable {
                self.history.find_inevitable(depth, &mut self.sleep_context.inevitable);
                knows_inevitable = true;
            }
            let is_firm = self.is_firm(depth, is_trimmed, asleep);
            if initial == Initial::Independent && (!is_firm || self.reverses_failure) {
                is_incomplete |= is_firm;
                continue;
            }
            if !self.is_more_wanted(depth, asleep, initial) {
                explain!(
                    "  covered at depth {depth} by the sleep set: {}",
                    crate::explain::Steps(footprints, &[*asleep])
                );
                return Some(Covering { label: *asleep, initial, is_firm });
            }
            if self.covers_all_variants(depth, asleep) {
                explain!("  covered at depth {depth} by all variants of {}", asleep.thread);
                return None;
            }
        }
        if is_incomplete && let Some(last) = self.sequence.last_mut() {
            last.footprint = self.history.footprints.guess(last.footprint);
        }
        let made = self.label(depth);
        if self.is_in_prefix(depth) {
            if !self.is_covered_beside(depth) {
                let Dpor { nodes, sleep_set, history, sequence, sleep_context, prefix, .. } = self;
                history.find_inevitable(depth, &mut sleep_context.inevitable);
                sleep_context.set_asleep(sleep_at(nodes, sleep_set, depth), made);
                explain!(
                    "  to be planned by others at depth {depth}: {}",
                    crate::explain::Steps(&history.footprints, sequence)
                );
                prefix.note(depth, sequence, is_trimmed.then_some(&*sleep_context));
            }
            return None;
        }
        let under_way = self.under_way(depth);
        let Dpor { nodes, sleep_set, forest, history, sequence, sleep_context, .. } = self;
        let look = |sleep_context: &mut SleepContext| {
            if is_trimmed && !knows_inevitable {
                history.find_inevitable(depth, &mut sleep_context.inevitable);
            }
            sleep_context.set_asleep(sleep_at(nodes, sleep_set, depth), made);
            is_trimmed
        };
        let leaf = forest.insert(&history.footprints, under_way, sequence, threads, sleep_context, look);
        leaf.map(|(label, initial)| Covering { label, initial, is_firm: true })
    }

    /// Whether a step in the sleep set of a state covers all sequences that are independent of it, and not only those that contain it.
    ///
    /// *Lemma 4 (firm).* If it is woken before the plan that leads through the state ends, it does. What it covers is then left to executions that begin with
    /// it, and their races are reversed by plans that wake it. If it stays in the sleep set beyond the end of a plan, the search behind that is one of its
    /// own, whose traces all have something before the step that depends on it. Such a trace may begin with a sequence that is independent of
    /// the step, and no plan of those before it leads there, since the leaf is said to cover all of them. So the step covers what contains it, and nothing else.
    ///
    /// Steps stay in the sleep set beyond the end of a plan
    /// - if somebody is about to wake them (see `trimming`), or
    /// - if the plan may have been expected to wake them and did not: it ended with a guess or with a step that was planned because others ended executions,
    ///   which was taken to depend on everything (`Node::is_loose`).
    #[inline]
    fn is_firm(&self, depth: usize, is_trimmed: bool, asleep: &Transition) -> bool {
        let may_wake = || self.sleep_context.inevitable.may_wake(&self.history.footprints, asleep);
        !(self.nodes[depth].is_loose || is_trimmed && may_wake())
    }

    /// Whether the step made from the state of this depth was planned without knowing what it depends on. A guess counts even if it turned out right: beside
    /// other guesses, of steps that cut executions short, it is planned although those cover it.
    pub(super) fn was_uncertain(&self, depth: usize) -> bool {
        let planned = self.nodes[depth].planned;
        planned == Footprints::UNTRIED || self.history.footprints.is_uncertain(planned)
    }

    /// Whether the step that one of the sleep set stands for is wanted in all its variants, and that one is not all of them.
    #[inline]
    fn is_more_wanted(&self, depth: usize, asleep: &Transition, initial: Initial) -> bool {
        let Initial::At(position) = initial else { return false };
        self.sequence[position].variant.is_none() && !self.is_all_variants(depth, asleep)
    }

    /// Whether a step of the sleep set stands for all that its thread could do.
    #[inline]
    fn is_all_variants(&self, depth: usize, asleep: &Transition) -> bool {
        let free = self.history.free(depth);
        if free.says_all() {
            return !free.has(asleep.thread) || asleep.matches(Choice::of(asleep.thread));
        }
        let choices = self.history.choices(depth);
        let mut variants = choices.iter().filter(|choice| choice.thread == asleep.thread);
        variants.all(|choice| asleep.matches(*choice))
    }

    /// A step that is wanted in all its variants is covered only if all of them are in the sleep set, and each could come first.
    #[cold]
    fn covers_all_variants(&self, depth: usize, asleep: &Transition) -> bool {
        let (sleep, footprints) = (self.sleep(depth), &self.history.footprints);
        let choices = self.history.choices(depth);
        let mut variants = choices.iter().filter(|choice| choice.thread == asleep.thread);
        variants.all(|choice| {
            let mut asleep = sleep.iter().filter(|asleep| asleep.matches(*choice));
            asleep.any(|asleep| weak_initial(footprints, asleep, &self.sequence).is_some())
        })
    }

    /// An execution that a step cut short: whoever could have stepped before it must be given the chance, since
    /// nothing that they would have done was seen to race.
    pub(super) fn plan_before_the_end(&mut self) {
        let Some(depth) = last_decided(&self.history, self.nodes.len()) else { return };
        let under_way = self.under_way(depth);
        let has_failed = self.history.cut_short_at.is_some();
        self.forest.label_mut(under_way).coverage = if has_failed { Coverage::Ending } else { Coverage::Containing };
        self.nodes[depth].is_loose |= has_failed;
        self.prefix.changed = self.prefix.changed.min(depth);
        let ender = self.history.steps[depth].choice.thread;
        explain!(
            "the step of {ender} at depth {depth} cut the execution short: all others are given the chance in its place"
        );
        for choice in self.history.choices(depth) {
            if choice.thread != ender {
                self.add_unless_known(depth, choice, Footprints::UNTRIED);
            }
        }
    }

    /// An execution that was cut off, perhaps because a thread waits for another that never came to go on: each of those is
    /// given the chance, as soon as it could go on, once on every way.
    #[cold]
    pub(super) fn plan_for_starved(&mut self) {
        let Some(last) = self.nodes.len().checked_sub(1) else { return };
        for choice in self.history.choices(last) {
            let is_tried = |node: &Node| {
                node.planned == Footprints::UNTRIED && self.forest.label(node.todo).thread == choice.thread
            };
            if self.nodes.iter().any(is_tried) {
                continue;
            }
            let starves = |depth: &usize| {
                self.history.steps[*depth].choice.thread != choice.thread
                    && self.history.choices(*depth).contains(&choice)
            };
            if let Some(depth) = (0..=last).rev().take_while(starves).last() {
                self.add_unless_known(depth, choice, Footprints::UNTRIED);
            }
        }
    }
}
