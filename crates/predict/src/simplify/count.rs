//! How many switches are left: exactly for short runs, and from above for long ones.

use super::touch::Touch;
use super::{MOST_EXACT, Switches};
use gordian_trace::SwitchSet;

impl Switches {
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let n = self.transitions.len() as u32;
        (0..n)
            .flat_map(move |a| (0..n).map(move |b| (a, b)))
            .filter(|&(a, b)| self.transitions[a as usize].thread != self.transitions[b as usize].thread)
    }

    pub(super) fn n_possible(&self) -> (u64, SwitchSet) {
        if self.transitions.len() > MOST_EXACT {
            return (self.count_possible(|_, _| true, |_| true, |_| true), SwitchSet::AtMost);
        }
        (self.pairs().filter(|&(a, b)| self.is_possible(a, b)).count() as u64, SwitchSet::Adequate)
    }

    pub(super) fn n_needed(&self) -> (u64, SwitchSet) {
        if self.transitions.len() > MOST_EXACT {
            // Locks alone rule out pairs that go down.
            let goes_up = |from: usize, to: usize| from < to;
            let up = self.count_possible(goes_up, |a| self.leaves[a as usize], |b| self.starts[b as usize]);
            return (up + self.count_down() + self.count_certain(), SwitchSet::AtMost);
        }
        let (switches, set) = self.needed();
        (switches.len() as u64, set)
    }

    /// Pairs of which the first has to come before the second and before nothing of its thread before that, from a thread to one with a smaller number.
    fn count_certain(&self) -> u64 {
        let n = self.n_threads();
        let clock = |at: u32| self.clocks.of(at);
        let mut count = 0;
        for at in 0..self.transitions.len() as u32 {
            let before = self.previous(at).map(clock);
            let own = self.transitions[at as usize].thread as usize;
            let known = |thread: usize| before.map_or(0, |clock| clock[thread]);
            count += (own + 1..n).filter(|&thread| clock(at)[thread] > known(thread)).count() as u64;
        }
        count
    }

    /// Dependent pairs that locks allow, from a thread to one with a smaller number.
    fn count_down(&self) -> u64 {
        let n = self.n_threads();
        let by_thread = |group: &[(u32, Touch)], reads: bool| {
            let mut counts = vec![0u64; n];
            for (at, _) in group.iter().filter(|(_, touch)| touch.reads == reads) {
                counts[self.transitions[*at as usize].thread as usize] += 1;
            }
            counts
        };
        let mut count = 0;
        for groups in self.touching.values() {
            let counted: Vec<(u32, [Vec<u64>; 2])> = groups
                .iter()
                .map(|group| (group.locking, [true, false].map(|reads| by_thread(&group.touches, reads))))
                .collect();
            for (from, a) in &counted {
                let held = self.transitions[self.examples[*from as usize] as usize].held_after;
                for (to, b) in &counted {
                    if self.steps.locks && self.is_excluded(held, self.examples[*to as usize]) {
                        continue;
                    }
                    // Reads and reads commute.
                    for (x, y) in [(&a[0], &b[1]), (&a[1], &b[0]), (&a[1], &b[1])] {
                        let mut smaller = 0;
                        for thread in 0..n {
                            count += x[thread] * smaller;
                            smaller += y[thread];
                        }
                    }
                }
            }
        }
        count
    }

    /// Pairs that creation and join allow, counted thread by thread; locks are not looked at.
    fn count_possible(
        &self,
        goes: impl Fn(usize, usize) -> bool,
        from: impl Fn(u32) -> bool,
        to: impl Fn(u32) -> bool,
    ) -> u64 {
        let n = self.n_threads();
        let prefix: Vec<Vec<u64>> = (self.of_thread.iter())
            .map(|of| {
                let mut sums = vec![0];
                for &at in of {
                    sums.push(sums[sums.len() - 1] + u64::from(to(at)));
                }
                sums
            })
            .collect();
        let mut count = 0;
        for (mine, of_mine) in self.of_thread.iter().enumerate() {
            // By thread: its first transition that certainly comes after `a`.
            let mut firsts = vec![0; n];
            let advance = |firsts: &mut [usize], a: u32| {
                (0..n).filter(|&thread| thread != mine).for_each(|thread| self.advance(&mut firsts[thread], a, thread));
            };
            if let Some(&a) = of_mine.first() {
                advance(&mut firsts, a);
            }
            for &a in of_mine {
                let certain = firsts.clone();
                let after = self.next(a);
                if let Some(next) = after {
                    advance(&mut firsts, next);
                }
                if !from(a) {
                    continue;
                }
                let known = self.clocks.of(a);
                for thread in (0..n).filter(|&thread| thread != mine && goes(mine, thread)) {
                    let (known, n_of) = (known[thread] as usize, self.of_thread[thread].len());
                    // What certainly comes after `a` comes right after it only if it is the first.
                    let until = after.map_or(n_of, |_| firsts[thread]).min(certain[thread] + 1).min(n_of);
                    count += prefix[thread][until.max(known)] - prefix[thread][known];
                }
            }
        }
        count
    }
}
