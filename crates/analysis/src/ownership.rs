//! Accesses to objects that nobody but the thread which allocated them knows yet: ownership until publication, as in RacerD (Blackshear and
//! others, OOPSLA 2018).
//!
//! A web *owns* an object at an instruction if on every way there the web was computed from the result of an allocation by copies and moves within the
//! object, and nothing that may be derived from that result has been published since. To publish is to store it, to return it, or to give it to a
//! call that may keep it or may do anything but read, write, end or initialise what it points to.
//!
//! **Lemma (owned).** If a web owns an object at an instruction, no memory and no register of another function holds a pointer into the object, those
//! of callers that passed it on aside, and no lock in it was ever taken. For a pointer comes to such places by a store, a return or an argument only, and all
//! of these publish. So an access through the web never meets one of another thread, and initialising a lock there sets free none that
//! is held.
//!
//! A web that is null on some of the ways owns no less: nobody accesses anything through null.
//!
//! A function that does nothing with a parameter that would publish it leaves its caller the owner. A parameter is owned if all callers own what they
//! pass, and pass it once. The result of a function is owned if each of its returns gives up an object of its own, or null.

use crate::accesses::Access;
use crate::callgraph::{CallGraph, Target};
use crate::cfg::for_each_component;
use crate::objects::InstanceId;
use crate::template::{Op, Template, Val};
use crate::webs::Web;
use gordian_base::{FxHashMap, FxHashSet, Id};
use gordian_externals::{Effect, Pointer, Sync};
use gordian_ir::{CallSite, Callee, FuncId, Function, Inst, Program, Slot};
use std::collections::VecDeque;
use std::rc::Rc;

/// Where an owned object comes from: the call that allocates it, or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Origin {
    /// No object: the web is null.
    Null,
    Parameter(u32),
    Call(u32),
}

impl Origin {
    /// Of a web that has one of two values.
    fn or(self, other: Origin) -> Option<Origin> {
        match (self, other) {
            (Origin::Null, one) | (one, Origin::Null) => Some(one),
            (one, other) => (one == other).then_some(one),
        }
    }
}

/// The webs that own an object, each with the origin of the object. Sorted.
type Owners = Vec<(Web, Origin)>;

/// What a function does with pointers that it is given, and what it gives back.
#[derive(Clone, Debug, Default)]
struct Summary {
    /// The parameters that may be published.
    published: FxHashSet<u32>,
    /// It returns an object that nobody else knows, or null.
    returns_new: bool,
}

/// For each access whether it is through a web that owns its object.
pub fn owned(graph: &CallGraph<'_>, accesses: &[Access]) -> Vec<bool> {
    let mut owned = vec![false; accesses.len()];
    let summaries = summaries(graph);
    let mut is_root = vec![false; graph.instances.len()];
    graph.threads.iter().flat_map(|thread| &thread.roots).for_each(|(root, _)| is_root[root.index()] = true);
    let mut of_instance: Vec<Vec<usize>> = vec![Vec::new(); graph.instances.len()];
    accesses.iter().enumerate().for_each(|(nth, access)| of_instance[access.instance.index()].push(nth));
    of_instance.iter_mut().for_each(|of| of.sort_by_key(|&nth| accesses[nth].pc));
    // What callers own at their calls, by instance and parameter.
    let mut passed: FxHashMap<(InstanceId, u32), usize> = FxHashMap::default();
    for id in callers_first(graph) {
        let instance = &graph.instances[id.index()];
        // A web that is computed from an object may be in another one.
        if graph.displaces.contains(&instance.function) {
            continue;
        }
        let is_passed =
            |nth: &u32| !is_root[id.index()] && passed.get(&(id, *nth)).is_some_and(|n| *n == instance.callers.len());
        let n_parameters = graph.template_of(id).webs.parameters.len() as u32;
        let parameters: Vec<u32> = (0..n_parameters).filter(is_passed).collect();
        let Some(body) = Body::of(graph, instance.function, &summaries, &parameters) else { continue };
        body.visit(|pc, before, owners| {
            let first = of_instance[id.index()].partition_point(|&nth| accesses[nth].pc < pc);
            let here = of_instance[id.index()][first..].iter().take_while(|&&nth| accesses[nth].pc == pc);
            for &nth in here {
                owned[nth] = matches!(accesses[nth].address, Some(Val::Web(web)) if origin(owners, web).is_some());
            }
            if let Inst::Call { site } = body.function.code[pc as usize] {
                let from = instance.calls.partition_point(|(of, _)| *of < pc);
                for (_, target) in instance.calls[from..].iter().take_while(|(of, _)| *of == pc) {
                    if let Target::Instance(to) = target {
                        let given = body.given(pc, &body.function.calls[site as usize], before);
                        given.into_iter().for_each(|nth| *passed.entry((*to, nth)).or_default() += 1);
                    }
                }
            }
        });
    }
    owned
}

