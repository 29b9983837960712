//! The machine's side of the memo: steps are replayed while they are known, and executed when something new comes.

use super::{CHECKED, Guide, Memo, Ordering, bit};
use crate::backtrack::Mark;
use crate::machine::Machine;
use gordian_base::ThreadId;
use gordian_trace::Choice;

impl Machine<'_> {
    /// From here on steps that were made before are replayed from the memo. Searches want that, which go back again and again.
    pub fn remember_steps(&mut self) {
        if self.may_remember() {
            self.back.memo = self.begin_memo().map(Box::new);
        }
    }

    /// How many steps were replayed from the memo so far, as long as they are remembered.
    pub fn steps_replayed(&self) -> u64 {
        self.back.memo.as_ref().map_or(0, |memo| memo.n_replayed_before + memo.n_replayed)
    }

    /// Makes the steps that were only replayed, for whoever looks at more than events, choices and pending operations.
    pub fn execute_replayed_steps(&mut self) {
        if let Some(mut memo) = self.back.memo.take() {
            self.catch_up(&mut memo);
            self.back.memo = Some(memo);
        }
    }

    /// As [`Machine::step`], if steps are remembered.
    pub(crate) fn step_or_replay(&mut self, choice: Choice, mut memo: Box<Memo>) {
        if self.replay_step(&mut memo, choice) {
            memo.list_choices();
            self.back.memo = Some(memo);
            return;
        }
        let is_lost = memo.is_lost(self.log.schedule.len());
        self.catch_up(&mut memo);
        let before = self.snapshot();
        self.back.snapshots.push(before);
        memo.n_made += 1;
        if is_lost {
            self.make_step(choice);
        } else {
            self.listen();
            self.make_step(choice);
            self.stop_listening();
            self.remember(&mut memo, choice, before);
        }
        // If not, all is forgotten. There is a snapshot before every step so far, as if each had been marked.
        self.back.memo = memo.is_worth_it().then_some(memo);
    }

    /// Makes steps as they are wanted while they can be replayed from the memo.
    pub fn replay_steps(&mut self, guide: &mut impl Guide) {
        let Some(mut memo) = self.back.memo.take() else { return };
        let mut last = self.log.schedule.last().map_or(ThreadId::MAIN, |choice| choice.thread);
        while self.back.is_replayed && self.end.is_none() {
            let (free, n_events) = (memo.free(), self.log.events.len());
            let Some(thread) = guide.next(free, last) else { break };
            assert!(free & bit(thread) != 0, "{thread:?} cannot go on");
            let mark = Mark(self.log.schedule.len() as u32);
            if !self.replay_step(&mut memo, Choice::of(thread)) {
                break;
            }
            guide.passed(mark, n_events, thread);
            last = thread;
        }
        memo.list_choices();
        self.back.memo = Some(memo);
    }

    /// Replays the step from the memo if all of it is known. The choices after it are left to be listed.
    fn replay_step(&mut self, memo: &mut Memo, choice: Choice) -> bool {
        let depth = self.log.schedule.len();
        if memo.is_lost(depth) || choice.variant > 0 || depth as u64 + 1 >= self.settings.max_steps {
            return false;
        }
        let (orders, n_events) = (self.order_mark(), self.log.events.len());
        memo.begin(orders);
        let is_known = memo.replay(choice.thread, &mut self.log.events, None).is_some();
        if !is_known || !self.follow_all_orders(memo) {
            self.take_orders_back(orders);
            self.log.events.truncate(n_events);
            memo.take_back(depth);
            return false;
        }
        memo.n_replayed += 1;
        self.end = memo.end.take();
        self.log.step_starts.push(n_events as u32);
        self.log.schedule.push(choice);
        self.back.is_replayed = true;
        if cfg!(debug_assertions) && self.log.schedule.len().is_multiple_of(CHECKED) {
            self.check_replayed(memo);
        }
        true
    }

    #[inline]
    fn follow_all_orders(&mut self, memo: &Memo) -> bool {
        let orderings = if self.tracks_races() { &memo.orderings[..] } else { &[] };
        orderings.iter().all(|&Ordering { thread, orders, first_event }| {
            self.follow_orders(thread, memo.tables.orders(orders), first_event as usize)
        })
    }

    /// Makes the steps that were replayed from the memo.
    fn catch_up(&mut self, memo: &mut Memo) {
        if !std::mem::take(&mut self.back.is_replayed) {
            return;
        }
        let made = self.back.snapshots.len();
        self.take_orders_back(memo.moments[made].orders);
        let steps = self.log.schedule.split_off(made);
        let events = self.log.events.split_off(self.log.step_starts[made] as usize);
        self.log.step_starts.truncate(made);
        self.end = None;
        let first = self.log.events.len();
        memo.n_made += steps.len() as u64;
        for choice in steps {
            let before = self.snapshot();
            self.back.snapshots.push(before);
            self.make_step(choice);
        }
        assert!(self.log.events[first..] == events, "steps that were replayed from the memo went otherwise");
    }

    /// Makes the steps that were replayed from the memo, and compares.
    #[cold]
    fn check_replayed(&mut self, memo: &mut Memo) {
        let (end, findings) = (self.end.clone(), self.log.findings.len());
        self.catch_up(memo);
        assert_eq!((&self.end, self.log.findings.len()), (&end, findings), "the replayed end is another one");
        assert!(end.is_some() || memo.agrees_with(self), "what follows a replayed step is something else");
    }

    /// As [`Machine::undo_to`], to the state after so many steps, if steps are remembered.
    pub(crate) fn undo_replayed(&mut self, depth: usize) {
        let memo = self.back.memo.as_mut().expect("steps are remembered");
        let orders = memo.moments.get(depth).map(|moment| moment.orders);
        memo.take_back(depth);
        if let Some(&snapshot) = self.back.snapshots.get(depth) {
            self.back.snapshots.truncate(depth);
            self.back.is_replayed = false;
            self.return_to(snapshot);
            return;
        }
        self.back.is_replayed = self.back.snapshots.len() < depth;
        if let Some(&n_events) = self.log.step_starts.get(depth) {
            self.log.events.truncate(n_events as usize);
        }
        if let Some(orders) = orders {
            self.take_orders_back(orders);
        }
        self.log.step_starts.truncate(depth);
        self.log.schedule.truncate(depth);
        self.end = None;
    }
}
