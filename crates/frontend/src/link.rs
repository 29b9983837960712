//! Puts the user's modules and gordian's libc together, as a linker does with an archive: the user's
//! definitions win, and of libc only what is referred to comes along.

use crate::compile::{Origin, Readable};
use crate::ffi::{Context, Module};
use crate::{FrontendError, Options};
use gordian_base::FxHashSet;

mod libc {
    include!(concat!(env!("OUT_DIR"), "/libc_modules.rs"));
}

pub struct Linked<'c> {
    pub module: Module<'c>,
    pub identity: u64,
    /// All of it was compiled here, without optimisations.
    pub is_compiled: bool,
}

pub fn link<'c>(context: &'c Context, inputs: &[Readable], options: &Options) -> Result<Linked<'c>, FrontendError> {
    let mut identity = Identity::new();
    let mut module = link_inputs(context, inputs, options, &mut identity)?;
    // Tests saved without a check that came later must keep their identity.
    let more = if options.check_undefined { &[1][..] } else { &[] };
    identity.add(&[u8::from(options.check_overflow), u8::from(options.keep_memory)]);
    identity.add(more);
    if module.function("main").is_none_or(|main| main.is_declaration()) {
        return Err(FrontendError::NoMain);
    }
    link_libc(context, &mut module)?;
    module.forget_optnone();
    module.run_passes("internalize<preserve-gv=main>,globaldce").map_err(FrontendError::Llvm)?;
    module.split_wide_integers();
    let kept = if options.keep_memory { crate::locals::all_but_results } else { crate::locals::kept };
    module.promote_locals(kept).map_err(FrontendError::Llvm)?;
    let is_compiled = inputs.iter().all(|input| matches!(input.origin, Origin::Compiled));
    Ok(Linked { module, identity: identity.0, is_compiled })
}

fn link_inputs<'c>(
    context: &'c Context,
    inputs: &[Readable],
    options: &Options,
    identity: &mut Identity,
) -> Result<Module<'c>, FrontendError> {
    let mut program: Option<Module<'c>> = None;
    for input in inputs {
        let mut module = read(context, input)?;
        let again;
        let mut input = input;
        if matches!(input.origin, Origin::Compiled) && (input.warned || module.has_folded_arithmetic()) {
            again = crate::compile::with_checks(&input.path, options)?;
            input = &again;
            module = read(context, input)?;
        }
        if matches!(input.origin, Origin::Compiled) {
            module.mark_negated_branches();
        }
        identity.add_module(input, &module);
        match &mut program {
            None => program = Some(module),
            Some(program) => program
                .link(module)
                .map_err(|()| FrontendError::Link { path: input.path.clone(), messages: context.take_messages() })?,
        }
    }
    program.ok_or(FrontendError::NoInput)
}

fn read<'c>(context: &'c Context, input: &Readable) -> Result<Module<'c>, FrontendError> {
    let path = || input.path.clone();
    let bad = |messages| FrontendError::BadBitcode { path: path(), messages };
    let module = context.parse(&input.bytes, &input.path.to_string_lossy()).map_err(bad)?;
    module.verify().map_err(bad)?;
    let target = match &input.origin {
        Origin::Foreign { retargeted: Some(original) } => context.target_of(original),
        _ => Some(module.target()),
    };
    // A module that leaves its target open takes ours.
    let target = target.unwrap_or_else(|| "unknown".into());
    let is_ours = target.is_empty() || target.starts_with("x86_64");
    if !is_ours || !module.data_layout().is_64_bit_little_endian() {
        return Err(FrontendError::WrongTarget { path: path(), target });
    }
    Ok(module)
}

/// A libc function may call another of a file already passed over, hence the rounds.
fn link_libc<'c>(context: &'c Context, program: &mut Module<'c>) -> Result<(), FrontendError> {
    let failed = |name: &str, messages| FrontendError::Link { path: name.into(), messages };
    let mut candidates = Vec::new();
    for (name, bytes) in libc::MODULES {
        let mut module = context.parse_lazily(bytes, name).map_err(|messages| failed(name, messages))?;
        module.become_library();
        let defines: Vec<String> = module
            .functions()
            .chain(module.globals())
            .chain(module.aliases())
            .filter(|value| !value.is_declaration())
            .map(|value| value.name())
            .collect();
        candidates.push((*name, module, defines));
    }
    loop {
        let wanted: FxHashSet<String> = program
            .functions()
            .chain(program.globals())
            .filter(|value| value.is_declaration())
            .map(|value| value.name())
            .collect();
        let useful = candidates.iter().position(|(_, _, defines)| defines.iter().any(|name| wanted.contains(name)));
        let Some(index) = useful else { return Ok(()) };
        let (name, module, _) = candidates.remove(index);
        program.link(module).map_err(|()| failed(name, context.take_messages()))?;
    }
}

/// What tells one program from another: what its modules do before any pass, not where they were
/// compiled nor what gordian adds. FNV-1a: stable over versions and machines, unlike the standard
/// library's hashers.
struct Identity(u64);

impl Identity {
    fn new() -> Self {
        Identity(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    }

    fn add_module(&mut self, input: &Readable, module: &Module<'_>) {
        match input.origin {
            Origin::Compiled => self.add(&module.anonymous_bitcode()),
            // LLVM cannot copy and write everything that it can read, so its text has to do.
            Origin::Foreign { .. } => {
                let names_a_file =
                    |line: &&[u8]| line.starts_with(b"; ModuleID") || line.starts_with(b"source_filename");
                for line in input.bytes.split(|&byte| byte == b'\n').filter(|line| !names_a_file(line)) {
                    self.add(line);
                }
            }
        }
    }
}
