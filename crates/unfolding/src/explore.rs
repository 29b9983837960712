//! The search: chooses an extension, makes its history happen, and goes on with steps that are not in the unfolding yet.

use crate::deadlocks::{Answer, Deadlocks, Goal, Places};
use crate::events::{Cut, NONE, PointId, Unfolding};
use crate::extensions::{Extension, Extensions};
use crate::learn::Prober;
use crate::model::Model;
use crate::places::Markings;
use crate::questions::{Answers, Questions, dot, shapes};
use crate::run::{LEFT_BY_MAIN, Made, Run, leaves_others};
use crate::tester::Tester;
use crate::workers::Jobs;
use crate::{Kind, name_of};
use gordian_base::{FxHashSet, Rng};
use gordian_engine::{End, EngineError, Executor, Gathering, Modes, Observer, Outcome, Settings, Subject};
use gordian_solve::{Budget, Supervision};
use gordian_trace::{Bound, Choice, Exploration, OpKind, RaceMode, Stop, Test};

/// How to search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    pub kind: Kind,
    /// Most steps of each thread.
    pub max_thread_steps: Option<u32>,
    /// Explores events in an order that is drawn with this seed. The set of events does not depend on it.
    pub shuffle: Option<u64>,
    pub jobs: Jobs,
}

pub(crate) struct Search<'a, E: Executor> {
    pub(crate) machine: E,
    /// Called with every execution that has come to its end.
    each: &'a mut dyn FnMut(&E),
    /// The way back to each step.
    pub(crate) marks: Vec<E::Mark>,
    pub(crate) unfolding: Unfolding,
    pub(crate) extensions: Extensions,
    pub(crate) run: Run,
    pub(crate) gathering: Gathering<'a>,
    /// What is left when the process ends counts.
    looks_at_ends: bool,
    /// Where threads stood in deadlocks that were executed.
    deadlocked: Vec<Places>,
    /// Histories in which the step could not be made.
    pub(crate) n_disabled: u64,
    /// Steps that turned out otherwise than expected, and were known.
    pub(crate) n_redundant: u64,
    /// Tests without a new event, and how many events there were after the last one.
    n_redundant_tests: u64,
    n_events_before: usize,
    rng: Option<Rng>,
}

