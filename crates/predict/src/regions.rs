//! Regions: steps of a thread that look as if they were meant to be one.
//!
//! A region is a maximal sequence of a thread's shared events with at least one access to data, cut so that it begins and ends with data; within
//! one function; with neighbours nearer than some lines; without creation, join or wait inside (semaphores and barriers count as waits, signals may
//! be there); and not over the next turn of a loop. Instances of one piece of source are one region.

use crate::observe::Observed;
use crate::run::Op;
use gordian_ir::Program;
use gordian_trace::CodePoint;
use std::collections::BTreeMap;

/// Where an event stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    pub function: u32,
    pub pc: u32,
    pub line: u32,
}

/// The line of a code point.
pub fn source_line(program: &Program, at: CodePoint) -> Option<SourceLine> {
    if at == gordian_trace::NO_CODE {
        return None;
    }
    let function = &program.functions[gordian_ir::FuncId(at.function)];
    let loc = function.locs.get(at.pc as usize).filter(|loc| loc.line > 0)?;
    Some(SourceLine { function: at.function, pc: at.pc, line: loc.line })
}

/// One execution of a region.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its accesses to data.
    pub accesses: Vec<u32>,
}

/// A piece of source that looks atomic, or that a user says is.
#[derive(Clone, Debug)]
pub struct Region {
    pub instances: Vec<Instance>,
    pub is_declared: bool,
}

/// Lines that a user declares to be atomic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredRegion {
    /// A file of the program, or the end of its name.
    pub file: String,
    pub from: u32,
    pub to: u32,
}

impl std::str::FromStr for DeclaredRegion {
    type Err = String;

    /// `file.c:12-18`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not of the form file.c:12-18");
        let (file, lines) = text.trim().rsplit_once(':').ok_or_else(wrong)?;
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let (from, to) = (number(from)?, number(to)?);
        if file.is_empty() || from > to {
            return Err(wrong());
        }
        Ok(DeclaredRegion { file: file.to_owned(), from, to })
    }
}

/// The regions of a run, in a fixed order.
pub fn regions(program: &Program, observed: &Observed, lines: u32) -> Vec<Region> {
    let mut by_source: BTreeMap<(u32, u32), Vec<Instance>> = BTreeMap::new();
    for thread in 0..observed.run.n_threads {
        let mut open = Open::default();
        let mine = (0u32..).zip(&observed.run.events).filter(|(_, event)| event.thread == thread);
        for (number, event) in mine {
            let is_data = match event.op {
                Op::Read(_) | Op::Write(_) => true,
                Op::Acquire { .. }
                | Op::Release { .. }
                | Op::Signal(_)
                | Op::Broadcast(_)
                | Op::AcquireFails { .. } => false,
                // These are no events that others see.
                Op::Decide(_) | Op::Nothing | Op::Publish(_) => continue,
                _ => {
                    open.close(observed, &mut by_source);
                    continue;
                }
            };
            let Some(at) = source_line(program, observed.places[event.place as usize]) else {
                open.close(observed, &mut by_source);
                continue;
            };
            if open.last.is_some_and(|last| !follows(last, at, lines)) {
                open.close(observed, &mut by_source);
            }
            open.last = Some(at);
            if is_data {
                open.accesses.push(number);
            }
        }
        open.close(observed, &mut by_source);
    }
    by_source.into_values().map(|instances| Region { instances, is_declared: false }).collect()
}

/// The regions that a user declares: what a thread does within those lines, up to the next turn of a loop.
pub fn declared(program: &Program, observed: &Observed, regions: &[DeclaredRegion]) -> Vec<Region> {
    let mut found = Vec::new();
    for region in regions {
        let mut by_source: BTreeMap<(u32, u32), Vec<Instance>> = BTreeMap::new();
        for thread in 0..observed.run.n_threads {
            let mut open = Open::default();
            let mine = (0u32..).zip(&observed.run.events).filter(|(_, event)| event.thread == thread);
            for (number, event) in mine.filter(|(_, event)| event.op.access().is_some()) {
                let at = observed.places[event.place as usize];
                let Some(line) = source_line(program, at).filter(|line| contains(program, region, line)) else {
                    open.close(observed, &mut by_source);
                    continue;
                };
                if open.last.is_some_and(|last| last.function != line.function || line.pc < last.pc) {
                    open.close(observed, &mut by_source);
                }
                open.last = Some(line);
                open.accesses.push(number);
            }
            open.close(observed, &mut by_source);
        }
        let instances: Vec<Instance> = by_source.into_values().flatten().collect();
        if !instances.is_empty() {
            found.push(Region { instances, is_declared: true });
        }
    }
    found
}

fn contains(program: &Program, region: &DeclaredRegion, at: &SourceLine) -> bool {
    let function = &program.functions[gordian_ir::FuncId(at.function)];
    let file = function.locs.get(at.pc as usize).and_then(|loc| program.files.get(loc.file));
    let is_file = file.is_some_and(|file| {
        file.strip_suffix(region.file.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    });
    is_file && (region.from..=region.to).contains(&at.line)
}

/// Whether an event may belong to the same region as the one before it.
fn follows(last: SourceLine, next: SourceLine, lines: u32) -> bool {
    // Going back in the code is the next turn of a loop.
    last.function == next.function && next.pc >= last.pc && last.line.abs_diff(next.line) < lines
}

/// The region that a thread is in.
#[derive(Default)]
struct Open {
    last: Option<SourceLine>,
    accesses: Vec<u32>,
}

impl Open {
    fn close(&mut self, observed: &Observed, regions: &mut BTreeMap<(u32, u32), Vec<Instance>>) {
        self.last = None;
        let accesses = std::mem::take(&mut self.accesses);
        if let (Some(&first), Some(&last)) = (accesses.first(), accesses.last())
            && first != last
        {
            let place = |event: u32| observed.run.events[event as usize].place;
            regions.entry((place(first), place(last))).or_default().push(Instance { accesses });
        }
    }
}
