//! Tests that cover what a search covered.

use crate::saved;
use anyhow::Context;
use gordian_engine::CoveringTest;
use gordian_trace::Test;
use std::fmt::Write;
use std::path::Path;

/// One `.gordian` file for each test, and a list that people read.
pub fn emit(folder: &Path, template: &Test, covering: &[CoveringTest]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let stem = saved::stem(template);
    let mut list = String::new();
    for (nth, CoveringTest { test, execution, branches }) in covering.iter().enumerate() {
        let name = format!("{stem}-covers-{}.gordian", nth + 1);
        saved::write_beside(test, &folder.join(&name))?;
        let _ = writeln!(list, "{name}");
        let _ = writeln!(list, "  found    in execution {execution}");
        for input in gordian_report::inputs(&test.inputs) {
            let _ = writeln!(list, "  input    {input}");
        }
        for way in branches {
            let _ = writeln!(
                list,
                "  covers   {}:{}:{} {}, in {}",
                way.file, way.line, way.column, way.outcome, way.function
            );
        }
    }
    let path = folder.join(format!("{stem}-covers.txt"));
    std::fs::write(&path, list).with_context(|| format!("cannot write {}", path.display()))
}
