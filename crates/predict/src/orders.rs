//! Order violations: uses before something is initialised, and after it was freed, destroyed or closed.

use crate::line::Atom;
use crate::own::Predictor;
use crate::reorder::Reorderer;
use crate::run::{Op, Run, Span};
use gordian_base::FxHashMap;
use gordian_engine::EngineError;
use gordian_trace::{CheckSummary, Finding, FindingKind, Stop};
use std::collections::BTreeMap;

/// Pairs of events at two places, the second of which must come first for the run to pass.
type Candidates = BTreeMap<(u32, u32), Vec<(u32, u32)>>;

/// Pairs of one candidate that are asked about.
const MOST_PAIRS: usize = 64;

fn is_it(finding: &Finding) -> bool {
    use FindingKind::{DoubleFree, LockMisuse, UseAfterClose, UseAfterFree};
    matches!(finding.kind, UseAfterFree | DoubleFree | UseAfterClose | LockMisuse)
}

/// What an event touches: bytes that it accesses, and the first of an object that it uses.
fn touches(op: Op) -> impl Iterator<Item = Span> {
    let objects = op.uses().into_iter().flatten().map(|object| Span { address: object, size: 1 });
    let data = op.access().map(|(span, _)| span);
    let freed = if let Op::Free(span) = op { Some(span) } else { None };
    objects.chain(data).chain(freed)
}

/// Accesses of others before an object is freed, by the places of both.
fn frees(run: &Run, is_ordered: impl Fn(u32, u32) -> bool) -> Candidates {
    let mut by_word: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    let mut candidates = Candidates::new();
    for (number, event) in (0u32..).zip(&run.events) {
        if let Op::Free(span) = event.op {
            let mut touched: Vec<u32> = Vec::new();
            for word in span.address >> 3..(span.end() + 7) >> 3 {
                touched.extend(by_word.get(&word).into_iter().flatten());
            }
            touched.sort_unstable();
            touched.dedup();
            for access in touched {
                let other = &run.events[access as usize];
                let overlaps = touches(other.op).any(|at| at.overlaps(span));
                if overlaps && other.thread != event.thread && !is_ordered(other.instant, event.instant) {
                    candidates.entry((other.place, event.place)).or_default().push((access, number));
                }
            }
        }
        for span in touches(event.op) {
            for word in span.address >> 3..(span.end() + 7) >> 3 {
                by_word.entry(word).or_default().push(number);
            }
        }
    }
    candidates
}

/// Uses of an object before another thread ends it, and after another thread makes it.
fn lives(run: &Run, is_ordered: impl Fn(u32, u32) -> bool) -> (Candidates, Candidates) {
    let (mut ends, mut begins) = (Candidates::new(), Candidates::new());
    let mut uses: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    let mut made: FxHashMap<u64, u32> = FxHashMap::default();
    for (number, event) in (0u32..).zip(&run.events) {
        for object in event.op.uses().into_iter().flatten() {
            uses.entry(object).or_default().push(number);
            if let Some(&init) = made.get(&object) {
                let other = &run.events[init as usize];
                if other.thread != event.thread && !is_ordered(other.instant, event.instant) {
                    begins.entry((event.place, other.place)).or_default().push((number, init));
                }
            }
        }
        if let Some(object) = event.op.makes() {
            made.insert(object, number);
        }
        for &used in event.op.ends().and_then(|object| uses.get(&object)).into_iter().flatten() {
            let other = &run.events[used as usize];
            if other.thread != event.thread && !is_ordered(other.instant, event.instant) {
                ends.entry((other.place, event.place)).or_default().push((used, number));
            }
        }
    }
    (ends, begins)
}

impl Predictor<'_, '_> {
    /// Uses that can come too early or too late.
    pub(crate) fn orders(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let freed = frees(run, |a, b| reorderer.is_ordered(a, b));
        let (ended, begun) = lives(run, |a, b| reorderer.is_ordered(a, b));
        let checks = [
            ("uses after free", freed, true),
            ("uses after the end", ended, true),
            ("uses before initialisation", begun, false),
        ];
        for (what, candidates, is_after) in checks {
            if let Some(stop) = self.uses(reorderer, what, &candidates, is_after)? {
                return Ok(Some(stop));
            }
        }
        self.destroyed_while_held(reorderer)
    }

    /// Asks for uses that are next while the other event has (`is_after`) or has not been made.
    fn uses(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        what: &str,
        candidates: &Candidates,
        is_after: bool,
    ) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let mut check = CheckSummary { what: what.to_owned(), ..CheckSummary::default() };
        for pairs in candidates.values() {
            check.candidates += 1;
            check.undecided += usize::from(pairs.len() > MOST_PAIRS);
            for &(used, other) in pairs.iter().take(MOST_PAIRS) {
                if let Some(stop) = self.gathering.must_stop_now() {
                    return Ok(Some(stop));
                }
                let (used, other) = (run.instant(used), run.instant(other));
                let made = reorderer.line.within(other);
                let made = if is_after { made } else { made.not() };
                let assumed = [made, reorderer.is_next(used)];
                if self.ask(reorderer, &mut check, &assumed, None, is_it, |_| vec![vec![used]])? == Some(true) {
                    break;
                }
            }
        }
        self.summary.checks.push(check);
        Ok(None)
    }

    /// Locks that are destroyed while somebody holds them, conditions while somebody waits.
    fn destroyed_while_held(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let mut check = CheckSummary { what: "destroyed while in use".to_owned(), ..CheckSummary::default() };
        for event in run.events.iter().filter(|event| matches!(event.op, Op::Destroy(_))) {
            let Some(object) = event.op.ends() else { continue };
            let sections = run.sections.iter().filter(|section| section.lock == object);
            let mut held: Vec<(u32, Option<u32>)> =
                sections.map(|section| (section.acquire, section.release)).collect();
            held.extend(reorderer.waits_on(object));
            for (begin, end) in held.into_iter().take(MOST_PAIRS) {
                if let Some(stop) = self.gathering.must_stop_now() {
                    return Ok(Some(stop));
                }
                let (begin, end) = (run.instant(begin), end.map(|end| run.instant(end)));
                let is_over = run.instants[begin as usize].thread == event.thread
                    || end.is_some_and(|end| end == event.instant || reorderer.is_ordered(end, event.instant));
                if is_over {
                    continue;
                }
                check.candidates += 1;
                let open = end.map_or(Atom::True, |end| reorderer.line.within(end).not());
                let assumed = [reorderer.line.within(begin), open, reorderer.is_next(event.instant)];
                let last = vec![vec![event.instant]];
                if self.ask(reorderer, &mut check, &assumed, None, is_it, |_| last.clone())? == Some(true) {
                    break;
                }
            }
        }
        self.summary.checks.push(check);
        Ok(None)
    }
}
