//! The rules that a line must keep. What breaks one becomes a clause that holds of all reorderings.

use crate::line::Atom;
use crate::played::Played;
use crate::reorder::Reorderer;
use crate::run::{Op, Section};

impl Reorderer<'_> {
    pub(crate) fn play_event(&mut self, state: &mut Played, event: u32) {
        let run = self.run;
        if !self.lives.is_empty() {
            self.live(state, event);
        }
        match run.events[event as usize].op {
            Op::Acquire { lock, .. } | Op::Woken { mutex: lock, .. } => {
                if let Op::Woken { cond, .. } = run.events[event as usize].op {
                    self.wake(state, event, cond);
                }
                let section = run.begins[&event];
                self.acquire(state, section);
                state.open.entry(lock).or_default().push(section);
            }
            Op::Release { lock } => state.release(run, event, lock),
            Op::Wait { cond, mutex } => {
                state.release(run, event, mutex);
                let ends = self.wait_ends.get(&event).copied();
                state.begin_wait(run, cond, event, ends);
            }
            Op::AcquireFails { lock, shared } => self.fail_to_acquire(state, event, lock, shared),
            Op::Signal(cond) => state.signal(cond, event),
            Op::Broadcast(cond) => state.broadcast(cond, event),
            Op::SemInit { semaphore, value } => {
                state.semaphores.entry(semaphore).or_default().initial = value;
            }
            Op::SemPost(semaphore) => state.semaphores.entry(semaphore).or_default().posts.push(event),
            Op::SemWait(semaphore) => self.take(state, event, semaphore),
            Op::SemFails(semaphore) => self.fail_to_take(state, event, semaphore),
            Op::GiveUp { cond } => self.give_up(state, event, cond),
            Op::Read(span) if run.sources.is_some() => self.read(state, event, run.variable(span.address)),
            Op::Write(span) if run.sources.is_some() => {
                let variable = run.variable(span.address);
                // A read-modify-write reads first.
                if run.sources.as_ref().is_some_and(|sources| sources[event as usize].is_some()) {
                    self.read(state, event, variable);
                }
                state.written.insert(variable, event);
            }
            _ => {}
        }
    }

    /// Rule: sections of a lock do not overlap.
    fn acquire(&mut self, state: &mut Played, section: u32) {
        let mine = self.run.sections[section as usize];
        let others: Vec<Section> =
            state.open.get(&mine.lock).into_iter().flatten().map(|&other| self.run.sections[other as usize]).collect();
        for other in others.into_iter().filter(|other| other.thread != mine.thread && !(other.shared && mine.shared)) {
            let mut clause = vec![self.left_out(mine.acquire), self.left_out(other.acquire)];
            if let Some(release) = other.release {
                clause.push(self.before(release, mine.acquire));
            }
            if let Some(release) = mine.release {
                clause.push(self.before(release, other.acquire));
            }
            self.line.add(&clause);
            state.is_violated = true;
        }
    }

    /// Rule: an attempt fails only while somebody else holds the lock.
    fn fail_to_acquire(&mut self, state: &mut Played, event: u32, lock: u64, shared: bool) {
        let run = self.run;
        let thread = run.events[event as usize].thread;
        let excludes = |section: &Section| section.thread != thread && !(shared && section.shared);
        let held = state.open.get(&lock).into_iter().flatten().any(|&other| excludes(&run.sections[other as usize]));
        if held {
            return;
        }
        let mut clause = vec![self.left_out(event)];
        let sections = self.sections_of.get(&lock).cloned().unwrap_or_default();
        for section in sections.into_iter().map(|number| run.sections[number as usize]).filter(excludes) {
            let acquired = self.before(section.acquire, event);
            let not_released = section.release.map_or(Atom::True, |release| self.before(event, release));
            let holds = self.line.all(&[acquired, not_released]);
            clause.push(holds);
        }
        self.line.add(&clause);
        state.is_violated = true;
    }

    /// Rule: whoever wakes was woken, by a signal of its own or by a broadcast, since it began to wait.
    fn wake(&mut self, state: &mut Played, event: u32, cond: u64) {
        let thread = self.run.events[event as usize].thread;
        let waiting = state.conds.entry(cond).or_default();
        let Some(at) = waiting.iter().position(|waiter| waiter.thread == thread) else { return };
        let waiter = waiting.remove(at);
        if waiter.is_woken {
            return;
        }
        state.is_violated = true;
        let signals = self.signals.get(&cond).cloned().unwrap_or_default();
        let position = |event: u32| state.position.get(&self.run.instant(event)).copied();
        let is_between = |&signal: &u32| {
            let at = position(signal);
            at.is_some() && at > position(waiter.wait) && at < position(event)
        };
        if signals.iter().any(is_between) {
            // They woke others.
            return self.refuse_order(state, event, cond);
        }
        let mut clause = vec![self.left_out(event)];
        let (wait, woken) = (self.run.instant(waiter.wait), self.run.instant(event));
        for signal in signals {
            let signal = self.run.instant(signal);
            clause.push(self.line.in_row(wait, signal, woken));
        }
        self.line.add(&clause);
    }

    /// Rule: who gives up waiting was not woken.
    fn give_up(&mut self, state: &mut Played, event: u32, cond: u64) {
        let thread = self.run.events[event as usize].thread;
        let waiting = state.conds.entry(cond).or_default();
        let Some(at) = waiting.iter().position(|waiter| waiter.thread == thread) else { return };
        if waiting.remove(at).is_woken {
            state.is_violated = true;
            self.refuse_order(state, event, cond);
        }
    }

    /// Without the event, or all that concerns the condition comes in another order, or there is more of it.
    fn refuse_order(&mut self, state: &Played, event: u32, cond: u64) {
        let run = self.run;
        let concerns = |event: &u32| run.events[*event as usize].op.object() == Some(cond);
        let events = |&instant: &u32| {
            let (from, to) = run.instants[instant as usize].events;
            from..to
        };
        let order: Vec<u32> = state.instants.iter().flat_map(events).filter(concerns).collect();
        let mut clause = vec![self.left_out(event)];
        for pair in order.windows(2) {
            clause.push(self.before(pair[1], pair[0]));
        }
        for other in (0..run.events.len() as u32).filter(concerns) {
            if !state.position.contains_key(&run.instant(other)) {
                clause.push(self.line.within(run.instant(other)));
            }
        }
        self.line.add(&clause);
    }

    /// Rule: objects are used while they live; it would fail there, and so it is the last event of its thread. A lock is destroyed only while
    /// nobody holds it.
    fn live(&mut self, state: &mut Played, event: u32) {
        let op = self.run.events[event as usize].op;
        if let Some(object) = op.makes() {
            state.begun.insert(object);
        }
        if let Some(object) = op.ends() {
            state.ended.insert(object);
            self.end(state, event, object);
        }
        for object in op.uses().into_iter().flatten() {
            let Some(&(made, ended)) = self.lives.get(&object) else { continue };
            if let Some(made) = made.filter(|_| !state.begun.contains(&object)) {
                let clause = [self.left_out(event), self.before(made, event)];
                self.line.add(&clause);
                state.is_violated = true;
            }
            if let Some(ended) = ended.filter(|_| state.ended.contains(&object)) {
                let clause = [self.left_out(event), self.before(event, ended)];
                self.line.add(&clause);
                state.is_violated = true;
            }
        }
    }

    fn end(&mut self, state: &mut Played, event: u32, object: u64) {
        let (run, thread) = (self.run, self.run.events[event as usize].thread);
        let open: Vec<Section> =
            state.open.get(&object).into_iter().flatten().map(|&open| run.sections[open as usize]).collect();
        for section in open.into_iter().filter(|section| section.thread != thread) {
            let mut clause = vec![self.left_out(event), self.left_out(section.acquire)];
            clause.push(self.before(event, section.acquire));
            clause.extend(section.release.map(|release| self.before(release, event)));
            self.line.add(&clause);
            state.is_violated = true;
        }
        let waits: Vec<u32> = state.conds.get(&object).into_iter().flatten().map(|waiter| waiter.wait).collect();
        for wait in waits {
            let mut clause = vec![self.left_out(event), self.left_out(wait), self.before(event, wait)];
            let ends = self.wait_ends.get(&wait).copied();
            clause.extend(ends.map(|(end, _)| self.before(end, event)));
            self.line.add(&clause);
            state.is_violated = true;
        }
    }

    /// Rule: an attempt fails only while the semaphore is zero.
    fn fail_to_take(&mut self, state: &mut Played, event: u32, semaphore: u64) {
        let counts = state.semaphores.entry(semaphore).or_default();
        if counts.initial + counts.posts.len() as u64 <= counts.waits.len() as u64 {
            return;
        }
        state.is_violated = true;
        let (posted, made) = (counts.posts.clone(), counts.waits.clone());
        let mut clause = vec![self.left_out(event)];
        for post in posted {
            clause.push(self.before(event, post));
        }
        let run = self.run;
        for (wait, _) in (0u32..).zip(&run.events).filter(|(_, event)| event.op == Op::SemWait(semaphore)) {
            if !made.contains(&wait) {
                clause.push(self.before(wait, event));
            }
        }
        self.line.add(&clause);
    }

    /// Rule: a semaphore stays at zero or above.
    fn take(&mut self, state: &mut Played, event: u32, semaphore: u64) {
        let counts = state.semaphores.entry(semaphore).or_default();
        let has_one = counts.initial + counts.posts.len() as u64 > counts.waits.len() as u64;
        if has_one {
            counts.waits.push(event);
            return;
        }
        let (posted, waits) = (counts.posts.clone(), counts.waits.clone());
        counts.waits.push(event);
        state.is_violated = true;
        let mut clause = vec![self.left_out(event)];
        let posts = self.posts.get(&semaphore).cloned().unwrap_or_default();
        for post in posts.into_iter().filter(|post| !posted.contains(post)) {
            clause.push(self.before(post, event));
        }
        for wait in waits {
            clause.push(self.before(event, wait));
        }
        self.line.add(&clause);
    }

    /// Rule, where values are not known: a read takes its write of the run.
    fn read(&mut self, state: &mut Played, event: u32, address: u64) {
        let source = self.run.sources.as_ref().expect("reads have sources")[event as usize];
        let found = state.written.get(&address).copied();
        let Some(found) = found.filter(|_| found != source) else { return };
        let mut clause = vec![self.left_out(event), self.before(event, found)];
        if let Some(source) = source {
            clause.push(self.before(found, source));
        }
        self.line.add(&clause);
        state.is_violated = true;
    }
}
