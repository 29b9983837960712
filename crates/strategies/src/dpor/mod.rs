//! Optimal dynamic partial order reduction: Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A Foundation for
//! Optimal Dynamic Partial Order Reduction", J. ACM 2017 (algorithm with wake-up trees), after Flanagan and Godefroid,
//! POPL 2005, and the sleep sets of Godefroid.
//!
//! **Guarantee:** one execution for each Mazurkiewicz trace, that is for each way in which dependent steps can be
//! ordered; when it is done and no bound was hit, every behaviour of the program was executed.
//!
//! **Deviations**
//! - Locks, semaphores and read-write locks block: an acquisition races with the latest operation before which it
//!   would not have been blocked (the previous acquisition, not the release), and threads that are blocked for ever
//!   at the end of an execution take part with the operation that they wait to make.
//! - Steps with several variants (which waiter a signal wakes) are explored in all of them.
//! - Plans are brief, and where it is sure that who is asleep will be woken there are none: see `brevity.rs`.
//! - If asked to, it explores threads that the program cannot tell apart in one order only: see `symmetry.rs`.
//! - What an atomic section touches may depend on when it comes, and so does what an exchange does that inputs decide about.
//!   Planned for another time it is a guess, and what was left to it on this account is looked at again when it has been made. A
//!   plan that turns out to lead to a step that is asleep is in vain: it is given up there.
//!
//! Where several unordered steps could each let a waiting thread go on, where a guess was wrong, and where a step that fails ends executions, some are begun in vain: they
//! come to where everybody who could go on is asleep.
//! Its memory grows with the depth of the executions and the wake-up trees along one of them, which are small: see `brevity.rs`.

mod about_to;
mod absorbing;
mod brevity;
mod choosing;
mod delivery;
mod dependence;
mod footprint;
mod history;
mod joins;
mod objection;
mod observers;
mod outlook;
mod parsimony;
mod parts;
mod piece;
mod plain;
mod reversal;
mod saved;
mod settled;
mod split;
mod states;
mod symmetry;
mod team;
mod touch;
mod tree;
mod wakeup;
mod way;
mod worker;

use brevity::Surroundings;
use dependence::{Glance, Threads};
use footprint::FootprintId;
pub(crate) use footprint::{Access, Class, Footprints, Label};
pub use footprint::{Effect, Location, Mode};
use gordian_base::Rng;
use gordian_engine::{Coast, End, Ended, Habits, Hold, Next, Point, Strategy};
use gordian_trace::{Bound, Choice, Exploration, Wants};
use history::NONE;
pub(crate) use history::{History, Race, Second, Step};
pub use objection::tells_threads_apart;
use outlook::Outlook;
pub use parts::Order;
use settled::Settled;
use split::Keeper;
use symmetry::Symmetry;
pub use team::DporTeam;
pub(crate) use touch::{About, Touch, Touches};
pub(crate) use wakeup::weak_initial;
use wakeup::{BranchId, Forest, Initial, weak_initial_of};
use way::{Note, Way};

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
    /// Since which depth the steps up to the one under way are those of one reversal, if it was the last of it.
    since: u32,
    /// What the step under way was about to do.
    wants: Option<Wants>,
    outlook: Outlook,
}

impl Default for Node {
    fn default() -> Self {
        Node {
            sleep: 0,
            todo: BranchId::NONE,
            n_done: 0,
            planned: Footprints::UNKNOWN,
            since: NONE,
            wants: None,
            outlook: Outlook::Unknown,
        }
    }
}

/// A step that a planned sequence could begin with, so that what follows it covers the sequence.
struct Covering {
    label: Label,
    initial: Initial,
    /// It covers whatever does not depend on it.
    is_firm: bool,
}

#[derive(Default)]
pub struct Dpor {
    nodes: Vec<Node>,
    /// The sleep sets of all nodes, one after the other.
    sleepers: Vec<Label>,
    forest: Forest,
    history: History,
    /// The sequence that is being planned.
    sequence: Vec<Label>,
    settled: Settled,
    /// What was last found out about a state.
    surroundings: Surroundings,
    unsure: Vec<Label>,
    /// Where nothing is planned, go on with any thread instead of the cheapest.
    shuffle: Option<Rng>,
    /// The way to the part of the search that is explored here, if that is not all of it.
    way: Way,
    /// Explores symmetric threads in one order only.
    symmetry: Option<Box<Symmetry>>,
    /// Explores a part of a search that was split.
    keeper: Option<Box<Keeper>>,
    /// The execution goes on from the step that was last chosen without asking, and keeps these orders.
    coasts: bool,
    holds: Vec<Hold>,
    /// The present execution does what was done before.
    is_vain: bool,
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
    fn sleep(&self, depth: usize) -> &[Label] {
        sleep_at(&self.nodes, &self.sleepers, depth)
    }

