//! A whole program: functions, globals, and what reports need to name them.

use crate::{ExternId, FileId, FuncId, GlobalId, Inst, Slot, SwitchId, Type, TypeId};
use gordian_base::{Id, IndexVec};

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub functions: IndexVec<FuncId, Function>,
    pub externals: IndexVec<ExternId, External>,
    pub globals: IndexVec<GlobalId, Global>,
    pub files: IndexVec<FileId, String>,
    pub types: IndexVec<TypeId, Type>,
    /// Functions to run before `main`, in order.
    pub constructors: Vec<FuncId>,
    /// Functions to run after `main` and the `atexit` ones, in order.
    pub destructors: Vec<FuncId>,
    pub main: Option<FuncId>,
    /// Tells one program from another: a hash of its modules as compiled, without names of files and debug
    /// information, and of the options that change what is lowered.
    pub identity: u64,
    /// Constants that were worked out from addresses and that nobody recognises as such.
    pub hidden_addresses: Vec<HiddenAddress>,
    /// What was proved about single accesses; nothing unless an analysis was asked.
    pub invisible: Invisible,
}

/// A constant that was worked out from the address of a variable or function and is no address in or near that: `~(uintptr_t)&x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenAddress {
    pub loc: Loc,
    /// The function, or the variable that begins with it.
    pub within: String,
}

/// Why an access to shared memory, or an operation on a lock, needs no scheduling point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InvisibleKind {
    /// It reads what nobody writes once there are threads.
    Constant,
    /// It never can happen at the same time as an access of another thread that conflicts with it: locks, creation and joins order them.
    Ordered,
    /// It takes or releases a lock that no other thread ever touches.
    Alone,
}

/// Loads, stores and calls that need no scheduling point, by function and instruction.
#[derive(Clone, Debug, Default)]
pub struct Invisible(Vec<Vec<Option<InvisibleKind>>>);

impl Invisible {
    #[inline]
    pub fn at(&self, function: FuncId, pc: u32) -> Option<InvisibleKind> {
        *self.0.get(function.index())?.get(pc as usize)?
    }

    pub fn set(&mut self, function: FuncId, pc: u32, kind: InvisibleKind) {
        let (function, pc) = (function.index(), pc as usize);
        self.0.resize(self.0.len().max(function + 1), Vec::new());
        let of_function = &mut self.0[function];
        of_function.resize(of_function.len().max(pc + 1), None);
        of_function[pc] = Some(kind);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are of each kind: constant, ordered, alone.
    pub fn counts(&self) -> [usize; 3] {
        let all = || self.0.iter().flatten().flatten();
        [InvisibleKind::Constant, InvisibleKind::Ordered, InvisibleKind::Alone]
            .map(|kind| all().filter(|of| **of == kind).count())
    }
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// The line of the definition.
    pub loc: Loc,
    /// Part of gordian's own libc: reports name the caller instead.
    pub internal: bool,
    /// Slots that the fixed parameters take, from slot 0 on.
    pub n_params: u32,
    /// Slots of the returned value.
    pub n_returns: u32,
    pub variadic: bool,
    /// Slots before the constants.
    pub n_registers: u32,
    /// Loops that are counted, in the last registers; none unless [`crate::count_loops`] was asked to.
    pub n_loops: u32,
    /// Follow the registers in the frame.
    pub consts: Vec<u64>,
    pub code: Vec<Inst>,
    /// Beside `code`: where each instruction comes from.
    pub locs: Vec<Loc>,
    pub calls: Vec<CallSite>,
    pub switches: IndexVec<SwitchId, SwitchTable>,
    pub allocas: Vec<Variable>,
    /// Where each label whose address is taken stands in `code`.
    pub labels: Vec<u32>,
    /// What each [`Inst::Undefined`] stands for.
    pub undefined: Vec<UndefinedSite>,
    /// Why each [`Inst::Unsupported`] cannot be run.
    pub unsupported: Vec<String>,
}

impl Function {
    pub fn frame_size(&self) -> usize {
        self.n_registers as usize + self.consts.len()
    }
}

/// A place where the compiler found, or checks for, behaviour that C leaves undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndefinedSite {
    pub kind: UndefinedKind,
    /// The types that the operation is about, as the compiler describes them.
    pub types: Vec<DescribedType>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndefinedKind {
    /// By zero, or a quotient that does not fit. The operands are dividend and divisor.
    Division,
    /// The operands are the value and by how much it is shifted.
    Shift,
    /// Arithmetic whose result does not fit; the sign stands for the operation. The operands are its own.
    Overflow(char),
    /// The operand is the bits of a floating-point number.
    FloatCast,
    /// `__builtin_clz` or `__builtin_ctz` of zero.
    ZeroBits,
    /// Needs an address that is a multiple of this. The operand is the address.
    Misaligned(u64),
    /// The operand is the index.
    Index,
    /// A bit pattern that stands for no value of its type.
    InvalidValue,
    /// The operand is the number of elements.
    VlaBound,
    /// A null pointer where an attribute forbids it.
    NullArgument,
    Unreachable,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedType {
    pub name: String,
    /// In bits; 0 for what is no number.
    pub width: u32,
    pub signed: bool,
}

/// A place in the source; line 0 when the compiler gave none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
}

impl Loc {
    pub const NONE: Loc = Loc { file: FileId(0), line: 0, column: 0 };
}

#[derive(Clone, Debug)]
pub struct CallSite {
    pub callee: Callee,
    /// Copied to the callee's slots 0, 1, …; the variadic ones are not among them.
    pub args: Box<[Slot]>,
    /// Arguments passed by value in memory: the callee gets a copy of its own.
    pub byval: Box<[ByVal]>,
    /// The arguments beyond the fixed ones of a variadic callee.
    pub variadic: Box<[VarArg]>,
    /// First slot of the result.
    pub dst: Slot,
    pub n_returns: u32,
    /// What each of `args`, then each of `variadic`, is to a native callee; empty for functions of the program.
    pub passed_as: Box<[PassedAs]>,
    pub returned_as: PassedAs,
}

/// How the platform's calling convention passes a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PassedAs {
    #[default]
    Integer,
    Pointer,
    Single,
    Double,
    /// Part of something larger.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    Function(FuncId),
    External(ExternId),
    Indirect(Slot),
}

