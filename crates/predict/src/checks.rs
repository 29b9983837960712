//! Races, deadlocks and lost signals of a run of the machine.

use crate::candidates::{Wanted, acquisitions, circles, race_pairs};
use crate::own::{Predictor, is_stuck};
use crate::reorder::{Answer, Reorderer, Reordering};
use crate::run::{Op, Run};
use crate::stuck::stuck_states;
use gordian_base::FxHashSet;
use gordian_engine::EngineError;
use gordian_trace::{CheckSummary, Finding, FindingKind, Stop};

/// Work for all states in which nobody can go on, as [`Reorderer::work`] counts it.
const STUCK_WORK: u64 = 300_000_000;

impl Predictor<'_, '_> {
    /// Circles of locks.
    pub(crate) fn deadlocks(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let acquires = acquisitions(run);
        let (circles, is_cut) = circles(&acquires);
        let mut check = CheckSummary { what: "circles of locks".to_owned(), ..CheckSummary::default() };
        check.undecided += usize::from(is_cut);
        let mut known: FxHashSet<Vec<u32>> = FxHashSet::default();
        for circle in circles {
            if let Some(stop) = self.gathering.must_stop_now() {
                return Ok(Some(stop));
            }
            let mut places: Vec<u32> = circle.iter().map(|&acquire| acquires[acquire].place).collect();
            places.sort_unstable();
            if known.contains(&places) {
                continue;
            }
            check.candidates += 1;
            let mut assumed = Vec::new();
            for &acquire in &circle {
                let instants: Vec<u32> = acquires[acquire].events.iter().map(|&event| run.instant(event)).collect();
                assumed.push(reorderer.one_is_next(&instants));
            }
            if self.ask(reorderer, &mut check, &assumed, None, is_stuck, |_| vec![Vec::new()])? == Some(true) {
                known.insert(places);
            }
        }
        self.summary.checks.push(check);
        Ok(None)
    }

    /// States in which nobody can go on.
    pub(crate) fn stuck(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let mut check = CheckSummary { what: "blocked states".to_owned(), ..CheckSummary::default() };
        let mut failed = None;
        let mut replayed = 0;
        reorderer.limit_work(STUCK_WORK);
        let (found, undecided) = stuck_states(reorderer, |reordering| match self.replay(reordering, &[]) {
            Ok(shown) => replayed += usize::from(shown.iter().any(is_stuck)),
            Err(error) => failed = Some(error),
        });
        if let Some(error) = failed {
            return Err(error);
        }
        (check.candidates, check.predicted, check.replayed, check.undecided) = (found, found, replayed, undecided);
        self.summary.checks.push(check);
        Ok(None)
    }

    /// Line and column of a place of the run.
    pub(crate) fn position(&self, place: u32) -> (u32, u32) {
        let at = self.observed.places[place as usize];
        if at == gordian_trace::NO_CODE {
            return (0, 0);
        }
        let function = &self.program.functions[gordian_ir::FuncId(at.function)];
        let loc = function.locs.get(at.pc as usize).copied().filter(|loc| loc.line > 0).unwrap_or(function.loc);
        (loc.line, loc.column)
    }

    /// Whether a finding is about both of these positions.
    pub(crate) fn is_at(finding: &Finding, positions: [(u32, u32); 2]) -> bool {
        let at = |position: (u32, u32)| finding.places.iter().any(|place| (place.line, place.column) == position);
        positions.into_iter().all(at)
    }

    /// Conflicting accesses that can be next to each other.
    pub(crate) fn races(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let mut pairs = Vec::new();
        let is_ordered = |a, b| reorderer.is_ordered(a, b);
        let is_cut = race_pairs(run, self.options.steps.locks, is_ordered, |_, _, make| {
            pairs.extend(make());
            Wanted::More
        });
        // Behind something that waits an access is not the next of its thread: what a joined thread returned.
        let waits = |op: Op| !matches!(op, Op::Read(_) | Op::Write(_) | Op::Decide(_) | Op::Publish(_) | Op::Nothing);
        let is_first = |&event: &u32| {
            let before = run.events_of(run.instant(event)).take_while(|(number, _)| *number < event);
            !before.into_iter().any(|(_, event)| waits(event.op))
        };
        pairs.iter_mut().flat_map(|pair| [&mut pair.first, &mut pair.second]).for_each(|of| of.retain(is_first));
        pairs.retain(|pair| !pair.first.is_empty() && !pair.second.is_empty());
        let mut check = CheckSummary { what: "races".to_owned(), ..CheckSummary::default() };
        check.undecided += usize::from(is_cut);
        let mut known: FxHashSet<(u32, u32)> = FxHashSet::default();
        for pair in pairs {
            if let Some(stop) = self.gathering.must_stop_now() {
                return Ok(Some(stop));
            }
            let place = |event: u32| run.events[event as usize].place;
            let (a, b) = (place(pair.first[0]), place(pair.second[0]));
            let places = (a.min(b), a.max(b));
            if known.contains(&places) {
                continue;
            }
            check.candidates += 1;
            let instants = |events: &[u32]| events.iter().map(|&event| run.instant(event)).collect::<Vec<u32>>();
            let (first, second) = (instants(&pair.first), instants(&pair.second));
            let assumed = [reorderer.one_is_next(&first), reorderer.one_is_next(&second)];
            let positions = [a, b].map(|place| self.position(place));
            let is_it = |finding: &Finding| finding.kind == FindingKind::DataRace && Self::is_at(finding, positions);
            match self.find(reorderer, &mut check, &assumed, None) {
                Answer::Found(reordering) => {
                    check.predicted += 1;
                    let next = |of: &[u32]| reordering.first_left_out(run, of);
                    let both: Vec<u32> = next(&first).into_iter().chain(next(&second)).collect();
                    if self.show_race(run, &reordering, both, is_it)? {
                        check.replayed += 1;
                        known.insert(places);
                    }
                }
                Answer::Impossible => {}
                Answer::GivenUp => check.undecided += 1,
            }
        }
        self.summary.checks.push(check);
        Ok(None)
    }

    /// Makes a reordering and then two instants with accesses that race; whether the machine tells of it.
    ///
    /// Of each access it tells of one race, that with the oldest access. So both orders are made; and if others race with both, each of the two accesses is made as
    /// early as its thread can. A read that comes early changes nothing of what other threads do.
    fn show_race(
        &mut self,
        run: &Run,
        reordering: &Reordering,
        both: Vec<u32>,
        is_it: impl Fn(&Finding) -> bool,
    ) -> Result<bool, EngineError> {
        let reversed: Vec<u32> = both.iter().rev().copied().collect();
        for last in [&both, &reversed] {
            if self.replay(reordering, last)?.iter().any(&is_it) {
                return Ok(true);
            }
        }
        for pair in [both, reversed] {
            let [early, last] = pair[..] else { continue };
            let found = self.try_order(&reordering.with_early(run, early), &[last])?;
            if found.iter().any(&is_it) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
