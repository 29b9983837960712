//! An access that the search is to begin with: `FILE:LINE[:COLUMN][,read|write][,THREAD]`.

use gordian_analysis::{Analysis, Pairs, Place, Side};
use std::str::FromStr;

/// What an access in the focus does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    Write,
}

/// Where the search begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focus {
    pub file: String,
    pub line: u32,
    pub column: Option<u32>,
    pub operation: Option<Operation>,
    /// As `gordian pairs` names it: `main`, `t1`, …, or a start function.
    pub thread: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FocusError {
    #[error("`{0}` is no place: write FILE:LINE, FILE:LINE:COLUMN, and after a comma `read`, `write` or a thread")]
    Syntax(String),
    #[error("no pair of accesses has a side at {place}; {nearest}")]
    Nothing { place: String, nearest: String },
}

impl FromStr for Focus {
    type Err = FocusError;

    fn from_str(text: &str) -> Result<Self, FocusError> {
        let wrong = || FocusError::Syntax(text.to_owned());
        let mut parts = text.split(',');
        let place: Vec<&str> = parts.next().unwrap_or_default().split(':').collect();
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
        let (file, line, column) = match place[..] {
            [file, line] => (file, number(line), None),
            [file, line, column] => (file, number(line), Some(number(column).ok_or_else(wrong)?)),
            _ => return Err(wrong()),
        };
        let line = line.filter(|_| !file.is_empty()).ok_or_else(wrong)?;
        let mut focus = Focus { file: file.to_owned(), line, column, operation: None, thread: None };
        for part in parts {
            match part {
                "read" if focus.operation.is_none() => focus.operation = Some(Operation::Read),
                "write" if focus.operation.is_none() => focus.operation = Some(Operation::Write),
                "" | "read" | "write" => return Err(wrong()),
                thread if focus.thread.is_none() => focus.thread = Some(thread.to_owned()),
                _ => return Err(wrong()),
            }
        }
        Ok(focus)
    }
}

impl Focus {
    fn is_in_file(&self, place: &Place) -> bool {
        let is_end = || place.file.strip_suffix(&self.file).is_some_and(|rest| rest.ends_with('/'));
        place.file == self.file || is_end()
    }

    pub(crate) fn is_met_by(&self, analysis: &Analysis<'_>, side: Side) -> bool {
        let kind = analysis.accesses()[side.access].kind;
        let operation = if kind.writes() { Operation::Write } else { Operation::Read };
        let is_thread =
            |name: &String| *name == analysis.thread_name(side.thread) || name == analysis.start_name(side.thread);
        let is_here = |place: &Place| {
            self.is_in_file(place) && place.line == self.line && self.column.is_none_or(|column| column == place.column)
        };
        self.operation.is_none_or(|wanted| wanted == operation)
            && self.thread.as_ref().is_none_or(is_thread)
            && analysis.places(side.access).iter().any(is_here)
    }

    /// Names the lines nearest to the focus that have a side of a pair.
    pub(crate) fn nothing_there(&self, analysis: &Analysis<'_>, pairs: &Pairs) -> FocusError {
        let sides = pairs.pairs.iter().flat_map(|pair| pair.sides);
        let places = sides.flat_map(|side| analysis.places(side.access));
        let mut lines: Vec<u32> = places.filter(|place| self.is_in_file(place)).map(|place| place.line).collect();
        lines.sort_by_key(|&line| (line.abs_diff(self.line), line));
        lines.dedup();
        lines.truncate(3);
        lines.sort_unstable();
        let column = self.column.map_or(String::new(), |column| format!(":{column}"));
        let operation = match self.operation {
            Some(Operation::Read) => " that reads",
            Some(Operation::Write) => " that writes",
            None => "",
        };
        let thread = self.thread.as_ref().map_or(String::new(), |thread| format!(" in thread {thread}"));
        let nearest = match &lines[..] {
            [] => "no line of that file has one".to_owned(),
            [line] => format!("line {line} has one"),
            [first @ .., last] => {
                let first: Vec<String> = first.iter().map(u32::to_string).collect();
                format!("the nearest lines that have one are {} and {last}", first.join(", "))
            }
        };
        FocusError::Nothing { place: format!("{}:{}{column}{operation}{thread}", self.file, self.line), nearest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        let focus: Focus = "a/b.c:12:5,write,t1".parse().expect("it is right");
        assert_eq!((focus.file.as_str(), focus.line, focus.column), ("a/b.c", 12, Some(5)));
        assert_eq!((focus.operation, focus.thread.as_deref()), (Some(Operation::Write), Some("t1")));
        assert_eq!("b.c:3,t2".parse::<Focus>().expect("it is right").thread.as_deref(), Some("t2"));
        for wrong in ["", "b.c", "b.c:", "b.c:x", ":3", "b.c:0", "b.c:3:y", "b.c:3,", "b.c:3,read,write", "b.c:1:2:3"] {
            assert_eq!(wrong.parse::<Focus>(), Err(FocusError::Syntax(wrong.to_owned())));
        }
    }
}
