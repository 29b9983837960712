//! Which locals are another object each time their block is entered.
//!
//! C ends a variable with its block, and the next entry begins another life at the same place. A pointer from the life before
//! then points to the variable again as far as LLVM is concerned. So such a variable gets its object where its life starts instead
//! of where the function starts, and a pointer from before is seen to be stale.
//!
//! This is done only where it makes a difference. Lemma: a pointer to a local is used in a later life only if it was *captured*, that is stored,
//! returned, merged by a phi, or given to something that may do that. For without any of these it is an SSA value which is computed from
//! the local in the same life: its definition dominates its use and does not dominate the start of the life, where the local is not yet alive.

use crate::ffi::{Opcode, TypeKind, Value};
use crate::locals::Lives;
use gordian_base::{FxHashMap, FxHashSet};
use gordian_externals::{Effect, Pointer, Sync};
use gordian_ir::Slot;

/// Pointers that are followed from one local; one with more is taken for captured.
const MOST_POINTERS: usize = 1000;

/// Locals that begin where their block is entered.
#[derive(Default)]
pub struct Renewed<'m> {
    /// With the number of the variable and the slot of its size, once these are known.
    locals: FxHashMap<Value<'m>, Option<(u32, Slot)>>,
}

impl<'m> Renewed<'m> {
    pub fn of(function: Value<'m>) -> Renewed<'m> {
        let instructions = || function.blocks().flat_map(|block| block.instructions());
        let is_local = |it: &Value<'m>| it.opcode() == Opcode::Alloca && it.operand(0).const_integer() == Some(1);
        let allocas: Vec<Value<'m>> = instructions().filter(is_local).collect();
        if allocas.is_empty() {
            return Renewed::default();
        }
        let lives = Lives::of(function, &allocas);
        let renewed = allocas.into_iter().filter(|&alloca| {
            // A phi takes the pointer at the end of another block, perhaps when the life has just ended; there it is still that of the last life.
            let mut uses = alloca.users().filter(|user| !is_marker(*user) && user.opcode() != Opcode::Phi);
            lives.is_repeated(alloca) && is_captured(alloca) && uses.all(|user| lives.is_alive(alloca, user))
        });
        Renewed { locals: renewed.map(|alloca| (alloca, None)).collect() }
    }

    pub fn contains(&self, alloca: Value<'m>) -> bool {
        self.locals.contains_key(&alloca)
    }

    /// Says what the object of a local is made of.
    pub fn describe(&mut self, alloca: Value<'m>, variable: u32, size: Slot) {
        self.locals.insert(alloca, Some((variable, size)));
    }

    pub fn described(&self, alloca: Value<'m>) -> Option<(u32, Slot)> {
        self.locals.get(&alloca).copied().flatten()
    }
}

pub fn is_marker(user: Value<'_>) -> bool {
    let is_intrinsic = user.opcode() == Opcode::Call && user.called().is_intrinsic();
    is_intrinsic && user.called().name().starts_with("llvm.lifetime.")
}

/// Whether a pointer to the local may still be there when the local is not.
fn is_captured(alloca: Value<'_>) -> bool {
    let mut seen: FxHashSet<Value<'_>> = [alloca].into_iter().collect();
    let mut open = vec![alloca];
    while let Some(pointer) = open.pop() {
        for user in pointer.users() {
            let Some(derived) = derived(alloca, pointer, user) else { return true };
            open.extend(derived.into_iter().filter(|&value| seen.insert(value)));
        }
        if seen.len() > MOST_POINTERS {
            return true;
        }
    }
    false
}

/// The pointers that an instruction makes from one; none if it may capture it.
fn derived<'m>(alloca: Value<'m>, pointer: Value<'m>, user: Value<'m>) -> Option<Vec<Value<'m>>> {
    use Opcode::*;
    if !user.is_instruction() {
        return None;
    }
    // A function that is called while the local lives has returned when it ends.
    let is_called = || user.parent().function() != alloca.parent().function();
    match user.opcode() {
        Load | ICmp => Some(Vec::new()),
        Store if user.operand(0) != pointer => Some(Vec::new()),
        AtomicRmw | CmpXchg => (1..user.n_operands()).all(|index| user.operand(index) != pointer).then(Vec::new),
        GetElementPtr if user.ty().kind() == TypeKind::Pointer => Some(vec![user]),
        BitCast | AddrSpaceCast | Freeze => Some(vec![user]),
        Phi | Select if is_called() => Some(vec![user]),
        Call => passed(pointer, user),
        _ => None,
    }
}

/// What a call makes of a pointer that it passes.
fn passed<'m>(pointer: Value<'m>, call: Value<'m>) -> Option<Vec<Value<'m>>> {
    let called = call.called();
    let arguments = || call.arguments().into_iter().enumerate().filter(|(_, argument)| *argument == pointer);
    if !called.is_function() || called == pointer {
        return None;
    }
    if called.is_intrinsic() {
        let name = called.name();
        let is = |prefix: &str| name.strip_prefix("llvm.").is_some_and(|name| name.starts_with(prefix));
        return (is("lifetime.") || is("memcpy.") || is("memmove.") || is("memset.")).then(Vec::new);
    }
    if !called.is_declaration() {
        let params = called.params();
        return arguments().map(|(number, _)| params.get(number).copied()).collect();
    }
    let effects = gordian_externals::effects_of(&called.name())?;
    let mut derived = Vec::new();
    for (number, _) in arguments() {
        for &effect in effects {
            match effect {
                Effect::Returns(Pointer::Into(arg)) if usize::from(arg) == number => derived.push(call),
                effect if may_keep(effect, number) => return None,
                _ => {}
            }
        }
    }
    Some(derived)
}

/// Whether the effect leaves the pointer that is argument `number` somewhere.
fn may_keep(effect: Effect, number: usize) -> bool {
    let is = |arg: u8| usize::from(arg) == number;
    match effect {
        Effect::Keeps(arg, _) | Effect::KeepsForThread(arg) => is(arg),
        Effect::Stores { what: Pointer::Into(arg) | Pointer::NewCopy(arg), .. } => is(arg),
        Effect::Synchronises(Sync::Create { argument, .. }) => is(argument),
        Effect::Synchronises(Sync::EndThread { result }) => is(result),
        _ => false,
    }
}