    /// The step that was made, or is to be made, from the state of this depth.
    #[inline]
    fn label(&self, depth: usize) -> Label {
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

    /// Adds the sequence to what is to be explored from a node, unless that has been or will be. Gives the step that covers it,
    /// if one does so by itself.
    fn plan(&mut self, depth: usize, since: u32) -> Option<Covering> {
        if self.is_open(depth) { None } else { self.plan_in_any_case(depth, since) }
    }

    /// The same whether or not the state needs plans for races.
    fn plan_in_any_case(&mut self, depth: usize, since: u32) -> Option<Covering> {
        let threads = Threads::of(&self.sequence);
        let glance = Glance::of(&self.history.footprints, &self.sequence, threads);
        let (is_brief, mut has_wakers) = (self.is_brief(), false);
        for asleep in sleep_at(&self.nodes, &self.sleepers, depth) {
            let footprints = &self.history.footprints;
            if glance.rules_out(asleep) {
                continue;
            }
            let Some(initial) = weak_initial_of(footprints, asleep, &self.sequence, threads) else { continue };
            if is_brief && !has_wakers {
                self.history.find_wakers(depth, &mut self.surroundings.wakers);
                has_wakers = true;
            }
            let is_firm = !is_brief || !self.surroundings.wakers.may_wake(footprints, asleep);
            if initial == Initial::Apart && !is_firm {
                continue;
            }
            if !self.is_more_wanted(depth, asleep, initial) {
                return Some(Covering { label: *asleep, initial, is_firm });
            }
            if self.covers_all_variants(depth, asleep) {
                return None;
            }
        }
        let made = self.label(depth);
        if self.is_on_the_way(depth) {
            if !self.is_covered_beside(depth) {
                let Dpor { nodes, sleepers, history, sequence, surroundings, way, .. } = self;
                history.find_wakers(depth, &mut surroundings.wakers);
                surroundings.set_asleep(sleep_at(nodes, sleepers, depth), made);
                way.note(depth, sequence, is_brief.then_some(&*surroundings));
            }
            return None;
        }
        let under_way = self.under_way(depth);
        let Dpor { nodes, sleepers, forest, history, sequence, surroundings, .. } = self;
        let look = |surroundings: &mut Surroundings| {
            if is_brief && !has_wakers {
                history.find_wakers(depth, &mut surroundings.wakers);
            }
            surroundings.set_asleep(sleep_at(nodes, sleepers, depth), made);
            is_brief
        };
        let leaf = forest.insert(&history.footprints, under_way, sequence, threads, since, surroundings, look);
        leaf.map(|(label, initial)| Covering { label, initial, is_firm: true })
    }

    /// Whether the step that the one asleep stands for is wanted in all its variants, and that one is not all of them.
    #[inline]
    fn is_more_wanted(&self, depth: usize, asleep: &Label, initial: Initial) -> bool {
        let Initial::At(position) = initial else { return false };
        self.sequence[position].variant.is_none() && !self.is_all_variants(depth, asleep)
    }

    /// Whether the step that is asleep stands for all that its thread could do.
    #[inline]
    fn is_all_variants(&self, depth: usize, asleep: &Label) -> bool {
        let free = self.history.free(depth);
        if free.says_all() {
            return !free.has(asleep.thread) || asleep.matches(Choice::of(asleep.thread));
        }
        let choices = self.history.choices(depth);
        let mut variants = choices.iter().filter(|choice| choice.thread == asleep.thread);
        variants.all(|choice| asleep.matches(*choice))
    }

    /// A step that is wanted in all its variants is covered only if all of them are asleep, and each could come first.
    #[cold]
    fn covers_all_variants(&self, depth: usize, asleep: &Label) -> bool {
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
    fn plan_before_the_end(&mut self) {
        let Some(mut depth) = self.nodes.len().checked_sub(1) else { return };
        // Nobody can step before inputs decide: what they decide belongs to the step that led there.
        while depth > 0 && self.history.steps[depth].decides {
            depth -= 1;
        }
        let under_way = self.under_way(depth);
        self.forest.label_mut(under_way).is_apart = true;
        self.way.changed = self.way.changed.min(depth);
        let ender = self.history.steps[depth].choice.thread;
        for choice in self.history.choices(depth) {
            if choice.thread != ender {
                self.add_unless_known(depth, choice, Footprints::UNTRIED);
            }
        }
    }

    /// An execution that was cut off, perhaps because a thread waits for another that never came to go on: each of those is
    /// given the chance, as soon as it could go on, once on every way.
    #[cold]
    fn plan_for_starved(&mut self) {
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

    fn analyse(&mut self, ended: &Ended<'_>) {
        if self.is_vain {
            return;
        }
        self.history.find_pending(ended);
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
                self.plan(race.first as usize, NONE);
            }
            self.history.races.truncate(found);
        }
        let cut_short = is_cut_short(ended, &self.history);
        // Those of steps that were made in executions before as well: what others do after a race is a part of what is
        // planned, and may depend on a step that is asleep, or planned already, and covered the sequence without that.
        self.settle_races();
        if cut_short {
            self.plan_before_the_end();
        }
        if let Some(End::Bound(Bound::Steps | Bound::Instructions)) = ended.end {
            self.plan_for_starved();
        }
    }
}

/// The steps that are asleep in the state of this depth.
#[inline]
fn sleep_at<'a>(nodes: &[Node], sleepers: &'a [Label], depth: usize) -> &'a [Label] {
    let end = nodes.get(depth + 1).map_or(sleepers.len(), |next| next.sleep as usize);
    &sleepers[nodes[depth].sleep as usize..end]
}

