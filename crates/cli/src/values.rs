//! Values on the command line that need more than a number.

use std::time::Duration;

/// `90`, `90s`, `1.5s`, `500ms`, `5m`, `2h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time; write `90`, `90s`, `5m` or `2h`");
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

/// `500M`, `4G`, `1.5G`, `100K`, or a number of bytes.
pub fn memory(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no size of memory; write `500M` or `4G`");
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(wrong()),
    };
    let bytes = digits.parse::<f64>().map_err(|_| wrong())? * unit as f64;
    if (0.0..u64::MAX as f64).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
}

pub fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        for wrong in ["", "s", "5 days", "-1", "1e300h", "nan", "infs"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_of_memory_have_units() {
        assert_eq!(memory("4096"), Ok(4096));
        assert_eq!(memory("500M"), Ok(500 << 20));
        assert_eq!(memory("1.5G"), Ok(3 << 29));
        for wrong in ["", "G", "4 G", "-1", "4GB", "1e300", "nan", "inf"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn variables_have_names() {
        assert_eq!(variable("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert!(variable("=x").is_err());
        assert!(variable("x").is_err());
    }
}
