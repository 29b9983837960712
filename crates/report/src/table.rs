//! The trace as a table: one column for each thread, the source beside it, a rule at each context switch.

use crate::elide::Row;
use crate::style::{Paint, Style};
use crate::text::{clean, counted, fit, width, wrap};
use crate::{Sources, text};
use gordian_trace::{Step, StepForm, ThreadName};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// With more threads than this the columns would be too narrow to read.
const MOST_COLUMNS: usize = 5;
const NARROWEST_COLUMN: usize = 14;
const NARROWEST_SOURCE: usize = 20;

struct Layout {
    /// The threads that have a column of their own; empty when all share one.
    threads: Vec<ThreadName>,
    step: usize,
    columns: Vec<usize>,
    source: usize,
    /// The only file of the trace, if it is one.
    file: Option<String>,
}

struct Cells {
    column: usize,
    what: String,
    source: String,
    paint: Paint,
}

pub(crate) fn draw(out: &mut String, rows: &[Row], sources: &mut Sources, style: Style) {
    let steps: Vec<&Step> =
        rows.iter().filter_map(|row| if let Row::Step(_, step) = row { Some(*step) } else { None }).collect();
    if steps.is_empty() {
        return;
    }
    let file = only_file(&steps, sources);
    let threads: Vec<ThreadName> =
        steps.iter().map(|step| step.thread.clone()).collect::<BTreeSet<_>>().into_iter().collect();
    let longest = rows.iter().map(|row| if let Row::Step(nth, _) = row { *nth } else { 0 }).max().unwrap_or(0);
    let step_width = longest.to_string().len().max(4);
    let apart = layout(&steps, threads, step_width, file.clone(), sources, style);
    let layout = apart.unwrap_or_else(|| layout_shared(&steps, step_width, file, sources, style));

    let mut header = vec!["step".to_owned()];
    if layout.threads.is_empty() {
        header.extend(["thread".to_owned(), "does".to_owned()]);
    }
    header.extend(layout.threads.iter().map(|thread| clean(&thread.to_string())));
    header.push(layout.file.clone().unwrap_or_else(|| "source".to_owned()));
    line(out, &layout, &header, None, style);
    rule(out, &layout, "═", "╪", style);

    let mut previous: Option<&Step> = None;
    for row in rows {
        match row {
            Row::LeftOut { steps, switches } => {
                left_out(out, &layout, *steps, *switches, style);
                previous = None;
            }
            Row::Step(nth, step) => {
                if previous.is_some_and(|previous| switched(previous, step)) {
                    rule(out, &layout, "─", "┼", style);
                }
                draw_step(out, &layout, *nth, step, sources, style);
                previous = Some(step);
            }
        }
    }
}

/// Threads that are stuck at the end do not run there, so there is no switch between them.
fn switched(previous: &Step, step: &Step) -> bool {
    previous.thread != step.thread && !(previous.form == StepForm::Stuck && step.form == StepForm::Stuck)
}

fn left_out(out: &mut String, layout: &Layout, steps: usize, switches: usize, style: Style) {
    let mut said = format!("{:>1$} {2} left out", "⋮", layout.step, counted(steps as u64, "step"));
    match switches {
        0 => {}
        1 => said.push_str(", with a context switch"),
        _ => {
            let _ = write!(said, ", with {switches} context switches");
        }
    }
    let _ = writeln!(out, "  {}", style.paint(Paint::Dim, &said));
}

fn draw_step(out: &mut String, layout: &Layout, position: usize, step: &Step, sources: &mut Sources, style: Style) {
    let cells = cells(step, layout, sources);
    let whats = wrap(&cells.what, layout.columns[cells.column]);
    for (nth, what) in whats.iter().enumerate() {
        let numbered = nth == 0 && step.form != StepForm::Stuck;
        let number = if numbered { format!("{position:>0$}", layout.step) } else { String::new() };
        let mut line_cells = vec![String::new(); layout.columns.len() + 2];
        line_cells[0] = number;
        if layout.threads.is_empty() && nth == 0 {
            line_cells[1] = clean(&step.thread.to_string());
        }
        line_cells[cells.column + 1] = what.clone();
        if nth == 0 {
            *line_cells.last_mut().expect("a row has cells") = cells.source.clone();
        }
        line(out, layout, &line_cells, Some((cells.column + 1, cells.paint)), style);
    }
}

fn cells(step: &Step, layout: &Layout, sources: &mut Sources) -> Cells {
    let own = layout.threads.iter().position(|thread| *thread == step.thread);
    let paint = match step.form {
        StepForm::Failure | StepForm::Stuck => Paint::Bad,
        _ => Paint::Thread(step.thread.number),
    };
    Cells { column: own.unwrap_or(1), what: what(step), source: source(step, layout.file.is_some(), sources), paint }
}

fn what(step: &Step) -> String {
    let mark = match step.form {
        StepForm::Failure => "✗ ",
        StepForm::Stuck => "‖ ",
        StepForm::Access | StepForm::Synchronisation | StepForm::Life => "",
    };
    format!("{mark}{}", clean(&step.place.what))
}

