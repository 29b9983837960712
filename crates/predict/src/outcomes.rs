//! Operations that can come out another way: attempts that fail or succeed instead, waits that time out or are woken instead, and
//! `pthread_once` that another thread enters first. Each is the last step of its thread; what comes of it is for the machine to show.

use crate::line::Atom;
use crate::own::Predictor;
use crate::reorder::{Answer, Reorderer, Reordering};
use crate::run::{Op, Run};
use crate::stuck::{other_orders, semaphore_count};
use gordian_engine::EngineError;
use gordian_ir::Program;
use gordian_trace::{CheckSummary, CodePoint, FindingKind, Stop};
use std::collections::BTreeMap;

/// Replays of one operation in the source that show nothing, before other instances of it are left alone.
const MOST_QUIET: usize = 16;

/// Instances of one operation in the source that are asked about.
const MOST_INSTANCES: usize = 64;

/// Orders with another count or another waiter that are refused, before a question is given up.
const MOST_REFUSED: usize = 200;

/// Whether the call at this place comes back without success rather than waiting for ever.
pub fn can_fail(program: &Program, at: CodePoint) -> bool {
    called(program, at).is_some_and(|name| ["try", "timed", "clock"].iter().any(|part| name.contains(part)))
}

/// Functions that write to a stream or descriptor, and whose result says nothing of what others wrote.
const APPENDING: &[&str] = &[
    "dprintf", "fflush", "fprintf", "fputc", "fputs", "fwrite", "perror", "printf", "putc", "putchar", "puts",
    "vdprintf", "vfprintf", "vprintf", "write",
];

/// Whether the call at this place only writes to the end of a file.
pub fn appends(program: &Program, at: CodePoint) -> bool {
    called(program, at).is_some_and(|name| APPENDING.contains(&name.strip_suffix("_unlocked").unwrap_or(name)))
}

/// The name of the library function that is called at this place.
fn called(program: &Program, at: CodePoint) -> Option<&str> {
    if at == gordian_trace::NO_CODE {
        return None;
    }
    let function = &program.functions[gordian_ir::FuncId(at.function)];
    let Some(&gordian_ir::Inst::Call { site }) = function.code.get(at.pc as usize) else { return None };
    match function.calls[site as usize].callee {
        gordian_ir::Callee::External(external) => Some(&program.externals[external].name),
        gordian_ir::Callee::Function(_) | gordian_ir::Callee::Indirect(_) => None,
    }
}

/// What decides whether an operation comes out another way at the end of a reordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// The semaphore is zero, or is not.
    Zero(u64, bool),
    /// The thread, which waits on this condition, was woken, or was not.
    Woken(u64, bool),
}

/// Atoms that all hold if an instant, which is the next of its thread, comes out another way; none if it cannot.
fn other_outcome(reorderer: &mut Reorderer<'_>, instant: u32) -> Option<(Vec<Atom>, Needs)> {
    let run = reorderer.run;
    let (event, first) = run.events_of(instant).next()?;
    let can_fail = run.can_fail.contains(&event);
    let (mut atoms, needs) = match first.op {
        Op::Acquire { lock, shared } if can_fail => {
            (vec![reorderer.is_held_by_others(first.thread, lock, shared)], Needs::Nothing)
        }
        Op::AcquireFails { lock, shared } => (reorderer.is_free_of_others(first.thread, lock, shared), Needs::Nothing),
        Op::SemWait(semaphore) if can_fail => (Vec::new(), Needs::Zero(semaphore, true)),
        Op::SemFails(semaphore) => (Vec::new(), Needs::Zero(semaphore, false)),
        Op::Woken { cond, .. } if can_fail => (Vec::new(), Needs::Woken(cond, false)),
        Op::GiveUp { cond } => {
            let mutex = mutex_of(run, event)?;
            (reorderer.is_free_of_others(first.thread, mutex, false), Needs::Woken(cond, true))
        }
        Op::OnceFound(control) => {
            let enters = run.events.iter().find(|event| event.op == Op::OnceEnter(control))?;
            (vec![reorderer.line.within(enters.instant).not()], Needs::Nothing)
        }
        _ => return None,
    };
    atoms.push(reorderer.is_next(instant));
    Some((atoms, needs))
}

