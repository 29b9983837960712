//! What holds when instances are entered, from the calls of each.

use super::Flow;
use super::barriers::Waits;
use super::order::{self, Worklist};
use super::state::{self, Entry, Held, Here, Lock, SECTION};
use crate::callgraph::{RootKind, Target};
use crate::objects::InstanceId;
use crate::paths::Path;
use crate::sets::Set;
use gordian_base::Id;
use std::rc::Rc;

impl Flow<'_, '_> {
    /// Top down: what holds at the entry of each instance.
    pub(super) fn enter(&mut self) {
        let numbers = order::callees_first(self.graph);
        let last = numbers.len() as u32;
        let mut queue = Worklist::new(numbers.into_iter().map(|number| last - number).collect());
        let all: Set = (0..self.graph.threads.len() as u32).collect();
        let mut before = Set::default();
        for &(root, kind) in &self.graph.threads[0].roots {
            if kind == RootKind::Before
                && let Some(summary) = &self.summaries[root.index()]
            {
                before.union(&summary.created);
            }
        }
        for (thread, of) in self.graph.threads.iter().enumerate() {
            for &(root, kind) in &of.roots {
                let live = match kind {
                    RootKind::Before => before.clone(),
                    RootKind::Start if thread == 0 => before.clone(),
                    RootKind::Start => Set::default(),
                    RootKind::End => all.clone(),
                };
                // What runs at the end has come through as many waits as the thread.
                let is_any = |users: &Set| kind == RootKind::End || !users.contains(thread as u32);
                let unknown = self.known.barriers.iter().filter(|(_, users)| is_any(users));
                let waits = Waits::any(unknown.map(|(barrier, _)| *barrier));
                self.add_entry(root, &Entry { held: Vec::new(), live, waits }, &mut queue);
            }
        }
        while let Some(id) = queue.next() {
            let calls = self.graph.instances[id.index()].calls.clone();
            let groups: Vec<&[(u32, Target)]> = calls.chunk_by(|a, b| a.0 == b.0).collect();
            let pcs: Vec<u32> = groups.iter().map(|group| group[0].0).collect();
            let here = self.at(id, &pcs);
            for (group, here) in groups.into_iter().zip(here) {
                if let Some(here) = here {
                    self.enter_targets(id, group, &here, &mut queue);
                }
            }
        }
    }

    /// The targets of one call. What they are entered with is the same for most.
    fn enter_targets(&mut self, id: InstanceId, group: &[(u32, Target)], here: &Here, queue: &mut Worklist) {
        let has_symbols = here.held.iter().any(|held| matches!(held.lock, Lock::Symbolic(_)));
        let mut plain: Option<Entry> = None;
        for &(pc, target) in group {
            let (Target::Instance(to) | Target::Inside(to)) = target else { continue };
            if has_symbols || matches!(target, Target::Inside(_)) || self.graph.is_section(to) {
                let entry = self.entry_of_call(id, pc, target, to, here.clone());
                self.add_entry(to, &entry, queue);
            } else {
                let entry = match plain.take() {
                    Some(entry) => entry,
                    None => self.entry_of_call(id, pc, target, to, here.clone()),
                };
                self.add_entry(to, &entry, queue);
                plain = Some(entry);
            }
        }
    }

    fn entry_of_call(&mut self, id: InstanceId, pc: u32, target: Target, to: InstanceId, here: Here) -> Entry {
        let graph = self.graph;
        let Here { mut held, live, waits } = here;
        if let Target::Inside(_) = target
            && let Some((lock, locs)) = self.lock_at(id, pc, 0)
            && !locs.meets(&self.known.overwritten)
        {
            // Whoever comes meanwhile waits.
            held.push(Held { lock, count: 1, exclusive: true, locs });
        }
        if graph.is_section(to) && !held.iter().any(|held| held.lock == Lock::Section) {
            held.push(Held { lock: Lock::Section, count: 1, exclusive: true, locs: Rc::new(Set::one(SECTION)) });
        }
        let n_args = graph.call_site(id, pc).args.len();
        let mut renamed: Vec<Held> = Vec::new();
        for of in held {
            match of.lock {
                Lock::Exact(_) | Lock::Section => renamed.push(of),
                Lock::Symbolic(path) if matches!(target, Target::Instance(_)) => {
                    for nth in 0..n_args {
                        let Some(val) = graph.argument(id, pc, nth as u8) else { continue };
                        let argument = self.paths(id).path(val, pc);
                        if argument.root == path.root
                            && let Some(parameter) = self.paths(to).parameter(nth)
                        {
                            let offset = path.offset.wrapping_sub(argument.offset);
                            renamed.push(Held { lock: Lock::Symbolic(Path { offset, ..parameter }), ..of.clone() });
                        }
                    }
                }
                Lock::Symbolic(_) => {}
            }
        }
        renamed.sort_by_key(|held| held.lock);
        renamed.dedup_by_key(|held| held.lock);
        Entry { held: renamed, live, waits }
    }

    fn add_entry(&mut self, id: InstanceId, entry: &Entry, queue: &mut Worklist) {
        let known = &mut self.entries[id.index()];
        let changed = match known {
            None => {
                *known = Some(entry.clone());
                true
            }
            Some(known) => {
                let less_held = state::meet_held(&mut known.held, &entry.held);
                let less_waits = known.waits.meet(&entry.waits);
                known.live.union_noting(&entry.live, &mut Set::default()) || less_held || less_waits
            }
        };
        if changed {
            queue.add(id);
        }
    }
}
