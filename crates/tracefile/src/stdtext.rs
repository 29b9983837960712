//! RAPID's text: a line for each event, as `T1|acq(L3)|27`.

use crate::atoms::{Plain, event, plain};
use crate::event::{NO_PLACE, Origin, Trace, TracePlace};
use crate::wellformed::WellFormed;
use crate::{Position, TraceError};
use gordian_base::FxHashMap;
use std::io::Write;

/// Names and their numbers, in order of first sight.
#[derive(Default)]
struct Names {
    numbers: FxHashMap<String, u32>,
    names: Vec<String>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}

#[derive(Default)]
struct Tables {
    threads: Names,
    locks: Names,
    variables: Names,
    places: Names,
}

pub fn read(bytes: &[u8]) -> Result<Trace, TraceError> {
    let mut tables = Tables::default();
    let mut trace = Trace::foreign();
    let mut well_formed = WellFormed::new(Origin::Foreign);
    for (nth, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let bad = |what: String| TraceError::at(Position::Line(nth), what);
        let line = std::str::from_utf8(line).map_err(|_| bad("this is no text".to_owned()))?.trim();
        if line.is_empty() {
            continue;
        }
        let (thread, plain, place) = parse(line, &mut tables).map_err(bad)?;
        let event = event(thread, plain, place);
        well_formed.admit(&event).map_err(bad)?;
        trace.events.push(event);
    }
    trace.threads = tables.threads.names;
    trace.locks = tables.locks.names;
    trace.variables = tables.variables.names;
    trace.places = tables.places.names.iter().map(|text| place(text)).collect();
    well_formed.conclude(&mut trace);
    Ok(trace)
}

fn parse(line: &str, tables: &mut Tables) -> Result<(u32, Plain, u32), String> {
    let form = || format!("`{}` is not of the form thread|operation(operand)|place", shortened(line));
    let mut parts = line.split('|');
    let (Some(thread), Some(operation), place, None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return Err(form());
    };
    let (thread, operation) = (thread.trim(), operation.trim());
    if thread.is_empty() {
        return Err(form());
    }
    let (name, operand) = match operation.split_once('(') {
        Some((name, rest)) => (name.trim(), rest.strip_suffix(')').ok_or_else(form)?.trim()),
        None => (operation, ""),
    };
    let needs_no_operand = matches!(name, "begin" | "end");
    if operand.is_empty() && !needs_no_operand {
        return Err(form());
    }
    let thread = tables.threads.number(thread);
    let plain = match name {
        "acq" => Plain::Acquire(tables.locks.number(operand)),
        "rel" => Plain::Release(tables.locks.number(operand)),
        "request" | "req" => Plain::Request(tables.locks.number(operand)),
        "r" => Plain::Read(tables.variables.number(operand)),
        "w" => Plain::Write(tables.variables.number(operand)),
        "fork" => Plain::Fork(tables.threads.number(operand)),
        "join" => Plain::Join(tables.threads.number(operand)),
        "begin" => Plain::Begin,
        "end" => Plain::End,
        _ => return Err(format!("the operation `{}` is not known", shortened(name))),
    };
    let place = match place.map(str::trim) {
        None | Some("") => NO_PLACE,
        Some(place) => tables.places.number(place),
    };
    Ok((thread, plain, place))
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

fn place(text: &str) -> TracePlace {
    match text.parse() {
        // `007` would come back as `7`.
        Ok(line) if format!("{line}") == text => TracePlace { line, ..TracePlace::default() },
        _ => TracePlace { file: text.to_owned(), ..TracePlace::default() },
    }
}

fn place_text(place: &TracePlace) -> String {
    match (place.file.as_str(), place.line) {
        ("", line) => line.to_string(),
        (file, 0) => file.replace(['|', '\n'], "_"),
        (file, line) => format!("{}:{line}", file.replace(['|', '\n'], "_")),
    }
}

pub fn write(trace: &Trace, to: &mut dyn Write) -> Result<Vec<String>, TraceError> {
    let said = plain(trace);
    let mut to = std::io::BufWriter::new(to);
    let lock = |lock: u32| said.locks.get(lock as usize).map_or_else(|| format!("L{lock}"), |name| clean(name));
    let variable = |variable: u32| {
        said.variables.get(variable as usize).map_or_else(|| format!("V{variable}"), |name| clean(name))
    };
    let thread = |thread: u32| match trace.origin {
        Origin::Machine => format!("T{thread}"),
        Origin::Foreign => clean(&trace.thread_name(thread)),
    };
    for &(by, event, at) in &said.events {
        let operation = match event {
            Plain::Acquire(of) => format!("acq({})", lock(of)),
            Plain::Release(of) => format!("rel({})", lock(of)),
            Plain::Request(of) => format!("request({})", lock(of)),
            Plain::Read(of) => format!("r({})", variable(of)),
            Plain::Write(of) => format!("w({})", variable(of)),
            Plain::Fork(of) => format!("fork({})", thread(of)),
            Plain::Join(of) => format!("join({})", thread(of)),
            Plain::Begin => "begin".to_owned(),
            Plain::End => "end".to_owned(),
        };
        match trace.places.get(at as usize) {
            Some(place) => writeln!(to, "{}|{operation}|{}", thread(by), place_text(place))?,
            None => writeln!(to, "{}|{operation}", thread(by))?,
        }
    }
    to.flush()?;
    Ok(said.notes)
}

/// A name that the format can hold.
fn clean(name: &str) -> String {
    name.replace(['|', '(', ')', '\n'], "_")
}
