//! How large a search would be: for people, and for other programs.

use crate::SCHEMA_VERSION;
use crate::text::{counted, grouped};
use gordian_trace::{Bound, Bounds, Stop};
use serde::Serialize;

/// Numbers of this size and more are written with an exponent.
const HUGE: f64 = 1e15;

#[derive(Clone, Debug, PartialEq)]
pub struct Estimated<'a> {
    /// Executions of a whole search, with the ends of the 95% interval.
    pub executions: f64,
    pub low: f64,
    pub high: f64,
    /// Those of them that a bound cuts off.
    pub cut_off: f64,
    /// The search was made, so that nothing is estimated.
    pub exact: bool,
    pub sampled: u64,
    pub strategy: &'a str,
    pub bounds: &'a Bounds,
}

/// A line or two for people. Nothing in it depends on the speed of the machine.
pub fn estimate(estimated: &Estimated) -> String {
    let Estimated { executions, low, high, sampled, .. } = *estimated;
    let mut text = if estimated.exact {
        format!("exactly {}: the search was made\n", counted(executions as u64, "execution"))
    } else {
        let (low, high) = (approximately(low, 3), approximately(high, 3));
        let number = approximately(executions, 3);
        format!("about {number} executions (95%: {low} to {high}), from {} sampled\n", grouped(sampled))
    };
    if estimated.cut_off > 0.0 {
        let number = approximately(estimated.cut_off, 3);
        let steps = counted(estimated.bounds.max_steps, "step");
        let instructions = estimated.bounds.hit.contains(&Bound::Instructions);
        let bound = if instructions { "a bound".to_owned() } else { format!("the bound of {steps}") };
        text.push_str(&format!("{number} of them are cut off by {bound}\n"));
    }
    text
}

/// How long a search takes at this many executions a second.
pub fn search_time(estimated: &Estimated, rate: f64) -> String {
    let time = crate::progress::duration(estimated.executions / rate.max(1e-9));
    format!("a search takes one worker about {time} at {} executions/s", approximately(rate, 2))
}

#[derive(Serialize)]
struct Document<'a> {
    gordian: u32,
    strategy: &'a str,
    estimate: Option<Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'a Stop>,
    bounds: &'a Bounds,
}

#[derive(Serialize)]
struct Item {
    executions: serde_json::Number,
    low: serde_json::Number,
    high: serde_json::Number,
    exact: bool,
    sampled: u64,
    cut_off: serde_json::Number,
}

/// The document for other programs, with a line end. Described in docs/json.md.
pub fn estimate_document(estimated: &Estimated) -> String {
    let number = |number: f64| if estimated.exact { whole(number) } else { whole(rounded(number, 4)) };
    let document = Document {
        gordian: SCHEMA_VERSION,
        strategy: estimated.strategy,
        estimate: Some(Item {
            executions: number(estimated.executions),
            low: number(estimated.low),
            high: number(estimated.high),
            exact: estimated.exact,
            sampled: estimated.sampled,
            cut_off: number(estimated.cut_off),
        }),
        stop: None,
        bounds: estimated.bounds,
    };
    written(&document)
}

/// The document where there is no estimate, and why.
pub fn no_estimate_document(strategy: &str, bounds: &Bounds, stop: &Stop) -> String {
    written(&Document { gordian: SCHEMA_VERSION, strategy, estimate: None, stop: Some(stop), bounds })
}

fn written(document: &Document) -> String {
    serde_json::to_string_pretty(document).expect("a document of strings and numbers") + "\n"
}

/// Without a point where it is exact without one.
fn whole(number: f64) -> serde_json::Number {
    if number < HUGE {
        (number.round() as u64).into()
    } else {
        serde_json::Number::from_f64(number).expect("estimates are finite")
    }
}

/// To so many significant digits.
fn rounded(number: f64, digits: i32) -> f64 {
    if number < 1.0 {
        return number.round();
    }
    let unit = 10f64.powi((number.log10().floor() as i32 + 1 - digits).max(0));
    (number / unit).round() * unit
}

/// To so many significant digits, for people.
pub(crate) fn approximately(number: f64, digits: i32) -> String {
    if number < HUGE {
        return grouped(rounded(number, digits) as u64);
    }
    let exponent = number.log10().floor();
    format!("{:.1} * 10^{exponent}", number / 10f64.powf(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds {
            max_steps: 100_000,
            preemptions: None,
            unroll: None,
            rounds: None,
            interferences: None,
            hit: Vec::new(),
        }
    }

    fn estimated(bounds: &Bounds) -> Estimated<'_> {
        let (executions, low, high) = (41_234.0, 36_021.5, 46_987.0);
        Estimated { executions, low, high, cut_off: 0.0, exact: false, sampled: 3200, strategy: "dpor", bounds }
    }

    #[test]
    fn estimates_are_round() {
        let bounds = bounds();
        let line = "about 41,200 executions (95%: 36,000 to 47,000), from 3,200 sampled\n";
        assert_eq!(estimate(&estimated(&bounds)), line);
        assert_eq!(
            search_time(&estimated(&bounds), 211_000.0),
            "a search takes one worker about 0.2 s at 210,000 executions/s"
        );
        assert!(estimate_document(&estimated(&bounds)).contains("\"executions\": 41230,"));
        assert_eq!(approximately(3.21e57, 2), "3.2 * 10^57");
    }

    #[test]
    fn what_is_exact_is_not_rounded() {
        let bounds = bounds();
        let exact = Estimated { executions: 1.0, exact: true, ..estimated(&bounds) };
        assert_eq!(estimate(&exact), "exactly 1 execution: the search was made\n");
    }

    #[test]
    fn a_bound_is_named() {
        let bounds = Bounds { hit: vec![Bound::Steps], ..bounds() };
        let cut = Estimated { cut_off: 1234.0, ..estimated(&bounds) };
        assert!(estimate(&cut).ends_with("\n1,230 of them are cut off by the bound of 100,000 steps\n"));
    }
}