/// The mutex that a wait has let go of, by what ends it.
fn mutex_of(run: &Run, end: u32) -> Option<u64> {
    let thread = run.events[end as usize].thread;
    let before = run.events[..end as usize].iter().rev().filter(|event| event.thread == thread);
    before.filter_map(|event| if let Op::Wait { mutex, .. } = event.op { Some(mutex) } else { None }).next()
}

impl Predictor<'_, '_> {
    /// Operations that can come out another way.
    pub(crate) fn outcomes(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let mut check = CheckSummary { what: "other outcomes".to_owned(), ..CheckSummary::default() };
        let mut by_place: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for instant in 0..run.instants.len() as u32 {
            let Some((event, first)) = run.events_of(instant).next() else { continue };
            let fails = matches!(first.op, Op::AcquireFails { .. } | Op::SemFails(_) | Op::GiveUp { .. });
            if fails || matches!(first.op, Op::OnceFound(_)) || run.can_fail.contains(&event) {
                by_place.entry(first.place).or_default().push(instant);
            }
        }
        for instants in by_place.values() {
            check.undecided += usize::from(instants.len() > MOST_INSTANCES);
            let mut n_quiet = 0;
            for &instant in instants.iter().take(MOST_INSTANCES) {
                if let Some(stop) = self.gathering.must_stop_now() {
                    return Ok(Some(stop));
                }
                match self.come_out(reorderer, &mut check, instant)? {
                    Some(true) => break,
                    Some(false) => n_quiet += 1,
                    None => {}
                }
                if n_quiet == MOST_QUIET {
                    check.undecided += 1;
                    break;
                }
            }
        }
        self.summary.checks.push(check);
        Ok(None)
    }

    /// Lets one operation come out another way. Whether that failed; nothing if no reordering has it.
    fn come_out(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        instant: u32,
    ) -> Result<Option<bool>, EngineError> {
        let Some((mut assumed, needs)) = other_outcome(reorderer, instant) else { return Ok(None) };
        let guard = reorderer.line.fresh();
        assumed.push(guard);
        check.candidates += 1;
        for _ in 0..MOST_REFUSED {
            let mut reordering = match self.find(reorderer, check, &assumed, None) {
                Answer::Found(reordering) => reordering,
                Answer::Impossible => return Ok(None),
                Answer::GivenUp => break,
            };
            let object = match needs {
                Needs::Nothing => None,
                Needs::Zero(object, _) | Needs::Woken(object, _) => Some(object),
            };
            if !is_met(reorderer.run, &reordering, instant, needs) {
                let changes = other_orders(reorderer, &reordering, instant, object);
                let clause: Vec<Atom> = [guard.not()].into_iter().chain(changes).collect();
                reorderer.line.add(&clause);
                continue;
            }
            check.predicted += 1;
            let (first, _) = reorderer.run.instants[instant as usize].events;
            reordering.deviates.push(first);
            let found = self.replay(&reordering, &[instant])?;
            let is_shown = found.iter().any(|finding| finding.kind != FindingKind::DataRace);
            check.replayed += usize::from(is_shown);
            return Ok(Some(is_shown));
        }
        check.undecided += 1;
        Ok(None)
    }
}

fn is_met(run: &Run, reordering: &Reordering, instant: u32, needs: Needs) -> bool {
    let (first, _) = run.instants[instant as usize].events;
    match needs {
        Needs::Nothing => true,
        Needs::Zero(semaphore, is_zero) => (semaphore_count(run, reordering, semaphore) <= 0) == is_zero,
        Needs::Woken(_, is_woken) => reordering.is_woken(run, first) == is_woken,
    }
}