/// Every instance after those that call it, recursion aside.
fn callers_first(graph: &CallGraph<'_>) -> Vec<InstanceId> {
    let callee = |target: &Target| match target {
        Target::Instance(to) | Target::Inside(to) => Some(to.0),
        Target::External(_) | Target::Thread(_) => None,
    };
    let calls = graph.instances.iter().map(|of| of.calls.iter().filter_map(|(_, to)| callee(to)).collect());
    let edges: Vec<Vec<u32>> = calls.collect();
    let mut order = Vec::with_capacity(edges.len());
    for_each_component(&edges, |component| order.extend(component.iter().map(|&id| InstanceId(id))));
    order.reverse();
    order
}

/// Of all functions that are reached, callees before callers. What is called in a circle publishes everything.
fn summaries(graph: &CallGraph<'_>) -> FxHashMap<FuncId, Summary> {
    let mut summaries: FxHashMap<FuncId, Summary> = FxHashMap::default();
    for id in callers_first(graph).into_iter().rev() {
        let function = graph.instances[id.index()].function;
        if !summaries.contains_key(&function) {
            let summary = summarise(graph, function, &summaries);
            summaries.insert(function, summary);
        }
    }
    summaries
}

fn summarise(graph: &CallGraph<'_>, id: FuncId, summaries: &FxHashMap<FuncId, Summary>) -> Summary {
    let n_parameters = graph.template_for(id).webs.parameters.len() as u32;
    let all: Vec<u32> = (0..n_parameters).collect();
    let Some(body) = Body::of(graph, id, summaries, &all) else {
        return Summary { published: all.into_iter().collect(), returns_new: false };
    };
    let mut published = FxHashSet::default();
    for pc in 0..body.function.code.len() as u32 {
        let found = body.published_at(pc);
        published.extend(found.into_iter().filter_map(|origin| match origin {
            Origin::Parameter(nth) => Some(nth),
            Origin::Call(_) | Origin::Null => None,
        }));
    }
    let mut returns_new = body.function.n_returns == 1 && !graph.displaces.contains(&id);
    let mut n_returns = 0;
    // The parameters are of no use here, and may be the same object.
    let Some(alone) = Body::of(graph, id, summaries, &[]) else { return Summary { published, returns_new: false } };
    alone.visit(|pc, owners, _| {
        if let Inst::Return { src } = alone.function.code[pc as usize] {
            n_returns += 1;
            returns_new &= alone.function.n_returns == 1
                && match alone.template.val(alone.function, pc, src) {
                    Val::Const(value) => value == 0,
                    Val::Web(web) => origin(owners, web).is_some(),
                };
        }
    });
    Summary { published, returns_new: returns_new && n_returns > 0 }
}

fn origin(owners: &Owners, web: Web) -> Option<Origin> {
    owners.binary_search_by_key(&web, |(of, _)| *of).ok().map(|at| owners[at].1)
}

/// A function with the objects that it may own.
struct Body<'a> {
    program: &'a Program,
    function: &'a Function,
    template: Rc<Template>,
    summaries: &'a FxHashMap<FuncId, Summary>,
    /// The operations of each instruction.
    ops: FxHashMap<u32, Vec<Op>>,
    /// The origins from which each web may be derived.
    derived: FxHashMap<Web, Vec<Origin>>,
    at_entry: Owners,
}

impl<'a> Body<'a> {
    /// None if the function owns nothing.
    fn of(
        graph: &CallGraph<'a>,
        id: FuncId,
        summaries: &'a FxHashMap<FuncId, Summary>,
        parameters: &[u32],
    ) -> Option<Self> {
        let (program, template) = (graph.program, graph.template_for(id));
        let function = &program.functions[id];
        if template.webs.returns_twice {
            return None;
        }
        let mut at_entry: Owners =
            parameters.iter().map(|&nth| (template.webs.parameters[nth as usize], Origin::Parameter(nth))).collect();
        at_entry.sort_unstable();
        let (ops, derived) = (FxHashMap::default(), FxHashMap::default());
        let mut body = Body { program, function, template, summaries, ops, derived, at_entry };
        let mut origins = body.at_entry.clone();
        for (pc, inst) in function.code.iter().enumerate() {
            if let Inst::Call { site } = inst
                && let Some(web) = body.allocated(pc as u32, &function.calls[*site as usize])
            {
                origins.push((web, Origin::Call(pc as u32)));
            }
        }
        if origins.is_empty() {
            return None;
        }
        let template = Rc::clone(&body.template);
        template.ops.iter().for_each(|(pc, op)| body.ops.entry(*pc).or_default().push(*op));
        body.derive(&origins);
        Some(body)
    }

