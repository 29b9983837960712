//! What a sequentialized program prints when it fails: inputs, and one concurrent order of the events.

use std::collections::BTreeMap;

/// An event of the program, as the order names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedEvent {
    pub thread: u32,
    /// The instruction: number of the function, position in its code.
    pub function: u32,
    pub pc: u32,
    pub verb: Verb,
    /// Of a signal that could wake several threads: which one it wakes.
    pub wakes: Option<u32>,
}

/// What an event does, as far as an instruction may do both: one that copies memory reads first and then writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Reads,
    Writes,
    Other,
}

/// An input that the program asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub thread: u32,
    pub nth: u32,
    pub bits: u8,
    pub value: u64,
    pub function: String,
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConcurrentOrder {
    /// The identity of the program, in hexadecimal.
    pub program: String,
    pub inputs: Vec<Input>,
    /// Writes of T' that T takes.
    pub sources: u32,
    /// Reads of T that take one of them, the second and further ones of a source included.
    pub reads: u32,
    /// Writes of T that T' takes.
    pub other: u32,
    pub events: Vec<OrderedEvent>,
    /// What T' would do next.
    pub rest: Vec<OrderedEvent>,
    /// The thread that fails.
    pub failing: u32,
    /// What fails, and where.
    pub failure: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    #[error("there is no concurrent order in it: the sequentialized program did not fail with these inputs")]
    NoFailure,
    #[error("line {line} of the order is none: `{text}`")]
    BadLine { line: usize, text: String },
}

const HEAD: &str = "gordian-sequentialize 1";

impl ConcurrentOrder {
    /// Reads what the program printed; anything before the order is the program's own.
    pub fn parse(output: &str) -> Result<ConcurrentOrder, OrderError> {
        let mut order = ConcurrentOrder::default();
        let mut lines = (1..).zip(output.lines()).skip_while(|(_, line)| *line != HEAD).skip(1);
        for (line, text) in &mut lines {
            let parsed = order.take(text);
            match parsed {
                Some(false) => {}
                Some(true) => return Ok(order),
                None => return Err(OrderError::BadLine { line, text: text.chars().take(80).collect() }),
            }
        }
        Err(OrderError::NoFailure)
    }

    /// Takes in a line; true if it is the last.
    fn take(&mut self, text: &str) -> Option<bool> {
        let (word, rest) = text.split_once(' ')?;
        let mut words = rest.split(' ');
        let mut number = || words.next()?.parse::<u64>().ok();
        let mut small = || number().and_then(|number| u32::try_from(number).ok());
        match word {
            "program" => self.program = rest.to_owned(),
            "input" => {
                let (thread, nth, bits) = (small()?, small()?, u8::try_from(small()?).ok()?);
                let value = number()?;
                let function = words.next()?.to_owned();
                let name = words.collect::<Vec<_>>().join(" ");
                self.inputs.push(Input { thread, nth, bits, value, function, name });
            }
            "sources" => {
                let mut words = rest.split(' ');
                self.sources = words.next()?.parse().ok()?;
                self.reads = words.nth(1)?.parse().ok()?;
                self.other = words.nth(1).map_or(Some(0), |number| number.parse().ok())?;
            }
            "event" | "rest" => {
                let (thread, function, pc) = (small()?, small()?, small()?);
                let verb = match words.next() {
                    Some("reads") => Verb::Reads,
                    Some("writes") => Verb::Writes,
                    _ => Verb::Other,
                };
                let wakes = match words.rev().take(2).collect::<Vec<_>>()[..] {
                    [number, "wakes"] => Some(number.parse().ok()?),
                    _ => None,
                };
                let list = if word == "event" { &mut self.events } else { &mut self.rest };
                list.push(OrderedEvent { thread, function, pc, verb, wakes });
            }
            "failure" => {
                self.failing = small()?;
                self.failure = words.collect::<Vec<_>>().join(" ");
                return Some(true);
            }
            _ => return None,
        }
        Some(false)
    }
}

