//! A place with its source line and a mark under the column.

use crate::style::{Paint, Style};
use crate::text::{clean, cut, width};
use crate::{Sources, text};
use gordian_trace::Place;
use std::fmt::Write;

/// `file:line:column`, as far as it is known.
pub(crate) fn position(place: &Place, sources: &Sources) -> String {
    let file = clean(&sources.name(&place.file));
    match (place.line, place.column) {
        (0, _) => file,
        // Other recorders number places and name no files.
        (line, 0) if place.file.is_empty() => format!("place {line}"),
        (line, 0) => format!("{file}:{line}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

pub(crate) fn draw(out: &mut String, place: &Place, sources: &mut Sources, style: Style) {
    let margin = place.line.to_string().len();
    let thread = style.paint(Paint::Thread(place.thread.number), &clean(&place.thread.to_string()));
    let arrow = style.paint(Paint::Dim, "-->");
    let _ = writeln!(
        out,
        "{:margin$}  {arrow} {}{}, thread {thread}",
        "",
        position(place, sources),
        within(&place.function),
    );
    let bar = style.paint(Paint::Dim, "|");
    let what = clean(&place.what);
    let Some((line, caret)) = quotation(place, sources, style.width.saturating_sub(margin + 5)) else {
        if !what.is_empty() {
            let _ = writeln!(out, "{:margin$}   {bar} {what}", "");
        }
        return;
    };
    let number = style.paint(Paint::Dim, &place.line.to_string());
    let _ = writeln!(out, "  {number} {bar} {line}");
    let mark = style.paint(Paint::Bad, format!("^ {what}").trim_end());
    let _ = writeln!(out, "{:margin$}   {bar} {:caret$}{mark}", "", "");
}

fn within(function: &str) -> String {
    if function.is_empty() { String::new() } else { format!(" in {}", clean(function)) }
}

/// The source line with tabs expanded, and how far in the mark stands.
fn quotation(place: &Place, sources: &mut Sources, room: usize) -> Option<(String, usize)> {
    let source = sources.line(&place.file, place.line)?.to_owned();
    // The compiler counts bytes from 1; column 0 means that it said nothing.
    let mut before = (place.column.max(1) as usize - 1).min(source.len());
    while !source.is_char_boundary(before) {
        before -= 1;
    }
    let caret = if place.column == 0 {
        width(&clean(&source)) - width(clean(&source).trim_start())
    } else {
        width(&clean(&source[..before]))
    };
    let line = clean(source.trim_end());
    if caret < room {
        return Some((cut(&line, room), caret));
    }
    // The mark would fall off the edge: show the part of the line around it.
    let skipped = caret - room / 2;
    let rest: String = line.chars().skip(skipped).collect();
    Some((format!("…{}", text::cut(&rest, room.saturating_sub(1))), caret - skipped + 1))
}