/// Whether a step ended the execution although others could have gone on.
pub(crate) fn is_cut_short(ended: &Ended<'_>, history: &History) -> bool {
    match ended.end {
        Some(End::Exit(_)) => {
            history.steps.last().is_some_and(|step| history.footprints.get(step.label.footprint).ends_process)
        }
        Some(End::Failed) => has_failed(ended),
        Some(End::Dropped) => true,
        None | Some(End::Bound(_) | End::Unsupported(_)) => false,
    }
}

/// Whether the last step has failed.
pub(crate) fn has_failed(ended: &Ended<'_>) -> bool {
    matches!(ended.end, Some(End::Failed)) && !ended.stuck
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
            self.absorb(point.schedule, point.events, point.passed);
            if self.is_vain {
                return None;
            }
            self.arrive(point);
        }
        self.coasts = false;
        if self.nodes[point.depth].todo.is_none() {
            let Some(choice) = self.pick(point) else {
                self.is_split_off = self.history.choices(point.depth).len() < point.choices.len();
                return None;
            };
            let is_apart = self.history.is_apart(choice.thread, point.depth as u32);
            let Choice { thread, variant } = choice;
            let label = Label { thread, variant: Some(variant), is_apart, footprint: Footprints::UNKNOWN };
            let node = &mut self.nodes[point.depth];
            (node.todo, node.wants) = (self.forest.add(label), point.wants(thread));
            if is_apart {
                self.add_variants(point, label);
            } else {
                self.coasts = self.may_coast(point);
            }
            return self.index_of(point, choice);
        }
        self.follow(point)
    }

    #[inline]
    fn coast(&mut self) -> Option<Coast<'_>> {
        if !self.coasts {
            return None;
        }
        let made = self.forest.label(self.nodes.last()?.todo).thread;
        self.holds.clear();
        self.holds.extend(self.keeper.iter().flat_map(|keeper| keeper.holds(&self.history)));
        let mut coast = Coast { holds: &mut self.holds };
        // The history does not have it yet.
        coast.made(made);
        Some(coast)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.absorb_end(ended);
        self.analyse(ended);
        (self.is_vain, self.is_split_off) = (false, false);
        if let Some(why) = self.objection(ended) {
            // What was left out for the sake of symmetry must be made up for.
            *self = Dpor { shuffle: self.shuffle.take(), ..Dpor::default() }.with_symmetry(Some(why));
            return Next::Anew;
        }
        while self.nodes.len() > self.way.len {
            let node = self.nodes.last_mut().expect("there are nodes behind the way");
            if self.forest.is_last(node.todo) {
                self.forest.free(node.todo);
                node.todo = BranchId::NONE;
            }
            if !node.todo.is_none() {
                self.sleepers.push(*self.forest.label(node.todo));
                self.forest.make_up(&self.history.footprints, node.todo);
                node.todo = self.forest.remove(node.todo);
                node.n_done += 1;
                node.outlook = Outlook::Unknown;
            }
            if !node.todo.is_none() {
                let depth = self.nodes.len() - 1;
                self.history.truncate(depth);
                self.settled.keep(depth);
                if let Some(symmetry) = &mut self.symmetry {
                    symmetry.truncate(depth);
                }
                self.way.known = self.way.known.min(depth);
                return Next::Backtrack(depth);
            }
            self.sleepers.truncate(node.sleep as usize);
            self.nodes.pop();
        }
        Next::Done
    }

    fn notes(&self) -> Vec<String> {
        self.symmetry.iter().map(|symmetry| symmetry.note()).collect()
    }

    fn habits(&self) -> Habits {
        Habits::REDUCTION
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
