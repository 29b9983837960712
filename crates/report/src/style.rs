//! Width and colours, decided by whoever knows the terminal.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Style {
    pub const PLAIN: Style = Style { colour: false, width: 100 };

    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\x1b[{}m{text}\x1b[0m", paint.code()) } else { text.to_owned() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Bold,
    Dim,
    Good,
    Bad,
    Caution,
    /// Each thread keeps its colour through a report.
    Thread(u32),
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Bold => "1",
            Paint::Dim => "2",
            Paint::Good => "1;32",
            Paint::Bad => "1;31",
            Paint::Caution => "1;33",
            Paint::Thread(number) => ["36", "35", "33", "34", "32"][number as usize % 5],
        }
    }
}
