//! Drops switches one by one, as long as every class keeps a line.
//!
//! Fewer switches never leave more lines. So a switch that cannot be dropped now cannot be dropped later either, and what is left after each was tried once is
//! minimal. Each class remembers a line; another is looked for only if that line uses the switch that is to go.

use super::Switches;
use super::normal_form::NormalForm;
use gordian_base::{FxHashMap, FxHashSet};
use gordian_trace::SwitchSet;

/// Classes beyond which nothing is dropped, and steps of lines that may be tried to find others.
const MOST_CLASSES: u64 = 20_000;
const MOST_STEPS: u64 = 2_000_000;

/// A minimal set of switches, if there are not too many classes; otherwise those of the normal form.
pub(super) fn reduce(model: &Switches, form: &NormalForm) -> (Vec<(u32, u32)>, SwitchSet) {
    if form.is_of_two() {
        return (form.switches.clone(), SwitchSet::Minimal);
    }
    if form.n_classes() > MOST_CLASSES {
        return (form.switches.clone(), SwitchSet::Adequate);
    }
    let mut classes: Vec<Class> = form.lines().iter().map(|line| Class::new(model, line)).collect();
    let mut n_uses: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    for class in &classes {
        class.switches.iter().for_each(|&switch| *n_uses.entry(switch).or_default() += 1);
    }
    // What few classes use is the likeliest to be spared.
    let mut order = form.switches.clone();
    order.sort_by_key(|switch| (n_uses.get(switch).copied(), *switch));
    let mut allowed: FxHashSet<(u32, u32)> = form.switches.iter().copied().collect();
    let (mut n_steps, mut set) = (0, SwitchSet::Minimal);
    for switch in order {
        allowed.remove(&switch);
        let mut others: Vec<(usize, Vec<(u32, u32)>)> = Vec::new();
        let mut is_lost = false;
        for (number, class) in classes.iter().enumerate().filter(|(_, class)| class.switches.contains(&switch)) {
            match class.line_with(model, &allowed, &mut n_steps) {
                Some(switches) => others.push((number, switches)),
                None => {
                    is_lost = true;
                    break;
                }
            }
        }
        if n_steps > MOST_STEPS {
            set = SwitchSet::Adequate;
        }
        if is_lost {
            allowed.insert(switch);
        } else {
            others.into_iter().for_each(|(number, switches)| classes[number].switches = switches);
        }
    }
    let mut left: Vec<(u32, u32)> = allowed.into_iter().collect();
    left.sort_unstable();
    (left, set)
}

/// A class of equivalent lines.
struct Class {
    /// By thread: its transitions in the class, each with how many of each thread have to come before it.
    threads: Vec<Vec<(u32, Vec<u32>)>>,
    n_transitions: usize,
    /// The switches of one of its lines.
    switches: Vec<(u32, u32)>,
}

impl Class {
    fn new(model: &Switches, line: &[u32]) -> Self {
        let n = model.n_threads();
        let thread = |at: u32| model.transitions[at as usize].thread as usize;
        let mut threads: Vec<Vec<(u32, Vec<u32>)>> = vec![Vec::new(); n];
        for (nth, &at) in line.iter().enumerate() {
            let mut needs = vec![0; n];
            for &before in &line[..nth] {
                if thread(before) != thread(at) && model.depend(before, at) {
                    needs[thread(before)] = model.clocks.nth(before);
                }
            }
            threads[thread(at)].push((at, needs));
        }
        let pairs = line.windows(2).map(|pair| (pair[0], pair[1]));
        let switches = pairs.filter(|&(a, b)| thread(a) != thread(b)).collect();
        Class { threads, n_transitions: line.len(), switches }
    }

    /// The switches of a line of the class that has only these. None if there is none, or if too much was tried.
    fn line_with(
        &self,
        model: &Switches,
        allowed: &FxHashSet<(u32, u32)>,
        n_steps: &mut u64,
    ) -> Option<Vec<(u32, u32)>> {
        let thread = |at: u32| model.transitions[at as usize].thread as usize;
        let mut made = vec![0u32; self.threads.len()];
        let mut line: Vec<u32> = Vec::new();
        let mut tried: FxHashSet<(Vec<u32>, u32)> = FxHashSet::default();
        // By length of the line: the thread that is tried next.
        let mut next = vec![0usize];
        while let Some(at) = next.last_mut() {
            if line.len() == self.n_transitions {
                let pairs = line.windows(2).map(|pair| (pair[0], pair[1]));
                return Some(pairs.filter(|&(a, b)| thread(a) != thread(b)).collect());
            }
            if *n_steps > MOST_STEPS {
                return None;
            }
            let side = *at;
            *at += 1;
            let Some(of) = self.threads.get(side) else {
                next.pop();
                line.pop().into_iter().for_each(|last| made[thread(last)] -= 1);
                continue;
            };
            let Some((transition, needs)) = of.get(made[side] as usize) else { continue };
            let last = line.last().copied();
            let is_allowed = last.is_none_or(|last| thread(last) == side || allowed.contains(&(last, *transition)));
            if is_allowed && needs.iter().zip(&made).all(|(needs, made)| needs <= made) {
                *n_steps += 1;
                made[side] += 1;
                if tried.insert((made.clone(), *transition)) {
                    line.push(*transition);
                    next.push(0);
                } else {
                    made[side] -= 1;
                }
            }
        }
        None
    }
}
