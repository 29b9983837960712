//! From a linked LLVM module to a [`Program`]. Lowering never fails because of one odd instruction:
//! what cannot be run becomes [`gordian_ir::Inst::Unsupported`] with a reason, and counts only when
//! an execution gets there.

mod aggregates;
mod arithmetic;
mod asm;
mod calls;
mod casts;
mod checks;
mod coalesce;
mod constants;
mod control;
mod debug;
mod float_intrinsics;
mod function;
mod globals;
mod intrinsics;
mod memory;
mod slots;
mod types;
mod unset;
mod wide_float;

use crate::ffi::{Block, DataLayout, Module, Value, ValueKind};
use crate::link::Linked;
use crate::{FrontendError, Options};
use debug::DebugInfo;
use gordian_base::{FxHashMap, Id};
use gordian_ir::{Callee, ExternId, External, FuncId, GlobalId, HiddenAddress, Loc, Program};
use types::Shapes;
use unset::Unset;

/// Why something cannot be run.
#[derive(Clone, Debug)]
pub struct Unsupported(pub String);

pub type Result<T, E = Unsupported> = std::result::Result<T, E>;

/// What all functions of a module share while they are lowered.
pub struct Lowering<'m> {
    options: Options,
    /// Shifts by more than the width are findings. Optimised code makes such shifts and does not look at what comes of them.
    pub check_shifts: bool,
    /// All of it was compiled here.
    pub is_compiled: bool,
    layout: DataLayout<'m>,
    shapes: Shapes<'m>,
    debug: DebugInfo<'m>,
    program: Program,
    callees: FxHashMap<Value<'m>, Callee>,
    n_functions: u32,
    globals: FxHashMap<Value<'m>, GlobalId>,
    /// Values that may be made from what was never set.
    unset: Unset<'m>,
    /// A constant was worked out that is made from an address and is none of that object, since this was last looked at.
    has_folded: bool,
    /// Blocks whose address is taken, and which label of its function each is.
    labels: FxHashMap<Block<'m>, u32>,
}

pub fn lower(linked: &Linked<'_>, options: &Options) -> Result<Program, FrontendError> {
    let Linked { module, identity, is_compiled } = linked;
    let layout = module.data_layout();
    let mut lowering = Lowering {
        options: options.clone(),
        check_shifts: *is_compiled,
        is_compiled: *is_compiled,
        layout,
        shapes: Shapes::new(layout),
        debug: DebugInfo::default(),
        program: Program { identity: *identity, ..Program::default() },
        callees: FxHashMap::default(),
        n_functions: 0,
        globals: FxHashMap::default(),
        unset: Unset::find(module),
        has_folded: false,
        labels: FxHashMap::default(),
    };
    // Addresses are needed everywhere, so everything gets its number before anything is lowered.
    let functions = lowering.number_functions(module);
    lowering.number_globals(module)?;
    lowering.initialize_globals(module)?;
    for function in functions {
        let lowered = function::lower(&mut lowering, function);
        lowering.note_folded(lowered.loc, &lowered.name);
        lowering.program.functions.push(lowered);
    }
    lowering.find_constructors(module);
    lowering.program.main = module.function("main").and_then(|main| lowering.function_id(main));
    lowering.program.files = std::mem::take(&mut lowering.debug.files);
    lowering.program.types = std::mem::take(&mut lowering.debug.types);
    Ok(lowering.program)
}

impl<'m> Lowering<'m> {
    /// The functions with a body, in order; gives each function its code index and each label its number.
    fn number_functions(&mut self, module: &'m Module<'_>) -> Vec<Value<'m>> {
        let mut defined = Vec::new();
        for function in module.functions() {
            if function.is_declaration() {
                if !function.is_intrinsic() && !function.is_unset_function() {
                    let external = self.program.externals.push(External { name: function.name() });
                    self.callees.insert(function, Callee::External(external));
                }
                continue;
            }
            self.callees.insert(function, Callee::Function(FuncId::from_index(defined.len())));
            defined.push(function);
            let mut n_labels = 0;
            for block in function.blocks() {
                if block.as_value().users().any(|user| user.kind() == ValueKind::BlockAddress) {
                    self.labels.insert(block, n_labels);
                    n_labels += 1;
                }
            }
        }
        self.n_functions = defined.len() as u32;
        defined
    }

    /// Notes where a constant was worked out that hides an address, if one was.
    pub fn note_folded(&mut self, loc: Loc, within: &str) {
        if std::mem::take(&mut self.has_folded) {
            self.program.hidden_addresses.push(HiddenAddress { loc, within: within.to_owned() });
        }
    }

    /// As [`Program::code_index`], before all functions are there.
    fn code_index(&self, callee: Callee) -> Option<u32> {
        match callee {
            Callee::Function(FuncId(index)) => Some(index),
            Callee::External(ExternId(index)) => Some(self.n_functions + index),
            Callee::Indirect(_) => None,
        }
    }

    fn function_id(&self, function: Value<'m>) -> Option<FuncId> {
        match self.callees.get(&function) {
            Some(Callee::Function(id)) => Some(*id),
            _ => None,
        }
    }
}
