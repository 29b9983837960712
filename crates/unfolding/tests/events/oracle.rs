//! Every schedule, and the causal past of every step in it. What a step touches is read off addresses; nothing is taken from the strategies.

use gordian_ir::Program;
use gordian_trace::{Choice, Event, OpKind, Test};
use gordian_unfolding::Arcs;
use gordian_vm::{Machine, Mark};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers steps by thread, variant and the numbers of the steps in their pasts.
#[derive(Default)]
pub struct Names {
    known: BTreeMap<(u32, u32, BTreeSet<u32>), u32>,
}

impl Names {
    pub fn of(&mut self, thread: u32, variant: u32, past: BTreeSet<u32>) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry((thread, variant, past)).or_insert(next)
    }
}

/// A stretch of memory that a step touches.
struct Access {
    from: u64,
    to: u64,
    writes: bool,
}

impl Access {
    fn of(event: &Event) -> Option<Access> {
        use OpKind::*;
        // Ends of threads that others ask for, and state outside of memory, lie beyond all addresses.
        let beyond = |kind: u64, number: u64, writes| {
            let from = (1 << 60) * kind + number;
            Some(Access { from, to: from + 1, writes })
        };
        match event.kind {
            Exit if event.other == 1 => return beyond(1, u64::from(event.thread.0), true),
            Join if event.size == 1 => return beyond(1, event.address, false),
            Look => return beyond(2, event.address, false),
            Change => return beyond(2, event.address, true),
            _ => {}
        }
        let (size, writes) = match event.kind {
            Read | AtomicRead | CasFail => (u64::from(event.size), false),
            Write | AtomicWrite | Rmw | RmwSame | CasOk => (u64::from(event.size), true),
            Lock | Unlock => (8, true),
            Create | Join | Exit | Fence | ProcessExit => return None,
            kind => panic!("the oracle does not know {kind:?}"),
        };
        Some(Access { from: event.address, to: event.address + size, writes })
    }

    /// Whether a step that makes `later` knows of one that made this.
    fn is_cause(&self, later: &Access, arcs: Arcs) -> bool {
        let meets = self.from < later.to && later.from < self.to;
        let orders = match arcs {
            Arcs::Replicated => self.writes || later.writes,
            Arcs::Contextual => self.writes,
        };
        meets && orders
    }
}

pub struct Oracle<'n> {
    arcs: Arcs,
    names: &'n mut Names,
}

impl<'n> Oracle<'n> {
    pub fn new(arcs: Arcs, names: &'n mut Names) -> Oracle<'n> {
        Oracle { arcs, names }
    }

    /// The names of all steps in all schedules; none if there are too many.
    pub fn events(&mut self, program: &Program, test: &Test, most: u64) -> Option<BTreeSet<u32>> {
        let mut machine = Machine::new(program, test).expect("the program starts");
        let mut stack: Vec<(Mark, Vec<Choice>, usize)> = Vec::new();
        let (mut all, mut n_executions) = (BTreeSet::new(), 0);
        loop {
            while machine.end().is_none() {
                let mut choices = machine.choices().to_vec();
                let next = choices.pop().expect("there is a choice");
                stack.push((machine.mark(), choices, machine.events().len()));
                machine.step(next);
            }
            let begins: Vec<usize> = stack.iter().map(|frame| frame.2).collect();
            self.take(&machine, &begins, &mut all);
            n_executions += 1;
            if n_executions > most {
                return None;
            }
            loop {
                let Some((mark, choices, _)) = stack.last_mut() else { return Some(all) };
                machine.undo_to(*mark);
                if let Some(next) = choices.pop() {
                    machine.step(next);
                    break;
                }
                stack.pop();
            }
        }
    }

    /// Names the steps of one execution, whose events begin at these positions.
    fn take(&mut self, machine: &Machine<'_>, begins: &[usize], all: &mut BTreeSet<u32>) {
        let events = machine.events();
        // By thread: the steps that its next one comes after.
        let mut knows: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut made: Vec<(Vec<Access>, BTreeSet<u32>)> = Vec::new();
        let first = begins.first().copied().unwrap_or(events.len());
        follow(&mut knows, &events[..first]);
        for (nth, &choice) in machine.schedule().iter().enumerate() {
            let end = begins.get(nth + 1).copied().unwrap_or(events.len());
            let own = &events[begins[nth]..end];
            let is_own = |event: &&Event| event.thread == choice.thread && !event.alone;
            let accesses: Vec<Access> = own.iter().filter(is_own).filter_map(Access::of).collect();
            let mut past = knows.get(&choice.thread.0).cloned().unwrap_or_default();
            for (earlier, with_past) in &made {
                let causes = |access: &Access| accesses.iter().any(|later| access.is_cause(later, self.arcs));
                if earlier.iter().any(causes) {
                    past.extend(with_past);
                }
            }
            let name = self.names.of(choice.thread.0, choice.variant, past.clone());
            all.insert(name);
            past.insert(name);
            knows.insert(choice.thread.0, past.clone());
            made.push((accesses, past));
            follow(&mut knows, own);
        }
    }
}

/// Threads that are created know what their creators know, and who joins knows what the joined thread knew.
fn follow(knows: &mut BTreeMap<u32, BTreeSet<u32>>, events: &[Event]) {
    for event in events {
        let of = |thread: u32, knows: &BTreeMap<u32, BTreeSet<u32>>| knows.get(&thread).cloned().unwrap_or_default();
        let other = event.address as u32;
        match event.kind {
            OpKind::Create => {
                let creator = of(event.thread.0, knows);
                knows.insert(other, creator);
            }
            OpKind::Join => {
                let target = of(other, knows);
                knows.entry(event.thread.0).or_default().extend(target);
            }
            _ => {}
        }
    }
}