#[derive(Clone, Copy, Debug)]
pub struct ByVal {
    /// Position in `CallSite::args`.
    pub arg: u32,
    pub size: u64,
    pub align: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct VarArg {
    pub slot: Slot,
    pub kind: VarArgKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarArgKind {
    /// One slot: an integer, a pointer, or the bits of a double.
    Word,
    /// Two slots, aligned to 16 in the argument area.
    Wide,
    /// The slot points to a struct that is copied into the argument area.
    Memory { size: u64, align: u32 },
}

#[derive(Clone, Debug)]
pub struct SwitchTable {
    /// Sorted by key.
    pub cases: Vec<(u64, u32)>,
    pub default: u32,
}

/// A stack object: what it is called in reports, and what to look for in it.
#[derive(Clone, Debug, Default)]
pub struct Variable {
    pub name: Option<String>,
    pub ty: Option<TypeId>,
    /// The bytes, from and up to, that may be read before they are set. Padding is not among them. Empty where the first access is known to set all of it.
    pub unset: Vec<(u32, u32)>,
}

#[derive(Clone, Debug)]
pub struct External {
    pub name: String,
}

#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub size: u64,
    pub align: u32,
    /// The initial bytes, addresses worked out. Shorter than `size` where the rest is zero.
    pub init: Vec<u8>,
    pub constant: bool,
    pub thread_local: bool,
    /// Declared but not defined: the machine knows `stdout` and the like, and refuses the rest.
    pub external: bool,
    /// Part of gordian's own libc.
    pub internal: bool,
    pub loc: Loc,
    pub ty: Option<TypeId>,
}

impl Program {
    /// The position of a function among everything a function pointer can point to.
    pub fn code_index(&self, callee: Callee) -> Option<u32> {
        match callee {
            Callee::Function(function) => Some(function.0),
            Callee::External(external) => Some(self.functions.len() as u32 + external.0),
            Callee::Indirect(_) => None,
        }
    }

    /// What a function pointer with this code index calls.
    pub fn callee(&self, code_index: u32) -> Option<Callee> {
        let n_functions = self.functions.len() as u32;
        if code_index < n_functions {
            Some(Callee::Function(FuncId(code_index)))
        } else {
            let external = ExternId(code_index - n_functions);
            (external.index() < self.externals.len()).then_some(Callee::External(external))
        }
    }

    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.enumerate().find(|(_, function)| function.name == name).map(|(id, _)| id)
    }
}