    fn effects(&self, call: &CallSite) -> Option<&'static [Effect]> {
        let Callee::External(external) = call.callee else { return None };
        gordian_externals::effects_of(&self.program.externals[external].name)
    }

    /// The web of a new object that the call returns.
    fn allocated(&self, pc: u32, call: &CallSite) -> Option<Web> {
        let is_new = match call.callee {
            Callee::External(_) => self.effects(call)?.contains(&Effect::Returns(Pointer::New)),
            Callee::Function(function) => self.summaries.get(&function).is_some_and(|of| of.returns_new),
            Callee::Indirect(_) => false,
        };
        (is_new && call.n_returns == 1).then(|| self.template.webs.written(pc, call.dst.0))
    }

    /// Whatever may point into an object, whichever way control goes.
    fn derive(&mut self, origins: &[(Web, Origin)]) {
        let mut edges: FxHashMap<Web, Vec<Web>> = FxHashMap::default();
        for &(pc, op) in &self.template.ops {
            match op {
                Op::Copy { dst, src: Val::Web(src) }
                | Op::Shift { dst, src: Val::Web(src), .. }
                | Op::Stride { dst, src: Val::Web(src), .. }
                | Op::Blur { dst, src: Val::Web(src) }
                | Op::Displace { dst, index: Val::Web(src), .. } => edges.entry(src).or_default().push(dst),
                Op::Call { site } => {
                    let call = &self.function.calls[site as usize];
                    for effect in self.effects(call).unwrap_or_default() {
                        if let Effect::Returns(Pointer::Into(nth)) = effect
                            && let Some(&slot) = call.args.get(usize::from(*nth))
                            && let Val::Web(src) = self.template.val(self.function, pc, slot)
                            && call.n_returns > 0
                        {
                            edges.entry(src).or_default().push(self.template.webs.written(pc, call.dst.0));
                        }
                    }
                }
                _ => {}
            }
        }
        for &(web, origin) in origins {
            let mut queue = vec![web];
            while let Some(web) = queue.pop() {
                let known = self.derived.entry(web).or_default();
                if !known.contains(&origin) {
                    known.push(origin);
                    queue.extend(edges.get(&web).into_iter().flatten());
                }
            }
        }
    }

    fn origins_of(&self, val: Val) -> &[Origin] {
        match val {
            Val::Web(web) => self.derived.get(&web).map_or(&[], Vec::as_slice),
            Val::Const(_) => &[],
        }
    }

    /// The origins of whatever the instruction publishes.
    fn published_at(&self, pc: u32) -> Vec<Origin> {
        let mut found = Vec::new();
        for op in self.ops.get(&pc).into_iter().flatten() {
            match *op {
                Op::Store { src, .. } => found.extend(self.origins_of(src)),
                Op::Call { site } => self.published_by(pc, &self.function.calls[site as usize], &mut found),
                _ => {}
            }
        }
        if let Inst::Return { src } = self.function.code[pc as usize] {
            for nth in 0..self.function.n_returns {
                let val = self.template.val(self.function, pc, Slot(src.0 + nth));
                found.extend(self.origins_of(val));
            }
        }
        found
    }

    fn published_by(&self, pc: u32, call: &CallSite, found: &mut Vec<Origin>) {
        for (nth, &slot) in call.args.iter().enumerate() {
            let origins = self.origins_of(self.template.val(self.function, pc, slot));
            if !origins.is_empty() && !self.leaves_alone(call, nth as u32) {
                found.extend(origins);
            }
        }
        for argument in &call.variadic {
            found.extend(self.origins_of(self.template.val(self.function, pc, argument.slot)));
        }
    }

    /// Whether the call surely does not publish that argument, nor takes a lock in it.
    fn leaves_alone(&self, call: &CallSite, nth: u32) -> bool {
        if call.byval.iter().any(|copy| copy.arg == nth) {
            return false;
        }
        match call.callee {
            Callee::External(_) => {
                let is_harmless = |effect: &Effect| {
                    matches!(
                        effect,
                        Effect::Reads(_)
                            | Effect::Writes(_)
                            | Effect::Copies { .. }
                            | Effect::Frees(_)
                            | Effect::Synchronises(Sync::Sets { .. })
                            | Effect::Returns(Pointer::Into(_))
                    )
                };
                self.effects(call).is_some_and(|effects| effects.iter().all(is_harmless))
            }
            Callee::Function(function) => {
                let callee = &self.program.functions[function];
                let of = self.summaries.get(&function);
                nth < callee.n_params && of.is_some_and(|of| !of.published.contains(&nth))
            }
            Callee::Indirect(_) => false,
        }
    }

    /// The parameters of the callee that are owned: the caller owns them, and passes nothing else of their origin.
    fn given(&self, pc: u32, call: &CallSite, owners: &Owners) -> Vec<u32> {
        let val = |slot| self.template.val(self.function, pc, slot);
        let is_given = |nth: &usize| {
            let Val::Web(web) = val(call.args[*nth]) else { return false };
            let Some(origin) = origin(owners, web).filter(|origin| *origin != Origin::Null) else { return false };
            let others = call.args.iter().enumerate().filter(|(other, _)| other != nth).map(|(_, slot)| *slot);
            let mut others = others.chain(call.variadic.iter().map(|argument| argument.slot));
            !call.byval.iter().any(|copy| copy.arg as usize == *nth)
                && !others.any(|slot| self.origins_of(val(slot)).contains(&origin))
        };
        (0..call.args.len()).filter(is_given).map(|nth| nth as u32).collect()
    }

    /// Makes the owners those behind the instruction, from those while it happens.
    fn define(&self, pc: u32, owners: &mut Owners) {
        let defined: Vec<Web> = self.template.webs.defined_at(pc).collect();
        if defined.is_empty() {
            return;
        }
        let new: Owners = defined.iter().filter_map(|&web| Some((web, self.origin_at(pc, web, owners)?))).collect();
        // Who owns the object of the last time is not known to own it any more.
        let again = |of: Origin| new.iter().any(|(_, origin)| *origin == of) && of == Origin::Call(pc);
        owners.retain(|(web, origin)| !defined.contains(web) && !again(*origin));
        owners.extend(new);
        owners.sort_unstable();
    }

    /// What the web owns once the instruction has defined it.
    fn origin_at(&self, pc: u32, web: Web, owners: &Owners) -> Option<Origin> {
        if let Inst::Call { site } = self.function.code[pc as usize] {
            let allocated = self.allocated(pc, &self.function.calls[site as usize]);
            return (allocated == Some(web)).then_some(Origin::Call(pc));
        }
        let mut sources = self.ops.get(&pc)?.iter().filter_map(|op| match *op {
            Op::Copy { dst, src: Val::Const(0) } if dst == web => Some(Some(Origin::Null)),
            Op::Copy { dst, src: Val::Web(src) }
            | Op::Shift { dst, src: Val::Web(src), .. }
            | Op::Stride { dst, src: Val::Web(src), .. }
                if dst == web =>
            {
                Some(origin(owners, src))
            }
            Op::Copy { dst, .. } | Op::Shift { dst, .. } | Op::Stride { dst, .. } if dst == web => Some(None),
            Op::Blur { dst, .. } | Op::Load { dst, .. } if dst == web => Some(None),
            _ => None,
        });
        let first = sources.next()??;
        sources.try_fold(first, |one, other| one.or(other?))
    }

    /// Calls `visit` with each instruction that control comes to, who owns what before it, and who still does while it happens.
    fn visit(&self, mut visit: impl FnMut(u32, &Owners, &Owners)) {
        let blocks = &self.template.cfg.blocks;
        let inputs = self.inputs();
        for (block, input) in blocks.iter().zip(inputs) {
            let Some(mut owners) = input else { continue };
            for pc in block.code.clone() {
                let before = owners.clone();
                self.publish(pc, &mut owners);
                visit(pc, &before, &owners);
                self.define(pc, &mut owners);
            }
        }
    }

    fn publish(&self, pc: u32, owners: &mut Owners) {
        if !owners.is_empty() {
            let published = self.published_at(pc);
            owners.retain(|(_, origin)| !published.contains(origin));
        }
    }

    /// Who owns what at the begin of each block: what holds on all ways.
    fn inputs(&self) -> Vec<Option<Owners>> {
        let blocks = &self.template.cfg.blocks;
        let mut inputs: Vec<Option<Owners>> = vec![None; blocks.len()];
        let Some(first) = inputs.first_mut() else { return inputs };
        *first = Some(self.at_entry.clone());
        let mut queue = VecDeque::from([0]);
        while let Some(nth) = queue.pop_front() {
            let block = &blocks[nth as usize];
            let mut owners = inputs[nth as usize].clone().expect("control comes to what is queued");
            for pc in block.code.clone() {
                self.publish(pc, &mut owners);
                self.define(pc, &mut owners);
            }
            for &next in &block.successors {
                let changed = match &mut inputs[next as usize] {
                    Some(input) => {
                        let before = input.clone();
                        input.retain_mut(|(web, of)| match origin(&owners, *web).and_then(|other| of.or(other)) {
                            Some(either) => {
                                *of = either;
                                true
                            }
                            None => false,
                        });
                        *input != before
                    }
                    input => {
                        *input = Some(owners.clone());
                        true
                    }
                };
                if changed {
                    queue.push_back(next);
                }
            }
        }
        inputs
    }
}
