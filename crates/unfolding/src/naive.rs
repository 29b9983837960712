//! Depth-first search over the markings of the model, cut off at markings that were seen before. A test is made only where the model is incomplete.
//!
//! After Kähkönen and Heljanko, *Lightweight state capturing for automated testing of multithreaded programs* (TAP 2014).

use crate::model::Moves;
use crate::places::{Marking, TransitionId};
use crate::tester::Tester;
use gordian_engine::Executor;
use gordian_trace::{Choice, Stop};

/// A marking on the way, and what is still to be tried there.
struct Frame {
    marking: Marking,
    left: Vec<(Choice, TransitionId)>,
    is_entered: bool,
}

impl Frame {
    fn new(marking: Marking) -> Frame {
        Frame { marking, left: Vec::new(), is_entered: false }
    }
}

impl<E: Executor> Tester<'_, E> {
    pub fn explore_markings(&mut self) -> Stop {
        if let Some(stop) = self.test(&[], None) {
            return stop;
        }
        let initial = self.prober.initial().clone();
        self.visited.insert(initial.clone());
        let mut frames = vec![Frame::new(initial)];
        let mut path: Vec<Choice> = Vec::new();
        while let Some(frame) = frames.last_mut() {
            if !frame.is_entered {
                frame.is_entered = true;
                match self.moves_at(&frame.marking, &path) {
                    Ok(moves) => frame.left = moves,
                    Err(stop) => return stop,
                }
                frame.left.reverse();
            }
            let Some((choice, transition)) = frame.left.pop() else {
                frames.pop();
                path.pop();
                continue;
            };
            if self.model.transitions[transition].ends || self.is_beyond_bound(choice, &frame.marking) {
                continue;
            }
            let marking = frame.marking.clone();
            path.push(choice);
            let after = loop {
                match self.model.fire(&marking, transition) {
                    Some(after) => break after,
                    None => {
                        if let Some(stop) = self.learn(&path, None) {
                            return stop;
                        }
                    }
                }
            };
            if self.visited.contains(&after) {
                self.n_cut_off += 1;
                path.pop();
            } else {
                self.visited.insert(after.clone());
                frames.push(Frame::new(after));
            }
        }
        Stop::Exhausted
    }

    /// What can happen at a marking that this path leads to.
    pub fn moves_at(&mut self, marking: &Marking, path: &[Choice]) -> Result<Vec<(Choice, TransitionId)>, Stop> {
        loop {
            match self.model.moves(marking) {
                Moves::Ended => return Ok(Vec::new()),
                Moves::Known(moves) => {
                    if moves.is_empty() && self.model.is_anybody_left(marking) {
                        self.show_stuck(marking, path)?;
                    }
                    return Ok(moves);
                }
                Moves::Unknown(_) if self.model.present(marking).len() == 1 => {
                    if let Some(stop) = self.test(path, None) {
                        return Err(stop);
                    }
                    self.model.endings.insert(marking.clone());
                }
                Moves::Unknown(step) => {
                    if let Some(stop) = self.learn(path, step) {
                        return Err(stop);
                    }
                }
            }
        }
    }

    /// Nobody can go on: an execution is to show that, one for each situation.
    fn show_stuck(&mut self, marking: &Marking, path: &[Choice]) -> Result<(), Stop> {
        let situation = self.model.situation(marking);
        if self.stuck.insert(situation)
            && let Some(stop) = self.test(path, None)
        {
            return Err(stop);
        }
        Ok(())
    }
}
