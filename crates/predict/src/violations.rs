//! Whether regions can be violated, and what comes of it.

use crate::atomicity::{self, Pattern, Violation};
use crate::chains::{CausalSteps, chains};
use crate::line::Atom;
use crate::own::{Harm, Predictor, shown};
use crate::patterns::{Accesses, violations};
use crate::regions::{Region, declared, declared_in_source, regions as inferred, source_line};
use crate::reorder::{Answer, Reorderer, Reordering};
use crate::replay::replay;
use crate::run::Run;
use crate::wakes::with_wakes;
use gordian_base::FxHashSet;
use gordian_engine::{EngineError, Found};
use gordian_trace::{CheckSummary, Finding, FindingKind, Place, RegionFate, RegionSummary, Stop, Test};

/// Patterns of one violation that are asked about in its first question.
const FIRST_PATTERNS: usize = 8;

/// What became of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Dropped,
    Proved,
    Unviolated,
    Violated,
    Undecided,
}

impl Fate {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Fate::Dropped => ("dropped", "the run itself violates it"),
            Fate::Proved => ("proved", "it lies within an independent transaction"),
            Fate::Unviolated => ("unviolated", "no reordering with the same decisions violates it"),
            Fate::Violated => ("violated", "a reordering violates it"),
            Fate::Undecided => ("undecided", "not all questions about it were answered"),
        }
    }
}

/// By region: what became of it, as far as that is known.
struct Fates {
    of: Vec<Option<Fate>>,
    /// By region: whether causal atomicity alone shows that it is violated.
    is_interrupted: Vec<bool>,
    /// Pairs of regions neither of which comes first, in both orders.
    mutual: FxHashSet<(usize, usize)>,
}

impl Fates {
    /// What the run itself violates was hardly meant to be atomic, unless somebody says so.
    fn new(run: &Run, regions: &[Region], transactions: &[u32]) -> Self {
        let is_dropped = |region: &Region| !region.is_declared && atomicity::is_violated_by_run(run, region);
        let mut of: Vec<Option<Fate>> =
            regions.iter().map(|region| is_dropped(region).then_some(Fate::Dropped)).collect();
        let is_one = |accesses: &[u32]| {
            accesses.windows(2).all(|pair| transactions[pair[0] as usize] == transactions[pair[1] as usize])
        };
        for (region, fate) in regions.iter().zip(&mut of).filter(|(_, fate)| fate.is_none()) {
            if region.instances.iter().all(|instance| is_one(&instance.accesses)) {
                *fate = Some(Fate::Proved);
            }
        }
        Fates { is_interrupted: vec![false; of.len()], of, mutual: FxHashSet::default() }
    }

    fn drop_mutual(&mut self, run: &Run, regions: &[Region], violations: &[Violation]) {
        for violation in violations.iter().filter(|violation| atomicity::is_mutual_in_run(run, violation)) {
            if !regions[violation.region].is_declared {
                self.of[violation.region] = Some(Fate::Dropped);
            }
        }
    }

    fn violate(&mut self, violation: &Violation) {
        self.of[violation.region] = Some(Fate::Violated);
        self.is_interrupted[violation.region] |= !violation.is_mutual;
        if let Some(other) = violation.other {
            self.of[other] = Some(Fate::Violated);
            self.mutual.extend([(violation.region, other), (other, violation.region)]);
        }
    }

    /// Whether causal atomicity of one of two regions shows already what is asked about both, or another pair of accesses did.
    fn is_explained(&self, violation: &Violation) -> bool {
        let is_interrupted = |region: usize| self.is_interrupted[region];
        is_interrupted(violation.region)
            || violation
                .other
                .is_some_and(|other| is_interrupted(other) || self.mutual.contains(&(violation.region, other)))
    }

    fn is_open(&self, region: usize) -> bool {
        !matches!(self.of[region], Some(Fate::Dropped | Fate::Proved))
    }
}