/// Executes `subject` until every event of its unfolding was in some execution.
pub fn check<S: Subject>(
    subject: &S,
    template: &Test,
    options: Options,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Outcome, EngineError> {
    check_watching(subject, template, options, settings, observer, &mut |_| {})
}

/// As [`check`], and shows every execution at its end.
pub fn check_watching<'s, S: Subject>(
    subject: &'s S,
    template: &Test,
    options: Options,
    settings: &Settings,
    observer: &mut dyn Observer,
    each: &mut dyn FnMut(&S::Executor<'s>),
) -> Result<Outcome, EngineError> {
    let questions = Questions::default();
    Ok(check_asking(subject, template, options, questions, settings, observer, each)?.0)
}

/// As [`check_watching`], with questions that are asked at the end.
pub fn check_asking<'s, S: Subject>(
    subject: &'s S,
    template: &Test,
    options: Options,
    questions: Questions<'_>,
    settings: &Settings,
    observer: &mut dyn Observer,
    each: &mut dyn FnMut(&S::Executor<'s>),
) -> Result<(Outcome, Answers), EngineError> {
    let gathering = Gathering::start(settings, observer);
    let supervision = Supervision { stop: Some(gathering.interrupt()), ..Supervision::default() };
    let mut machine = subject.start_supervised(template, &supervision)?;
    if template.machine.races == RaceMode::Report {
        machine.report_races_once();
    }
    let looks_at_ends = template.machine.leaks;
    let Kind::Events(arcs) = options.kind else {
        let asked = (questions, template);
        let (stop, gathering, answers) = explore_model(machine, options, asked, gathering, looks_at_ends, each);
        let exploration = exploration(options.kind, &stop);
        let outcome = gathering.conclude(subject, template, stop, exploration)?;
        return Ok((within_bound(outcome, options), answers));
    };
    let mut search = Search {
        machine,
        each,
        marks: Vec::new(),
        unfolding: Unfolding::new(arcs),
        extensions: Extensions::within(options.max_thread_steps, options.jobs),
        run: Run::default(),
        gathering,
        looks_at_ends,
        deadlocked: Vec::new(),
        n_disabled: 0,
        n_redundant: 0,
        n_redundant_tests: 0,
        n_events_before: 0,
        rng: options.shuffle.map(Rng::new),
    };
    let mut stop = search.explore();
    let note = search.summary();
    search.gathering.note(note);
    if search.extensions.has_hit_bound {
        search.gathering.hit(Bound::Steps);
    }
    let mut answers = Answers::default();
    if stop == Stop::Exhausted && !questions.reach.is_empty() {
        match search.find_places(questions.reach, template) {
            Ok(reached) => answers.reached = reached,
            Err(why) => stop = why,
        }
    }
    answers.dot = questions.dot.map(|name| dot(&search.unfolding, name));
    if questions.events {
        answers.events = shapes(&search.unfolding);
    }
    answers.n_redundant_tests = search.n_redundant_tests;
    let exploration = exploration(options.kind, &stop);
    let outcome = search.gathering.conclude(subject, template, stop, exploration)?;
    Ok((within_bound(outcome, options), answers))
}

/// Says how far the search went if steps were left out. In an execution of K steps no thread makes more than K, so all of these were covered.
fn within_bound(mut outcome: Outcome, options: Options) -> Outcome {
    let summary = &mut outcome.summary;
    if let Some(most) = options.max_thread_steps.filter(|_| summary.bounds.hit.contains(&Bound::Steps)) {
        summary.bounds.max_steps = summary.bounds.max_steps.min(most.into());
        summary.notes.push(format!("longer executions were explored up to {most} steps of each thread"));
    }
    outcome
}

fn exploration(kind: Kind, stop: &Stop) -> Exploration {
    let guarantee = match (stop, kind) {
        (Stop::Exhausted, Kind::Events(_)) => GUARANTEE,
        (Stop::Exhausted, Kind::Prefix | Kind::Markings) => STATEFUL_GUARANTEE,
        _ => "",
    };
    Exploration { strategy: name_of(kind).to_owned(), guarantee: guarantee.to_owned() }
}

/// Explores a model that grows from executions.
fn explore_model<'a, E: Executor>(
    machine: E,
    options: Options,
    (questions, template): (Questions<'_>, &Test),
    gathering: Gathering<'a>,
    looks_at_ends: bool,
    each: &'a mut dyn FnMut(&E),
) -> (Stop, Gathering<'a>, Answers) {
    let mut model = Model::new();
    let prober = Prober::begin(machine, &mut model, looks_at_ends);
    let mut tester = Tester {
        prober,
        model,
        gathering,
        each,
        visited: Markings::default(),
        stuck: FxHashSet::default(),
        max_thread_steps: options.max_thread_steps,
        jobs: options.jobs,
        n_cut_off: 0,
        n_blocked: 0,
    };
    let mut answers = Answers::default();
    let (stop, seen) = match options.kind {
        Kind::Markings => {
            let stop = tester.explore_markings();
            (stop, format!("{} markings", tester.visited.len()))
        }
        Kind::Prefix | Kind::Events(_) => {
            let (mut stop, mut prefix) = tester.explore_prefix();
            if stop == Stop::Exhausted && !questions.reach.is_empty() {
                match tester.find_places(&mut prefix, questions.reach, template) {
                    Ok(reached) => answers.reached = reached,
                    Err(why) => stop = why,
                }
            }
            answers.dot = questions.dot.map(|name| dot(prefix.unfolding(), name));
            let (events, left) = (prefix.n_events(), prefix.n_left());
            let blocked = tester.n_blocked;
            (stop, format!("the prefix has {events} events; {left} extensions are left, {blocked} were not possible"))
        }
    };
    let (places, transitions) = (tester.model.locals.len(), tester.model.transitions.len());
    let cut_off = tester.n_cut_off;
    tester.gathering.note(format!(
        "{seen}, {cut_off} were cut off; the model has {transitions} transitions between {places} places of threads"
    ));
    (stop, tester.gathering, answers)
}

const STATEFUL_GUARANTEE: &str = "reaches every state of every thread, and every state in which nobody can go on";

const GUARANTEE: &str =
    "executes every event of the unfolding, and asks of all of them together whether threads can block each other";

impl<E: Executor> Search<'_, E> {
    fn summary(&self) -> String {
        let (events, left) = (self.unfolding.n_steps(), self.extensions.n_left(&self.unfolding));
        format!(
            "the unfolding has {events} events; {left} extensions are left, {} were not possible, {} were known",
            self.n_disabled, self.n_redundant
        )
    }

    fn explore(&mut self) -> Stop {
        let made = self.run.begin(&mut self.unfolding, &self.machine);
        self.extensions.take(&mut self.unfolding, &self.run, &made);
        let mut is_under_way = true;
        loop {
            if is_under_way && let Some(stop) = self.complete() {
                return stop;
            }
            if let Some(rng) = &mut self.rng {
                self.extensions.shuffle(rng);
            }
            let Some(extension) = self.extensions.pop(&self.unfolding) else {
                is_under_way = false;
                if self.extensions.take_unknown_endings(&mut self.unfolding) {
                    continue;
                }
                match self.find_deadlocks() {
                    Some(stop) => return stop,
                    None => continue,
                }
            };
            is_under_way = self.realize(&extension);
            self.extensions.forget_if_done(&self.unfolding, extension);
        }
    }

    /// Executes every deadlock that the events together make possible, one for each set of places where threads stand. Why the search
    /// ends with that; nothing if there is more to explore.
    fn find_deadlocks(&mut self) -> Option<Stop> {
        let Search { unfolding, extensions, deadlocked, .. } = self;
        let mut question = Deadlocks::new(unfolding, |event| extensions.is_left_out(unfolding, event), Goal::Stuck);
        for places in deadlocked {
            question.exclude(unfolding, places);
        }
        let budget = Budget { stop: Some(self.gathering.interrupt()), ..Budget::UNLIMITED };
        loop {
            let n_events = self.unfolding.events.len();
            match question.next(&self.unfolding, &budget) {
                Answer::None => return Some(Stop::Exhausted),
                Answer::Unknown => return Some(self.gathering.must_stop_now().unwrap_or(Stop::Interrupted)),
                Answer::Found(cut) => {
                    let (places, positions) = (question.places(&self.unfolding), question.positions());
                    self.go_back_towards(&cut);
                    // Where inputs do not allow it, the execution may end in another deadlock.
                    let is_shown = self.reach_until(&cut, E::is_stuck);
                    if let Some(stop) = self.complete() {
                        return Some(stop);
                    }
                    if is_shown {
                        question.exclude(&self.unfolding, &places);
                        self.deadlocked.push(places);
                    } else {
                        question.exclude_positions(&positions);
                    }
                    if self.unfolding.events.len() > n_events {
                        return None;
                    }
                }
            }
        }
    }

    /// Goes on to the end of the execution.
    fn complete(&mut self) -> Option<Stop> {
        while self.machine.end().is_none() {
            match self.news() {
                Some(choice) => {
                    self.step(choice);
                }
                None if self.go_on() => {}
                None => {
                    self.extensions.has_hit_bound = true;
                    break;
                }
            }
            if let Some(stop) = self.gathering.must_stop() {
                return Some(stop);
            }
        }
        // A step that was stopped on the way ends as if it took too many instructions.
        if self.machine.end() == Some(&End::Bound(Bound::Instructions))
            && let Some(stop) = self.gathering.must_stop_now()
        {
            return Some(stop);
        }
        if !self.machine.findings().is_empty() {
            self.machine.choose_inputs();
        }
        let is_blind = self.is_ending_blind();
        self.extensions.end(&mut self.unfolding, &self.run, is_blind);
        if let Some(why) = self.run.unsupported {
            return Some(Stop::Unsupported(why.to_owned()));
        }
        if self.looks_at_ends && leaves_others(self.machine.events()) {
            return Some(Stop::Unsupported(LEFT_BY_MAIN.to_owned()));
        }
        (self.each)(&self.machine);
        let n_events = self.unfolding.events.len();
        self.n_redundant_tests += u64::from(n_events == self.n_events_before);
        self.n_events_before = n_events;
        self.gathering.add(&mut self.machine);
        self.gathering.must_stop()
    }

    /// Whether main, left alone, came to the end of the process without a look at anything that others did.
    fn is_ending_blind(&self) -> bool {
        let asks = |event: &gordian_trace::Event| event.kind == OpKind::Join && event.other != 0;
        matches!(self.machine.end(), Some(End::Exit(_)))
            && self.machine.findings().is_empty()
            && !self.looks_at_ends
            && !self.machine.has_looked_alone()
            && !self.machine.events().iter().any(asks)
    }

    /// A step that is not known yet, if there is one.
    fn news(&mut self) -> Option<Choice> {
        let Some(mut rng) = self.rng.take() else {
            return self.allowed().find(|&choice| self.run.is_news(&self.unfolding, choice));
        };
        let news: Vec<Choice> = self.allowed().filter(|&choice| self.run.is_news(&self.unfolding, choice)).collect();
        let chosen = (!news.is_empty()).then(|| news[rng.below(news.len())]);
        self.rng = Some(rng);
        chosen
    }

    /// The choices within the bound on the steps of each thread.
    fn allowed(&self) -> impl Iterator<Item = Choice> {
        let is_beyond = |point| self.extensions.is_beyond_bound(&self.unfolding, point);
        let choices = self.machine.choices().iter().copied();
        choices.filter(move |choice| !self.run.point(choice.thread).is_some_and(is_beyond))
    }

    /// All steps are known: goes to an extension that can be had in this execution, too, or makes any step. Whether there is one.
    fn go_on(&mut self) -> bool {
        if let Some(extension) = self.extensions.find_compatible(&self.unfolding, &self.run) {
            let n_steps = self.run.len();
            self.make(&extension);
            if self.run.len() > n_steps {
                return true;
            }
        }
        if self.machine.end().is_some() {
            return true;
        }
        let next = self.allowed().next();
        next.map(|choice| self.step(choice)).is_some()
    }

    pub(crate) fn step(&mut self, choice: Choice) -> Made {
        let mark = self.machine.mark();
        self.marks.push(mark);
        let variants: Vec<Choice> =
            self.machine.choices().iter().copied().filter(|other| other.thread == choice.thread).collect();
        self.machine.watch_ending();
        let made = self.run.step(&mut self.unfolding, &mut self.machine, choice);
        self.extensions.take(&mut self.unfolding, &self.run, &made);
        let event = &self.unfolding.events[made.event];
        let (point, is_branch) = (event.point, event.is_branch);
        if variants.len() > 1 || is_branch {
            self.add_variants(&made, point, &variants, is_branch);
        }
        made
    }

    fn add_variants(&mut self, made: &Made, point: PointId, variants: &[Choice], is_branch: bool) {
        let event = &self.unfolding.events[made.event];
        let mut history = self.unfolding.past(made.event).to_vec();
        history[event.thread.0 as usize] = event.pred;
        while history.last() == Some(&NONE) {
            history.pop();
        }
        let history: Cut = history.into();
        for variant in variants {
            if self.unfolding.known(point, &history, variant.variant).is_none() {
                self.extensions.add_variant(point, &history, variant.variant);
            }
        }
        if is_branch && self.run.has_other_branches(&self.unfolding, self.unfolding.past(made.event)) {
            self.extensions.add_look(point, &history);
        }
    }

    /// Makes the history of an extension happen, and its step. Whether that came to something new.
    fn realize(&mut self, extension: &Extension) -> bool {
        if extension.is_done(&self.unfolding) {
            return false;
        }
        self.go_back_towards(&extension.history);
        self.make(extension)
    }
}