/// The inputs in the first trace that CBMC printed, as arguments of the sequential program; none if it printed none.
pub fn inputs_of_trace(text: &str) -> Option<String> {
    const LISTS: [&str; 5] = ["rds", "wrts", "rds2", "wrts2", "vals2"];
    let mut lists: [BTreeMap<u32, u64>; 5] = Default::default();
    let (mut values, mut order) = (BTreeMap::new(), BTreeMap::new());
    let trace = text.lines().skip_while(|line| !line.starts_with("Trace for ") && *line != "Counterexample:");
    for line in trace.take_while(|line| !line.starts_with("Violated property")) {
        let Some((name, value)) = line.trim().split_once('=') else { continue };
        let digits = value.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        let Ok(value) = digits.parse::<u64>() else { continue };
        let numbered = |prefix: &str| name.strip_prefix(prefix).map(ToOwned::to_owned);
        let element = |prefix: &str| {
            let digits = name.strip_prefix(prefix)?.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u32>().ok()
        };
        let of_list = (0..).zip(LISTS).find_map(|(list, of)| Some((list, element(&format!("gs_{of}["))?)));
        if let Some((list, nth)) = of_list {
            lists[list as usize].insert(nth, value);
        } else if let Some(input) = numbered("gs_input_") {
            values.insert(input, value);
        } else if let Some(input) = numbered("gs_nth_") {
            order.insert(input, value);
        }
    }
    let list = |numbers: &BTreeMap<u32, u64>| numbers.values().map(u64::to_string).collect::<Vec<_>>().join(",");
    let given = LISTS.iter().zip(&lists).filter(|(name, numbers)| !name.ends_with('2') || !numbers.is_empty());
    let mut inputs: Vec<String> = given.map(|(name, numbers)| format!("{name}={}", list(numbers))).collect();
    for (input, value) in &values {
        let mut parts = input.splitn(3, '_');
        let (thread, number) = (parts.next()?, parts.next()?);
        let nth = match parts.next() {
            Some(nth) => nth.to_owned(),
            None => order.get(&format!("{thread}_{number}"))?.to_string(),
        };
        inputs.push(format!("{thread}.{nth}={value}"));
    }
    let is_there = lists.iter().any(|list| !list.is_empty()) || !values.is_empty();
    is_there.then(|| inputs.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_behind_the_output_of_the_program() {
        let text = "hello\ngordian-sequentialize 1\nprogram 00ab\ninput 2 0 32 5 gordian_int element\n\
                    sources 1 reads 2\nevent 1 3 0 reads a.c:4\nevent 2 4 7 writes a.c:9\nevent 1 3 4 signals a.c:4 wakes 3\nrest 2 4 8 reads a.c:9\nfailure 1 assertion a.c:5\n";
        let order = ConcurrentOrder::parse(text).unwrap();
        assert_eq!((order.sources, order.reads, order.failing), (1, 2, 1));
        assert_eq!(order.events[1], OrderedEvent { thread: 2, function: 4, pc: 7, verb: Verb::Writes, wakes: None });
        assert_eq!(order.events[2].wakes, Some(3));
        assert_eq!(order.rest, [OrderedEvent { thread: 2, function: 4, pc: 8, verb: Verb::Reads, wakes: None }]);
        assert_eq!((order.inputs[0].value, order.inputs[0].name.as_str()), (5, "element"));
    }

    #[test]
    fn what_is_no_order_is_refused() {
        assert_eq!(ConcurrentOrder::parse("hello\n"), Err(OrderError::NoFailure));
        let bad = ConcurrentOrder::parse("gordian-sequentialize 1\nevent 1 x 2 reads\n");
        assert_eq!(bad, Err(OrderError::BadLine { line: 2, text: "event 1 x 2 reads".to_owned() }));
    }

    #[test]
    fn the_inputs_of_a_trace_are_its_last_values() {
        let text = "CBMC version 5.12\nTrace for main.assertion.1:\n\nState 1 file x.c line 3 thread 0\n\
                    ----\n  gs_rds[0l]=0 (00000000 00000000)\n  gs_rds[0l]=2 (00000000 00000010)\n  gs_wrts[0l]=4 (0)\n\
                    \x20 gs_nth_1_3=0u (0)\n  gs_input_1_3=7ul (0)\n\nViolated property:\n  gs_rds[0l]=9\n";
        assert_eq!(inputs_of_trace(text).as_deref(), Some("rds=2 wrts=4 1.0=7"));
        let both =
            text.replace("gs_nth_1_3", "gs_rds2[0l]=3 (0)\n gs_wrts2[0l]=1 (0)\n gs_vals2[0l]=5ul (0)\n gs_nth_1_3");
        assert_eq!(inputs_of_trace(&both).as_deref(), Some("rds=2 wrts=4 rds2=3 wrts2=1 vals2=5 1.0=7"));
        // What nothing depends on may be left out of a trace.
        let sliced = text.replace("gs_nth_1_3=0u (0)\n  ", "").replace("gs_input_1_3", "gs_input_1_3_2");
        assert_eq!(inputs_of_trace(&sliced).as_deref(), Some("rds=2 wrts=4 1.2=7"));
        assert_eq!(inputs_of_trace("VERIFICATION SUCCESSFUL\n"), None);
    }
}