fn source(step: &Step, one_file: bool, sources: &mut Sources) -> String {
    let place = &step.place;
    if place.line == 0 {
        return String::new();
    }
    let text = sources.line(&place.file, place.line).map(|line| clean(line.trim())).unwrap_or_default();
    let position =
        if one_file { format!("{:>3}", place.line) } else { format!("{}:{}", base_name(&place.file), place.line) };
    format!("{position}  {text}").trim_end().to_owned()
}

fn base_name(file: &str) -> String {
    clean(&Path::new(file).file_name().map_or_else(|| file.into(), |name| name.to_string_lossy()))
}

fn only_file(steps: &[&Step], sources: &Sources) -> Option<String> {
    let files: BTreeSet<&str> =
        steps.iter().filter(|step| step.place.line > 0).map(|step| step.place.file.as_str()).collect();
    (files.len() == 1).then(|| files.first().map(|file| clean(&sources.name(file)))).flatten()
}

/// A column for each thread, or nothing if they do not fit.
fn layout(
    steps: &[&Step],
    threads: Vec<ThreadName>,
    step: usize,
    file: Option<String>,
    sources: &mut Sources,
    style: Style,
) -> Option<Layout> {
    if threads.len() > MOST_COLUMNS {
        return None;
    }
    let wanted: Vec<usize> = threads
        .iter()
        .map(|thread| {
            let own = steps.iter().filter(|step| step.thread == *thread).map(|step| width(&what(step)));
            own.max().unwrap_or(0).max(width(&thread.to_string()))
        })
        .collect();
    let source = wanted_source(steps, file.as_deref(), sources);
    let room = style.width.checked_sub(2 + step + 3 * (threads.len() + 1))?;
    let (columns, source) = share(&wanted, source, room)?;
    Some(Layout { threads, step, columns, source, file })
}

/// One column that says which thread, one for what it does.
fn layout_shared(steps: &[&Step], step: usize, file: Option<String>, sources: &mut Sources, style: Style) -> Layout {
    let thread = steps.iter().map(|step| width(&clean(&step.thread.to_string()))).max().unwrap_or(0).clamp(6, 24);
    let wanted = steps.iter().map(|step| width(&what(step))).max().unwrap_or(0);
    let source = wanted_source(steps, file.as_deref(), sources);
    let room = style.width.saturating_sub(2 + step + 3 * 3 + thread);
    let (columns, source) = share(&[wanted], source, room).unwrap_or((vec![NARROWEST_COLUMN], NARROWEST_SOURCE));
    Layout { threads: Vec::new(), step, columns: vec![thread, columns[0]], source, file }
}

fn wanted_source(steps: &[&Step], file: Option<&str>, sources: &mut Sources) -> usize {
    let widest = steps.iter().map(|step| width(&source(step, file.is_some(), sources))).max().unwrap_or(0);
    widest.max(file.map_or("source".len(), width))
}

/// Gives every column what it wants if there is room, else the narrow ones what they want and the others
/// equal parts of the rest; the source yields first, down to a third of the room.
fn share(wanted: &[usize], source: usize, room: usize) -> Option<(Vec<usize>, usize)> {
    if room < NARROWEST_COLUMN * wanted.len() + NARROWEST_SOURCE {
        return None;
    }
    let all: usize = wanted.iter().sum();
    let least = source.min((room / 3).max(NARROWEST_SOURCE));
    let source = source.min(room.saturating_sub(all)).max(least);
    let mut room = room - source;
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&nth| wanted[nth]);
    let mut columns = vec![0; wanted.len()];
    for (done, &nth) in order.iter().enumerate() {
        columns[nth] = wanted[nth].min(room / (wanted.len() - done));
        room -= columns[nth];
    }
    Some((columns, source))
}

fn line(out: &mut String, layout: &Layout, cells: &[String], painted: Option<(usize, Paint)>, style: Style) {
    let bar = style.paint(Paint::Dim, "│");
    let mut text = format!("  {}", fit(&cells[0], layout.step));
    for (nth, cell) in cells.iter().enumerate().skip(1) {
        let last = nth == cells.len() - 1;
        let cell = if last { text::cut(cell, layout.source) } else { fit(cell, layout.columns[nth - 1]) };
        let cell = match painted {
            None => style.paint(Paint::Bold, &cell),
            Some((column, paint)) if column == nth => style.paint(paint, &cell),
            Some(_) => cell,
        };
        let _ = write!(text, " {bar} {cell}");
    }
    out.push_str(text.trim_end());
    out.push('\n');
}

fn rule(out: &mut String, layout: &Layout, dash: &str, cross: &str, style: Style) {
    let mut text = format!("  {}", dash.repeat(layout.step + 1));
    for column in &layout.columns {
        text.push_str(cross);
        text.push_str(&dash.repeat(column + 2));
    }
    text.push_str(cross);
    text.push_str(&dash.repeat(layout.source + 1));
    out.push_str(&style.paint(Paint::Dim, text.trim_end()));
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_share_what_the_source_leaves() {
        assert_eq!(share(&[10, 10], 30, 80), Some((vec![10, 10], 30)));
        assert_eq!(share(&[60, 10], 50, 90), Some((vec![50, 10], 30)));
        assert_eq!(share(&[60, 60], 10, 90), Some((vec![40, 40], 10)));
        assert_eq!(share(&[60, 60], 10, 30), None);
    }
}
