//! `gordian shrink`.

use crate::args::ShrinkArgs;
use crate::output::{ProgressLine, print};
use crate::replay::open;
use crate::{replay, saved};
use gordian_engine::Cost;
use gordian_trace::{Test, exit_code};
use std::path::{Path, PathBuf};

pub fn shrink(args: &ShrinkArgs) -> anyhow::Result<u8> {
    let (program, test) = open(&args.test, false)?;
    let mut observer = ProgressLine::new(&args.output);
    let small = gordian_engine::shrink(&program, &test, &mut observer)?;
    drop(observer);
    let out = args.out.clone().unwrap_or_else(|| shrunk_name(&args.test));
    saved::write_beside(&small, &out)?;
    if !args.output.json {
        print(&format!("{}\n", sizes(&test, &small, &out)))?;
    }
    if !args.output.quiet {
        replay::show(&out, &program, &small, &args.output)?;
    }
    Ok(exit_code::SAFE)
}

fn shrunk_name(test: &Path) -> PathBuf {
    let stem = test.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    test.with_file_name(format!("{stem}-shrunk.gordian"))
}

fn sizes(before: &Test, after: &Test, out: &Path) -> String {
    let (before, after) = (Cost::of(&before.schedule.0), Cost::of(&after.schedule.0));
    format!(
        "{}: {} steps with {} context switches (before: {} with {})\n",
        out.display(),
        after.steps,
        after.switches,
        before.steps,
        before.switches
    )
}
