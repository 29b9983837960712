//! Dates: seconds since 1970 to a broken-down time and back, in UTC, and as text in the C locale.

/// `struct tm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tm {
    pub sec: i32,
    pub min: i32,
    pub hour: i32,
    pub mday: i32,
    pub mon: i32,
    pub year: i32,
    pub wday: i32,
    pub yday: i32,
    pub isdst: i32,
}

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAY: i64 = 86_400;

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days from 1970-01-01 to the first of a month (1 to 12), which may lie before it.
fn days_to(year: i64, month: i64) -> i64 {
    // Years start in March, so that the leap day comes last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

impl Tm {
    /// `None` if the year does not fit an `int`.
    pub fn from_seconds(seconds: i64) -> Option<Tm> {
        let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Some(Tm {
            sec: (rest % 60) as i32,
            min: (rest / 60 % 60) as i32,
            hour: (rest / 3600) as i32,
            mday: (of_year - (153 * shifted_month + 2) / 5 + 1) as i32,
            mon: month as i32 - 1,
            year: i32::try_from(year - 1900).ok()?,
            wday: (days + 4).rem_euclid(7) as i32,
            yday: (days - days_to(year, 1)) as i32,
            isdst: 0,
        })
    }

    /// Fields out of their range count on.
    pub fn to_seconds(self) -> i64 {
        let months = i64::from(self.mon);
        let year = i64::from(self.year) + 1900 + months.div_euclid(12);
        let days = days_to(year, months.rem_euclid(12) + 1) + i64::from(self.mday) - 1;
        days * DAY + i64::from(self.hour) * 3600 + i64::from(self.min) * 60 + i64::from(self.sec)
    }

    fn day_name(&self) -> &'static str {
        usize::try_from(self.wday).ok().and_then(|day| DAYS.get(day)).copied().unwrap_or("?")
    }

    fn month_name(&self) -> &'static str {
        usize::try_from(self.mon).ok().and_then(|month| MONTHS.get(month)).copied().unwrap_or("?")
    }

    /// As `asctime` has it.
    pub fn text(&self) -> String {
        let short = |name: &'static str| name.get(..3).unwrap_or("???");
        format!(
            "{} {}{:3} {:02}:{:02}:{:02} {}\n",
            short(self.day_name()),
            short(self.month_name()),
            self.mday,
            self.hour,
            self.min,
            self.sec,
            1900 + i64::from(self.year)
        )
    }

    /// Year and number of the week by ISO 8601.
    fn iso_week(&self) -> (i64, i64) {
        let year = i64::from(self.year) + 1900;
        let monday_based = (i64::from(self.wday) + 6) % 7;
        let week = (i64::from(self.yday) - monday_based + 10) / 7;
        let weeks_in = |year: i64| {
            let first = (days_to(year, 1) + 4).rem_euclid(7);
            if first == 4 || is_leap(year) && first == 3 { 53 } else { 52 }
        };
        if week < 1 {
            (year - 1, weeks_in(year - 1))
        } else if week > weeks_in(year) {
            (year + 1, 1)
        } else {
            (year, week)
        }
    }
}

/// A number with at least `width` digits, filled with `fill` unless the flag says otherwise.
fn number(value: i64, width: usize, fill: u8, flag: u8) -> String {
    match if flag == 0 { fill } else { flag } {
        b'-' => value.to_string(),
        b'_' | b' ' => format!("{value:width$}"),
        _ if value < 0 => format!("-{:0width$}", -value, width = width.saturating_sub(1)),
        _ => format!("{value:0width$}"),
    }
}

/// Whether `strftime` writes the name of the time zone.
pub fn names_zone(format: &[u8]) -> bool {
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        let is_mark = |byte: &u8| matches!(byte, b'_' | b'-' | b'^' | b'#' | b'E' | b'O') || byte.is_ascii_digit();
        let letter = (at + 1..rest.len()).find(|&at| !is_mark(&rest[at]));
        match letter {
            Some(letter) if rest[letter] == b'Z' => return true,
            Some(letter) => rest = &rest[letter + 1..],
            None => return false,
        }
    }
    false
}