impl Predictor<'_, '_> {
    /// Regions that another thread can interrupt.
    pub(crate) fn atomicity(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let mut regions = declared(self.program, self.observed, &self.options.declared);
        regions.extend(declared_in_source(self.observed));
        regions.extend(inferred(self.program, self.observed, self.options.lines));
        let accesses = Accesses::new(run, self.options.steps.locks);
        let mut fates = Fates::new(run, &regions, &self.transactions);
        let violations = violations(run, &regions, &accesses, |region| fates.is_open(region));
        fates.drop_mutual(run, &regions, &violations);
        let mut checks = ["causal atomicity", "causal mutual atomicity", "causal atomicity by several threads"]
            .map(|what| CheckSummary { what: what.to_owned(), ..CheckSummary::default() });
        let mut stop = None;
        for violation in &violations {
            stop = self.gathering.must_stop_now();
            if stop.is_some() {
                break;
            }
            let is_known = violation.is_mutual && fates.is_explained(violation);
            if !fates.is_open(violation.region) || is_known {
                continue;
            }
            let check = &mut checks[usize::from(violation.is_mutual)];
            self.ask_violation(reorderer, check, violation, &regions, &mut fates)?;
        }
        let steps = CausalSteps::new(run);
        for region in 0..regions.len() {
            if stop.is_some() || !fates.is_open(region) || fates.of[region].is_some() {
                continue;
            }
            let (patterns, is_cut) = chains(run, &reorderer.line, &regions[region], &accesses, &steps);
            if !patterns.is_empty() || is_cut {
                let violation = Violation { region, is_mutual: false, other: None, patterns, is_cut };
                self.ask_violation(reorderer, &mut checks[2], &violation, &regions, &mut fates)?;
            }
            stop = self.gathering.must_stop_now();
        }
        self.summary.checks.extend(checks);
        self.tell_fates(&regions, &fates, stop.is_some());
        Ok(stop)
    }

    fn ask_violation(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        violation: &Violation,
        regions: &[Region],
        fates: &mut Fates,
    ) -> Result<(), EngineError> {
        check.candidates += 1;
        let is_declared = regions[violation.region].is_declared;
        match self.find_one(reorderer, check, &violation.patterns) {
            Answer::Found(reordering) => {
                check.predicted += 1;
                fates.violate(violation);
                match self.replay_violation(&reordering, violation, is_declared)? {
                    Some(found) => {
                        check.replayed += 1;
                        if self.violated.iter().all(|(_, known)| known.finding.key() != found.1.finding.key()) {
                            self.violated.push(found);
                        }
                    }
                    None => self.n_not_replayed += 1,
                }
            }
            Answer::Impossible if !violation.is_cut => {}
            Answer::Impossible | Answer::GivenUp => {
                check.undecided += 1;
                fates.of[violation.region].get_or_insert(Fate::Undecided);
            }
        }
        Ok(())
    }

    /// A reordering with one of these patterns. Few are asked about at first: all that a question mentions has to be ordered by those after it, too.
    fn find_one(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        mut patterns: &[Pattern],
    ) -> Answer {
        let mut answer = Answer::Impossible;
        let mut n_asked = FIRST_PATTERNS;
        let mut is_open = false;
        while !patterns.is_empty() && matches!(answer, Answer::Impossible) {
            let (asked, rest) = patterns.split_at(n_asked.min(patterns.len()));
            answer = self.find_one_of(reorderer, check, asked, &mut is_open);
            (patterns, n_asked) = (rest, n_asked * 8);
        }
        if is_open && matches!(answer, Answer::Impossible) { Answer::GivenUp } else { answer }
    }

    /// The same for all of them in one question. Where a line has a pattern, but no way is found for its signals to wake whom the pattern says, another
    /// line may have one: the pattern is left open, and the rest are asked about.
    fn find_one_of(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        asked: &[Pattern],
        is_open: &mut bool,
    ) -> Answer {
        let mut asked = asked.to_vec();
        while !asked.is_empty() {
            let atoms: Vec<Atom> = asked.iter().map(|pattern| atomicity::atom(reorderer, pattern)).collect();
            let one = reorderer.line.fresh();
            reorderer.line.add_when(one, &atoms);
            let found = match self.find(reorderer, check, &[one], None) {
                Answer::Found(found) => found,
                answer => return answer,
            };
            let shown: Vec<&Pattern> = atomicity::ordered_as_in(reorderer.run, &found.instants, &asked).collect();
            let served = shown.iter().find_map(|pattern| match pattern.wakes[..] {
                [] => Some(found.clone()),
                ref wakes => with_wakes(reorderer, &found, wakes),
            });
            if let Some(served) = served {
                return Answer::Found(served);
            }
            let shown: Vec<Pattern> = shown.into_iter().cloned().collect();
            if shown.is_empty() {
                return Answer::GivenUp;
            }
            *is_open = true;
            asked.retain(|pattern| !shown.contains(pattern));
        }
        Answer::Impossible
    }

