//! What plain writes may leave at certain places: constants, copies of what stands elsewhere, or anything.

use crate::accesses::{Access, AccessKind, Bytes};
use crate::callgraph::{CallGraph, Target};
use crate::objects::{LocId, ObjectId, ObjectKind, Offset};
use crate::template::Val;
use gordian_base::{FxHashMap, Id};
use gordian_externals::Effect;
use gordian_ir::Inst;

/// Places of each object.
pub type Places = FxHashMap<ObjectId, Vec<Offset>>;

/// Rounds of copies of copies before the worst is taken for granted.
const MOST_ROUNDS: u32 = 8;

/// What a write leaves.
enum Written {
    /// These bytes, or repetitions of them.
    Bytes([u8; 8]),
    /// What stands where the operand points to.
    Copy(Val),
    Anything,
    /// Nothing of interest: text, numbers and handles of the library.
    Nothing,
}

/// Whether what stands in variables in the beginning counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initially {
    Seen,
    Unseen,
}

/// Whether writes may leave such a byte at one of the places, of four bytes each.
pub fn may_become(
    graph: &CallGraph<'_>,
    accesses: &[Access],
    mut places: Places,
    initially: Initially,
    is_it: fn(u8) -> bool,
) -> bool {
    let is_plain = |access: &&Access| matches!(access.kind, AccessKind::Write | AccessKind::AtomicWrite);
    for _ in 0..MOST_ROUNDS {
        let (mut sources, mut meet) = (Vec::new(), FxHashMap::default());
        for access in accesses.iter().filter(is_plain) {
            let touches = || access.bytes.iter().any(|bytes| touched(&places, bytes).next().is_some());
            if !*meet.entry(access.bytes_id).or_insert_with(touches) {
                continue;
            }
            match written(graph, access) {
                Written::Anything => return true,
                Written::Bytes(bytes) if bytes.into_iter().any(is_it) => return true,
                Written::Copy(from) => add_sources(graph, access, from, &places, &mut sources),
                Written::Bytes(_) | Written::Nothing => {}
            }
        }
        if initially == Initially::Seen && places.iter().any(|(object, at)| is_at_first(graph, *object, at, is_it)) {
            return true;
        }
        let n_before: usize = places.values().map(Vec::len).sum();
        for (object, offset) in sources {
            let of_object = places.entry(object).or_default();
            if !of_object.contains(&offset) {
                of_object.push(offset);
            }
        }
        if places.values().map(Vec::len).sum::<usize>() == n_before {
            return false;
        }
    }
    true
}

/// Whether such a byte stands at one of these places of a variable in the beginning.
fn is_at_first(graph: &CallGraph<'_>, object: ObjectId, places: &[Offset], is_it: fn(u8) -> bool) -> bool {
    let global = match graph.solver.objects.kind(object) {
        ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _) => &graph.program.globals[global],
        _ => return false,
    };
    let mut bytes = global.init.iter().enumerate();
    bytes.any(|(at, &byte)| is_it(byte) && places.iter().any(|place| place.overlaps(4, Offset::exact(at as i64), 1)))
}

fn touched<'a>(places: &'a Places, bytes: &'a Bytes) -> impl Iterator<Item = Offset> + 'a {
    let of_object = places.get(&bytes.object).map_or(&[][..], Vec::as_slice);
    of_object.iter().copied().filter(|place| place.overlaps(4, bytes.offset, bytes.size))
}

/// The places whose bytes a copy brings to those that are looked at.
fn add_sources(
    graph: &CallGraph<'_>,
    access: &Access,
    from: Val,
    places: &Places,
    found: &mut Vec<(ObjectId, Offset)>,
) {
    let Some(locs) = graph.pointees(access.instance, from) else { return };
    for (object, start) in locs.iter().map(|loc| graph.solver.objects.at(LocId(loc))) {
        for bytes in access.bytes.iter() {
            for place in touched(places, bytes) {
                let is_known = start.is_exact() && bytes.offset.is_exact() && place.is_exact();
                let offset =
                    if is_known { start.plus(place.base.wrapping_sub(bytes.offset.base)) } else { Offset::ANY };
                found.push((object, offset));
            }
        }
    }
}

fn written(graph: &CallGraph<'_>, access: &Access) -> Written {
    let Access { instance, pc, .. } = *access;
    let function = &graph.program.functions[graph.instances[instance.index()].function];
    let template = graph.template_of(instance);
    let val = |slot| template.val(function, pc, slot);
    let repeated = |val: Option<Val>| match val {
        Some(Val::Const(value)) => Written::Bytes([value as u8; 8]),
        _ => Written::Anything,
    };
    match function.code[pc as usize] {
        Inst::Store { src, .. } => match val(src) {
            Val::Const(value) => Written::Bytes(value.to_le_bytes()),
            Val::Web(web) => match template.definition.get(web as usize).copied().flatten() {
                Some(at) => match function.code[at as usize] {
                    Inst::Load { address, .. } => Written::Copy(template.val(function, at, address)),
                    _ => Written::Anything,
                },
                None => Written::Anything,
            },
        },
        Inst::MemSet { value, .. } => repeated(Some(val(value))),
        Inst::MemCopy { src, .. } => Written::Copy(val(src)),
        Inst::Call { .. } => {
            let calls = graph.instances[instance.index()].calls.iter().filter(|(at, _)| *at == pc);
            let mut names = calls.filter_map(|(_, target)| match target {
                Target::External(external) => Some(&graph.program.externals[*external].name[..]),
                _ => None,
            });
            let Some(name) = names.next() else { return Written::Nothing };
            if name.contains("memset") {
                return repeated(graph.argument(instance, pc, 1));
            }
            let effects = gordian_externals::effects_of(name).unwrap_or_default();
            let copied = effects.iter().find_map(|effect| match *effect {
                Effect::Copies { from, .. } => graph.argument(instance, pc, from),
                _ => None,
            });
            copied.map_or(Written::Nothing, Written::Copy)
        }
        _ => Written::Anything,
    }
}
