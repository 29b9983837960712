//! Small tools for lines of text. Widths count characters, which is right for everything but wide scripts.

/// Control characters out, tabs to four spaces: text from a program must not steer the terminal.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => cleaned.push_str("    "),
            '\n' => cleaned.push_str("\\n"),
            control if control.is_control() => cleaned.push('\u{fffd}'),
            other => cleaned.push(other),
        }
    }
    cleaned
}

pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text in `width` columns: filled up with spaces, or cut and marked.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let cut = cut(text, width);
    let missing = width - self::width(&cut);
    cut + &" ".repeat(missing)
}

pub(crate) fn cut(text: &str, width: usize) -> String {
    if self::width(text) <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    if width > 0 {
        cut.push('…');
    }
    cut
}

/// Lines of at most `width` columns, broken at spaces where there are any.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word = word.to_owned();
        if !line.is_empty() && self::width(&line) + 1 + self::width(&word) > width {
            lines.push(std::mem::take(&mut line));
        }
        while self::width(&word) > width {
            let at = break_within(&word, width);
            let rest = word.split_off(at);
            lines.push(std::mem::replace(&mut word, rest));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Where to break a word that is too long: behind the last sign that joins names within `width`, so that names stay
/// whole, or else after `width` characters.
fn break_within(word: &str, width: usize) -> usize {
    let end = word.char_indices().nth(width).map_or(word.len(), |(at, _)| at);
    let joint = word[..end].rfind(['.', '/', '@', '>', '_', ']']).map(|at| at + 1);
    joint.filter(|&at| 2 * at >= end).unwrap_or(end)
}

/// 1234567 as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 finding`, `2 findings`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{} {stem}ies", grouped(number)),
        (_, None) => format!("{} {noun}s", grouped(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_break_where_they_are_joined() {
        assert_eq!(wrap("reads accounts[10].balance = 3", 16), ["reads", "accounts[10].", "balance = 3"]);
        assert_eq!(wrap("heap#1@prodcons.c:15", 14), ["heap#1@", "prodcons.c:15"]);
        assert_eq!(wrap("a.bcdefghijklmnop", 8), ["a.bcdefg", "hijklmno", "p"]);
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap("reads balance = 100", 10), ["reads", "balance =", "100"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a abcdefgh", 3), ["a", "abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
    }

    #[test]
    fn text_fills_its_width_exactly() {
        assert_eq!(fit("ab", 4), "ab  ");
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn a_program_cannot_steer_the_terminal() {
        assert_eq!(clean("a\x1b[2Jb\tc\n"), "a\u{fffd}[2Jb    c\\n");
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(counted(1, "finding"), "1 finding");
    }
}
