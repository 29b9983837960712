//! `gordian trace`.

use crate::args::TraceArgs;
use crate::output::complain;
use anyhow::Context;
use gordian_trace::exit_code;
use std::fs::File;
use std::path::Path;

pub fn convert(args: &TraceArgs) -> anyhow::Result<u8> {
    let trace = open(&args.trace, args.from.map(Into::into))?;
    let out = args.out.display();
    // A trace that does not fit the format leaves no half a file behind.
    let mut bytes = Vec::new();
    let notes = gordian_tracefile::write(&trace, args.to.into(), &mut bytes)?;
    let mut file = File::create(&args.out).with_context(|| format!("cannot write {out}"))?;
    std::io::Write::write_all(&mut file, &bytes).with_context(|| format!("cannot write {out}"))?;
    notes.iter().chain(&trace.notes).for_each(|note| complain(note));
    Ok(exit_code::SAFE)
}

/// Reads a trace; what is wrong with it is said with the name of its file.
pub fn open(path: &Path, format: Option<gordian_tracefile::Format>) -> anyhow::Result<gordian_tracefile::Trace> {
    gordian_tracefile::open(path, format).map_err(|error| match error {
        error @ gordian_tracefile::TraceError::Read { .. } => error.into(),
        error => anyhow::anyhow!("{}: {error}", path.display()),
    })
}
