//! The search: chooses an extension, makes its history happen, and goes on with steps that are not in the unfolding yet.

use crate::by_arcs;
use crate::deadlocks::{Answer, Deadlocks, Places};
use crate::events::{Arcs, Cut, NONE, PointId, Unfolding};
use crate::extensions::{Extension, Extensions};
use crate::run::{Made, Run};
use gordian_engine::{End, EngineError, Executor, Gathering, Observer, Outcome, Settings, Subject};
use gordian_solve::Budget;
use gordian_trace::{Choice, Exploration, OpKind, RaceMode, Stop, Test};

/// How to search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    pub arcs: Arcs,
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
    gathering: Gathering<'a>,
    /// What is left when the process ends counts.
    looks_at_ends: bool,
    /// Where threads stood in deadlocks that were executed.
    deadlocked: Vec<Places>,
    /// Histories in which the step could not be made.
    pub(crate) n_disabled: u64,
    /// Steps that turned out otherwise than expected, and were known.
    pub(crate) n_redundant: u64,
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
    let mut machine = subject.start(template, false)?;
    if template.machine.races == RaceMode::Report {
        machine.report_races_once();
    }
    let mut search = Search {
        machine,
        each,
        marks: Vec::new(),
        unfolding: Unfolding::new(options.arcs),
        extensions: Extensions::default(),
        run: Run::default(),
        gathering: Gathering::start(settings, observer),
        looks_at_ends: template.machine.leaks,
        deadlocked: Vec::new(),
        n_disabled: 0,
        n_redundant: 0,
    };
    let stop = search.explore();
    let strategy = by_arcs(options.arcs).to_owned();
    let guarantee = match stop {
        Stop::Exhausted => GUARANTEE.to_owned(),
        _ => String::new(),
    };
    let note = search.summary();
    search.gathering.note(note);
    let exploration = Exploration { strategy, guarantee };
    search.gathering.conclude(subject, template, stop, exploration)
}

const CANCELLED: &str = "a thread is cancelled, which this strategy does not explore in every order";

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
        }
    }

    /// Executes every deadlock that the events together make possible, one for each set of places where threads stand. Why the search
    /// ends with that; nothing if there is more to explore.
    fn find_deadlocks(&mut self) -> Option<Stop> {
        let Search { unfolding, extensions, deadlocked, .. } = self;
        let mut question = Deadlocks::new(unfolding, |event| extensions.is_left_out(unfolding, event));
        for places in deadlocked {
            question.exclude(unfolding, places);
        }
        loop {
            let n_events = self.unfolding.events.len();
            match question.next(&mut self.unfolding, &Budget::UNLIMITED) {
                Answer::None => return Some(Stop::Exhausted),
                Answer::Unknown => return Some(Stop::Interrupted),
                Answer::Stuck(cut) => {
                    let (places, positions) = (question.places(&self.unfolding), question.positions());
                    self.go_back_towards(&cut);
                    let mut forced = Vec::new();
                    self.reach(&cut, &mut forced);
                    if let Some(stop) = self.complete() {
                        return Some(stop);
                    }
                    if self.machine.is_stuck() {
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
                None => self.go_on(),
            }
            if let Some(stop) = self.gathering.must_stop() {
                return Some(stop);
            }
        }
        if !self.machine.findings().is_empty() {
            self.machine.choose_inputs();
        }
        let is_blind = self.is_ending_blind();
        self.extensions.end(&mut self.unfolding, &self.run, is_blind);
        if self.run.has_cancelled {
            return Some(Stop::Unsupported(CANCELLED.to_owned()));
        }
        (self.each)(&self.machine);
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
    fn news(&self) -> Option<Choice> {
        self.machine.choices().iter().copied().find(|&choice| self.run.is_news(&self.unfolding, choice))
    }

    /// All steps are known: goes to an extension that can be had in this execution, too, or makes any step.
    fn go_on(&mut self) {
        if let Some(extension) = self.extensions.find_compatible(&mut self.unfolding, &self.run) {
            let n_steps = self.run.len();
            self.make(&extension);
            if self.run.len() > n_steps {
                return;
            }
        }
        if self.machine.end().is_none() {
            self.step(self.machine.choices()[0]);
        }
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
        let mut history = event.past.to_vec();
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
        if is_branch && self.run.has_other_branches(&self.unfolding, &event.past) {
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