/// What `strftime` writes; `zone` is the name of the time zone.
pub fn format(format: &[u8], tm: &Tm, zone: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let start = at;
        let (mut flag, mut upper, mut swaps) = (0, false, false);
        while let Some(&mark @ (b'_' | b'-' | b'0' | b'^' | b'#')) = format.get(at) {
            match mark {
                b'^' => upper = true,
                b'#' => swaps = true,
                mark => flag = mark,
            }
            at += 1;
        }
        let mut width = 0usize;
        while let Some(digit) = format.get(at).filter(|digit| digit.is_ascii_digit()) {
            width = (width * 10 + usize::from(digit - b'0')).min(1000);
            at += 1;
        }
        at += usize::from(matches!(format.get(at), Some(b'E' | b'O')));
        let letter = format.get(at).copied().unwrap_or(0);
        at += 1;
        match conversion(letter, tm, zone, flag, width) {
            Some(text) => {
                // What is in upper case otherwise, `#` puts into lower case.
                let text = match letter {
                    b'p' | b'Z' if swaps => text.to_lowercase(),
                    _ if upper || swaps => text.to_uppercase(),
                    _ => text,
                };
                let fill = if flag == b'0' { b'0' } else { b' ' };
                out.resize(out.len() + width.saturating_sub(text.len()), fill);
                out.extend(text.into_bytes());
            }
            None => {
                out.push(b'%');
                out.extend_from_slice(&format[start.min(format.len())..at.min(format.len())]);
            }
        }
    }
    out
}

fn conversion(letter: u8, tm: &Tm, zone: &str, flag: u8, width: usize) -> Option<String> {
    let year = i64::from(tm.year) + 1900;
    let of = |value: i32| i64::from(value);
    let two = |value: i64| number(value, width.max(2), b'0', flag);
    let spaced = |value: i64| number(value, width.max(2), b'_', flag);
    let hour_12 = match tm.hour % 12 {
        0 => 12,
        hour => of(hour),
    };
    let again = |text: &str| Some(String::from_utf8_lossy(&format(text.as_bytes(), tm, zone)).into_owned());
    let (iso_year, iso_week) = tm.iso_week();
    Some(match letter {
        b'a' => tm.day_name().get(..3).unwrap_or("?").to_owned(),
        b'A' => tm.day_name().to_owned(),
        b'b' | b'h' => tm.month_name().get(..3).unwrap_or("?").to_owned(),
        b'B' => tm.month_name().to_owned(),
        b'c' => return again("%a %b %e %H:%M:%S %Y"),
        b'C' => two(year.div_euclid(100)),
        b'd' => two(of(tm.mday)),
        b'D' | b'x' => return again("%m/%d/%y"),
        b'e' => spaced(of(tm.mday)),
        b'F' => return again("%Y-%m-%d"),
        b'g' => two(iso_year.rem_euclid(100)),
        b'G' => number(iso_year, width, b'0', flag),
        b'H' => two(of(tm.hour)),
        b'I' => two(hour_12),
        b'j' => number(of(tm.yday) + 1, width.max(3), b'0', flag),
        b'k' => spaced(of(tm.hour)),
        b'l' => spaced(hour_12),
        b'm' => two(of(tm.mon) + 1),
        b'M' => two(of(tm.min)),
        b'n' => "\n".to_owned(),
        b'p' => if tm.hour >= 12 { "PM" } else { "AM" }.to_owned(),
        b'P' => if tm.hour >= 12 { "pm" } else { "am" }.to_owned(),
        b'r' => return again("%I:%M:%S %p"),
        b'R' => return again("%H:%M"),
        b's' => tm.to_seconds().to_string(),
        b'S' => two(of(tm.sec)),
        b't' => "\t".to_owned(),
        b'T' | b'X' => return again("%H:%M:%S"),
        b'u' => (if tm.wday == 0 { 7 } else { tm.wday }).to_string(),
        b'U' => two((of(tm.yday) - of(tm.wday) + 7) / 7),
        b'V' => two(iso_week),
        b'w' => tm.wday.to_string(),
        b'W' => two((of(tm.yday) - (of(tm.wday) + 6) % 7 + 7) / 7),
        b'y' => two(year.rem_euclid(100)),
        b'Y' => number(year, width, b'0', flag),
        b'z' => "+0000".to_owned(),
        b'Z' => zone.to_owned(),
        b'%' => "%".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for seconds in [0, 1, -1, 951_782_399, 951_782_400, 4_102_444_800, -2_208_988_800, 253_402_300_799] {
            assert_eq!(Tm::from_seconds(seconds).map(Tm::to_seconds), Some(seconds));
        }
    }

    #[test]
    fn leap_day() {
        let tm = Tm::from_seconds(951_782_400).expect("the year 2000 fits");
        assert_eq!((tm.year, tm.mon, tm.mday, tm.wday, tm.yday), (100, 1, 29, 2, 59));
        assert_eq!(tm.text(), "Tue Feb 29 00:00:00 2000\n");
        assert_eq!(format(b"%G-W%V-%u %_d|%-m|%5Y|%^a", &tm, "UTC"), b"2000-W09-2 29|2|02000|TUE");
    }
}
