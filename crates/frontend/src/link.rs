//! Puts the user's modules and gordian's libc together, as a linker does with an archive: the user's
//! definitions win, and of libc only what is referred to comes along.

use crate::compile::Readable;
use crate::ffi::{Context, Module};
use crate::{FrontendError, Options};
use gordian_base::FxHashSet;

mod libc {
    include!(concat!(env!("OUT_DIR"), "/libc_modules.rs"));
}

pub struct Linked<'c> {
    pub module: Module<'c>,
    pub identity: u64,
}

pub fn link<'c>(context: &'c Context, inputs: &[Readable], options: &Options) -> Result<Linked<'c>, FrontendError> {
    let mut module = link_inputs(context, inputs)?;
    if module.function("main").is_none_or(|main| main.is_declaration()) {
        return Err(FrontendError::NoMain);
    }
    link_libc(context, &mut module)?;

    // Before the passes: a newer LLVM's sroa must not change the identity of a program.
    let mut bytes = module.anonymous_bitcode();
    bytes.extend([u8::from(options.check_overflow), u8::from(options.keep_memory)]);
    let identity = fnv1a(&bytes);

    module.forget_optnone();
    let passes = if options.keep_memory {
        "internalize<preserve-gv=main>,globaldce"
    } else {
        "internalize<preserve-gv=main>,globaldce,function(sroa)"
    };
    module.run_passes(passes).map_err(FrontendError::Llvm)?;
    Ok(Linked { module, identity })
}

fn link_inputs<'c>(context: &'c Context, inputs: &[Readable]) -> Result<Module<'c>, FrontendError> {
    let mut program: Option<Module<'c>> = None;
    for input in inputs {
        let path = || input.path.clone();
        let bad = |messages| FrontendError::BadBitcode { path: path(), messages };
        let module = context.parse(&input.bytes, &input.path.to_string_lossy()).map_err(bad)?;
        module.verify().map_err(bad)?;
        let target = match &input.retargeted {
            Some(original) => context.target_of(original),
            None => Some(module.target()),
        };
        // A module that leaves its target open takes ours.
        let target = target.unwrap_or_else(|| "unknown".into());
        let is_ours = target.is_empty() || target.starts_with("x86_64");
        if !is_ours || !module.data_layout().is_64_bit_little_endian() {
            return Err(FrontendError::WrongTarget { path: path(), target });
        }
        match &mut program {
            None => program = Some(module),
            Some(program) => program
                .link(module)
                .map_err(|()| FrontendError::Link { path: path(), messages: context.take_messages() })?,
        }
    }
    program.ok_or(FrontendError::NoInput)
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

/// Stable over versions and machines, unlike the standard library's hashers.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
