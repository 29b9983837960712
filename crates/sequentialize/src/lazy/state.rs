//! What is known at a point of the unrolled code.

use super::value::{Contents, Objects, Value};
use crate::plan::MOST_THREADS;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Who runs: main before it creates threads; main while others run; T'; T; main after it joined T.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Init,
    Forked,
    RunU,
    RunT,
    After,
}

/// The two copies of the memory, by who works on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    T = 0,
    U = 1,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Created {
    pub start: Value,
    pub argument: (String, Value),
}

#[derive(Clone, Debug)]
pub struct State {
    pub registers: Vec<Value>,
    pub memory: [BTreeMap<usize, Rc<Contents>>; 2],
    pub phase: Phase,
    pub created: Vec<Created>,
    /// By number.
    pub joined: [bool; MOST_THREADS + 1],
    /// All threads have been written: main has waited for one of them.
    pub has_run: bool,
    /// By thread: how many inputs it has asked for, if that is known.
    pub n_inputs: [Option<u32>; MOST_THREADS + 1],
    /// Acquisitions that may not have been released, by thread.
    pub held: [BTreeSet<usize>; 2],
}

/// Threads were created or joined on one way and not on the other.
pub struct Differ;

impl State {
    pub fn new(phase: Phase) -> State {
        State {
            registers: Vec::new(),
            memory: Default::default(),
            phase,
            created: Vec::new(),
            joined: [false; MOST_THREADS + 1],
            has_run: false,
            n_inputs: [Some(0); MOST_THREADS + 1],
            held: Default::default(),
        }
    }

    pub fn contents(&self, copy: Copy, object: usize) -> Rc<Contents> {
        self.memory[copy as usize].get(&object).cloned().unwrap_or_default()
    }

    pub fn contents_mut(&mut self, copy: Copy, object: usize) -> &mut Contents {
        Rc::make_mut(self.memory[copy as usize].entry(object).or_default())
    }

    pub fn join(&mut self, other: State, objects: &Objects) -> Result<(), Differ> {
        let is_same = self.phase == other.phase
            && self.created.len() == other.created.len()
            && self.joined == other.joined
            && self.has_run == other.has_run;
        if !is_same {
            return Err(Differ);
        }
        for (mine, other) in self.created.iter_mut().zip(&other.created) {
            if mine != other {
                return Err(Differ);
            }
        }
        for (mine, other) in self.registers.iter_mut().zip(&other.registers) {
            if mine != other {
                *mine = mine.join(other, objects);
            }
        }
        for (mine, other) in self.n_inputs.iter_mut().zip(other.n_inputs) {
            *mine = mine.filter(|_| *mine == other);
        }
        for copy in 0..2 {
            let changed: BTreeSet<usize> = self.memory[copy].keys().chain(other.memory[copy].keys()).copied().collect();
            for object in changed {
                let theirs = other.memory[copy].get(&object).cloned().unwrap_or_default();
                let mine = self.memory[copy].entry(object).or_default();
                if !Rc::ptr_eq(mine, &theirs) {
                    *mine = Rc::new(mine.join(&theirs, &objects.list[object], objects));
                }
            }
            self.held[copy].extend(&other.held[copy]);
        }
        Ok(())
    }
}

/// Joins a state into another one that may not be there yet.
pub fn join_into(state: &mut Option<State>, other: State, objects: &Objects) -> Result<(), Differ> {
    match state {
        None => *state = Some(other),
        Some(state) => state.join(other, objects)?,
    }
    Ok(())
}
