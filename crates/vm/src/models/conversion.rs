//! What a conversion of a format says, before any argument is looked at.

/// Flags, width and precision.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub alternate: bool,
    pub zero: bool,
    pub width: usize,
    pub precision: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Char,
    Short,
    Int,
    Long,
}

/// Which argument: the next one, or that of a number (`n$`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Next,
    Nth(usize),
}

#[derive(Clone, Debug)]
pub struct Conversion {
    pub which: Which,
    /// As far as the format itself says.
    pub spec: Spec,
    /// Arguments that say the rest of it (`*`).
    pub width: Option<Which>,
    pub precision: Option<Which>,
    pub length: Length,
    /// 0 if the format ends before.
    pub letter: u8,
}

/// What an argument is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is merely printed.
    Printed,
    /// A number that the program gets to know something of: by how much is printed, or by an error.
    Number,
    /// An address at which something is read or written.
    Pointer,
}

impl Conversion {
    /// The use of the argument that the letter takes; none if it takes none.
    fn takes(&self) -> Option<Use> {
        match (self.letter, self.length) {
            (b's' | b'S' | b'n', _) => Some(Use::Pointer),
            (b'C', _) | (b'c', Length::Long) => Some(Use::Number),
            (b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'b' | b'B' | b'p' | b'c', _) => Some(Use::Printed),
            (b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A', _) => Some(Use::Printed),
            _ => None,
        }
    }
}

/// Every argument that a format takes, by its number, in the order in which they are taken.
pub fn uses(format: &[u8]) -> Vec<(usize, Use)> {
    let mut parser = Parser { format, at: 0 };
    let (mut uses, mut next) = (Vec::new(), 0);
    while parser.at < format.len() {
        parser.at += 1;
        if format[parser.at - 1] != b'%' {
            continue;
        }
        let conversion = parser.conversion();
        let stars = [conversion.width, conversion.precision].map(|star| star.map(|which| (which, Use::Number)));
        let taken = conversion.takes().map(|of| (conversion.which, of));
        for (which, of) in stars.into_iter().chain([taken]).flatten() {
            let nth = match which {
                Which::Nth(nth) => nth,
                Which::Next => {
                    next += 1;
                    next - 1
                }
            };
            uses.push((nth, of));
        }
    }
    uses
}

pub struct Parser<'f> {
    pub format: &'f [u8],
    pub at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> u8 {
        self.format.get(self.at).copied().unwrap_or(0)
    }

    fn digits(&mut self) -> Option<usize> {
        let start = self.at;
        let mut value = 0usize;
        while self.peek().is_ascii_digit() {
            value = value.saturating_mul(10).saturating_add(usize::from(self.peek() - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(value)
    }

    fn which(&mut self) -> Which {
        let start = self.at;
        if let Some(n) = self.digits()
            && n > 0
            && self.peek() == b'$'
        {
            self.at += 1;
            return Which::Nth(n - 1);
        }
        self.at = start;
        Which::Next
    }

    /// What follows a `%`, its letter included.
    pub fn conversion(&mut self) -> Conversion {
        let which = self.which();
        let mut spec = Spec::default();
        self.flags(&mut spec);
        let (mut width, mut precision) = (None, None);
        if self.peek() == b'*' {
            self.at += 1;
            width = Some(self.which());
        } else if let Some(n) = self.digits() {
            spec.width = n;
        }
        if self.peek() == b'.' {
            self.at += 1;
            if self.peek() == b'*' {
                self.at += 1;
                precision = Some(self.which());
            } else {
                spec.precision = Some(self.digits().unwrap_or(0));
            }
        }
        let length = self.length();
        let letter = self.peek();
        self.at += usize::from(letter != 0);
        Conversion { which, spec, width, precision, length, letter }
    }

    fn flags(&mut self, spec: &mut Spec) {
        loop {
            match self.peek() {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                // Grouping and other digits mean nothing in the C locale.
                b'\'' | b'I' => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn length(&mut self) -> Length {
        let mut length = Length::Int;
        loop {
            length = match (self.peek(), length) {
                (b'h', Length::Short) => Length::Char,
                (b'h', _) => Length::Short,
                (b'l' | b'q' | b'j' | b'z' | b'Z' | b't' | b'L', _) => Length::Long,
                _ => return length,
            };
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_taken_in_turn_or_by_number() {
        assert_eq!(uses(b"%d 100%% %s"), [(0, Use::Printed), (1, Use::Pointer)]);
        assert_eq!(uses(b"%-*.*f%n"), [(0, Use::Number), (1, Use::Number), (2, Use::Printed), (3, Use::Pointer)]);
        assert_eq!(uses(b"%2$s %1$d"), [(1, Use::Pointer), (0, Use::Printed)]);
        assert_eq!(uses(b"%.3ls%lc%c"), [(0, Use::Pointer), (1, Use::Number), (2, Use::Printed)]);
        assert_eq!(uses(b"%m %y %"), []);
    }
}
