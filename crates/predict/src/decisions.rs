//! Decisions that go another way, and accesses that go elsewhere.

use crate::line::Atom;
use crate::own::Predictor;
use crate::reorder::{Answer, Reorderer};
use crate::run::Span;
use crate::values::{Decision, Ways};
use gordian_base::FxHashSet;
use gordian_engine::EngineError;
use gordian_expr::ExprId;
use gordian_trace::{CheckSummary, FindingKind, Stop};
use std::collections::BTreeMap;

/// Replays of one way of a decision in the source that show nothing, before other instances of it are left alone.
const MOST_QUIET: usize = 16;

/// Instances of one decision in the source that are asked about.
const MOST_INSTANCES: usize = 64;

/// Other values of one address or size that are looked for.
const MOST_VALUES: usize = 16;

/// Accesses that an access elsewhere may race with.
const MOST_RACES: usize = 64;

impl Predictor<'_, '_> {
    /// Decisions that can go another way: what the machine does there is for it to show.
    pub(crate) fn decisions(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let mut check = CheckSummary { what: "other decisions".to_owned(), ..CheckSummary::default() };
        let decisions = reorderer.values.as_ref().map(|values| values.decisions.clone()).unwrap_or_default();
        let mut by_place: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, decision) in (0u32..).zip(&decisions) {
            if !matches!(decision.ways, Ways::None) {
                by_place.entry(run.events[decision.event as usize].place).or_default().push(number);
            }
        }
        for numbers in by_place.values() {
            let mut quiet: BTreeMap<usize, usize> = BTreeMap::new();
            check.undecided += usize::from(numbers.len() > MOST_INSTANCES);
            for &number in numbers.iter().take(MOST_INSTANCES) {
                if let Some(stop) = self.gathering.must_stop_now() {
                    return Ok(Some(stop));
                }
                let decision = &decisions[number as usize];
                match &decision.ways {
                    Ways::None => {}
                    Ways::Conditions(ways) => {
                        for (way, &wanted) in ways.iter().enumerate() {
                            let n_quiet = quiet.entry(way).or_default();
                            if *n_quiet < MOST_QUIET {
                                let shown = self.deviate(reorderer, &mut check, number, decision, wanted)?;
                                *n_quiet += match shown {
                                    Some((true, _)) => MOST_QUIET + 1,
                                    Some((false, _)) => 1,
                                    None => 0,
                                };
                                check.undecided += usize::from(*n_quiet == MOST_QUIET);
                            }
                        }
                    }
                    &Ways::Values(term) => self.other_values(reorderer, &mut check, number, decision, term)?,
                }
            }
        }
        self.summary.checks.push(check);
        Ok(None)
    }

    /// What holds if a thread stops at a decision that goes another way.
    fn stops_at(reorderer: &mut Reorderer<'_>, decision: &Decision) -> Vec<Atom> {
        let run = reorderer.run;
        let instant = run.instant(decision.event);
        let guard = reorderer.line.fresh();
        let mut kept = smallvec::SmallVec::new();
        reorderer.keep_decisions(instant, decision.event, &mut kept);
        let mut assumed = vec![guard, reorderer.line.within(instant)];
        assumed.extend(kept);
        if let Some(next) = run.next_of_thread(instant) {
            assumed.push(reorderer.line.within(next).not());
        }
        assumed
    }

    /// Lets one decision go another way. Whether that failed, and the value of the term of a pick; nothing if no reordering has it.
    fn deviate(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        number: u32,
        decision: &Decision,
        wanted: ExprId,
    ) -> Result<Option<(bool, u128)>, EngineError> {
        check.candidates += 1;
        let assumed = Self::stops_at(reorderer, decision);
        match self.find(reorderer, check, &assumed, Some((number, wanted))) {
            Answer::Found(reordering) => {
                check.predicted += 1;
                let value = match (&decision.ways, &mut reorderer.values) {
                    (&Ways::Values(term), Some(values)) => values.last_value(term),
                    _ => 0,
                };
                let found = self.replay(&reordering, &[])?;
                let is_shown = found.iter().any(|finding| finding.kind != FindingKind::DataRace);
                check.replayed += usize::from(is_shown);
                Ok(Some((is_shown, value)))
            }
            Answer::Impossible => Ok(None),
            Answer::GivenUp => {
                check.undecided += 1;
                Ok(None)
            }
        }
    }

    /// All other values that an address or size can have, one after the other.
    fn other_values(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        number: u32,
        decision: &Decision,
        term: ExprId,
    ) -> Result<(), EngineError> {
        let Some(values) = &mut reorderer.values else { return Ok(()) };
        let mut wanted = values.pool.not(decision.condition);
        let mut n_values = 0;
        while let Some((_, value)) = self.deviate(reorderer, check, number, decision, wanted)? {
            self.races_elsewhere(reorderer, check, number, decision, (term, value))?;
            n_values += 1;
            if n_values == MOST_VALUES {
                check.undecided += 1;
                break;
            }
            let Some(values) = &mut reorderer.values else { return Ok(()) };
            let constant = values.pool.constant(value, values.pool.width(term));
            let is_it = values.pool.eq(term, constant);
            let is_not = values.pool.not(is_it);
            wanted = values.pool.and(wanted, is_not);
        }
        Ok(())
    }

    /// An access whose address is another than in the run may race there.
    fn races_elsewhere(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        number: u32,
        decision: &Decision,
        (term, value): (ExprId, u128),
    ) -> Result<(), EngineError> {
        let run = reorderer.run;
        let Some(next) = run.next_of_thread(run.instant(decision.event)) else { return Ok(()) };
        let Some((_, mine)) = run.events_of(next).next() else { return Ok(()) };
        let Some((span, writes)) = mine.op.access() else { return Ok(()) };
        let Some(values) = reorderer.values.as_mut().filter(|_| self.options.races) else { return Ok(()) };
        if values.run_value(term) != u128::from(span.address) {
            return Ok(());
        }
        let constant = values.pool.constant(value, values.pool.width(term));
        let wanted = values.pool.eq(term, constant);
        let elsewhere = Span { address: value as u64, size: span.size };
        let mut known: FxHashSet<(u32, Span)> = FxHashSet::default();
        for (_, other) in (0u32..).zip(&run.events) {
            let Some((at, also)) = other.op.access() else { continue };
            let conflicts = other.thread != mine.thread && at.overlaps(elsewhere) && (writes || also);
            if !conflicts
                || other.atomic && mine.atomic
                || known.len() >= MOST_RACES
                || known.contains(&(other.place, at))
            {
                continue;
            }
            let mut assumed = Self::stops_at(reorderer, decision);
            assumed.push(reorderer.is_next(other.instant));
            check.candidates += 1;
            let reordering = match self.find(reorderer, check, &assumed, Some((number, wanted))) {
                Answer::Found(reordering) => reordering,
                Answer::Impossible => continue,
                Answer::GivenUp => {
                    check.undecided += 1;
                    continue;
                }
            };
            known.insert((other.place, at));
            check.predicted += 1;
            let positions = [mine.place, other.place].map(|place| self.position(place));
            for last in [[next, other.instant], [other.instant, next]] {
                let found = self.replay(&reordering, &last)?;
                if found.iter().any(|finding| finding.kind == FindingKind::DataRace && Self::is_at(finding, positions))
                {
                    check.replayed += 1;
                    break;
                }
            }
        }
        Ok(())
    }
}