    /// Lists the regions with what became of them.
    fn tell_fates(&mut self, regions: &[Region], fates: &Fates, is_stopped: bool) {
        let run = &self.observed.run;
        let mut summary = RegionSummary::default();
        for (region, fate) in regions.iter().zip(&fates.of) {
            match region.is_declared {
                true => summary.declared += 1,
                false => summary.inferred += 1,
            }
            let fate = fate.unwrap_or(if is_stopped { Fate::Undecided } else { Fate::Unviolated });
            match fate {
                Fate::Dropped => summary.dropped += 1,
                Fate::Proved => summary.proved += 1,
                Fate::Unviolated => summary.unviolated += 1,
                Fate::Violated => summary.violated += 1,
                Fate::Undecided => summary.undecided += 1,
            }
            let instance = &region.instances[0].accesses;
            let place = |event: u32| self.observed.places[run.events[event as usize].place as usize];
            let (first, last) = (place(instance[0]), place(instance[instance.len() - 1]));
            let lines = [first, last].map(|at| source_line(self.program, at).map_or(0, |at| at.line));
            let (file, function) = crate::regions::file_and_function(self.program, first);
            let (name, reason) = fate.words();
            summary.list.push(RegionFate {
                file,
                function,
                first_line: lines[0].min(lines[1]),
                last_line: lines[0].max(lines[1]),
                instances: region.instances.len(),
                declared: region.is_declared,
                fate: name.to_owned(),
                reason: reason.to_owned(),
            });
        }
        self.summary.regions = summary;
    }

    /// Makes a violation on a machine, and again from its test; what came of it.
    fn replay_violation(
        &mut self,
        reordering: &Reordering,
        violation: &Violation,
        is_declared: bool,
    ) -> Result<Option<(Harm, Found)>, EngineError> {
        let run = &self.observed.run;
        let Some(pattern) = atomicity::shown_by(run, reordering, &violation.patterns) else {
            return Ok(None);
        };
        let mut replayed = replay(self.program, self.test, self.observed, reordering, &[])?;
        if !replayed.went {
            return Ok(None);
        }
        let machine = &mut replayed.machine;
        let fails = machine.findings().iter().any(|raw| raw.finding.kind != FindingKind::DataRace);
        let harm = match () {
            () if fails => Harm::Failure,
            () if machine.stdout() != self.observed.stdout => Harm::OtherOutput,
            () if is_declared => Harm::Declared,
            () => Harm::NothingSeen,
        };
        let places = atomicity::events(pattern).into_iter();
        let places: Vec<Place> = places.map(|event| atomicity::place(machine, self.observed, event)).collect();
        let message = format!("{} comes between steps of {} that look like one", places[2].thread, places[0].thread);
        let by = if violation.is_mutual { "neither of two regions comes first" } else { "the region is interrupted" };
        let notes = vec![format!("{by}: lines {} to {}", places[0].line, places[1].line), harm.text().to_owned()];
        let finding = Finding { kind: FindingKind::Atomicity, message, places, notes };
        let n_steps = replayed.n_steps;
        let test = Test { finding: Some(finding.clone()), ..self.test_of(&replayed.machine, n_steps) };
        let machine = &mut replayed.machine;
        self.gathering.add(machine);
        Ok(self.confirm(test, finding)?.map(|found| (harm, found)))
    }

    /// Runs the test of a violated region anew.
    fn confirm(&self, test: Test, finding: Finding) -> Result<Option<Found>, EngineError> {
        let Some(machine) = shown(self.program, &test, &finding)? else { return Ok(None) };
        let (trace, inputs) = (machine.describe(), machine.inputs());
        Ok(Some(Found { finding, test, trace, inputs }))
    }
}
