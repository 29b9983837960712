//! Mutations of LLVM assembly that often leave it valid: other types, numbers, operations and orders in its place.

use gordian_base::Rng;

/// Words of the same kind, any of which may stand for another.
const FAMILIES: &[&[&str]] = &[
    &["i1", "i7", "i8", "i16", "i24", "i32", "i33", "i64", "i65", "i100", "i128", "i129", "i200", "ptr", "half"],
    &[
        "float",
        "double",
        "x86_fp80",
        "fp128",
        "half",
        "bfloat",
        "<2 x double>",
        "<4 x i32>",
        "{ i32, i8 }",
        "[3 x i24]",
    ],
    &["add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr", "and", "or", "xor"],
    &["fadd", "fsub", "fmul", "fdiv", "frem"],
    &["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"],
    &["oeq", "ogt", "one", "ord", "ueq", "uno", "true", "false"],
    &["trunc", "zext", "sext", "bitcast", "inttoptr", "ptrtoint", "addrspacecast", "freeze"],
    &["fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext"],
    &["monotonic", "acquire", "release", "acq_rel", "seq_cst", "unordered"],
    &["internal", "private", "weak", "linkonce_odr", "external", "common", "appending", "available_externally"],
    &["global", "constant", "thread_local global", "externally_initialized global"],
    &["tail call", "call", "musttail call", "notail call"],
    &["byval(i64)", "sret(i32)", "noundef", "zeroext", "signext", "inreg", "nonnull"],
    &["xchg", "nand", "umin", "umax", "fadd", "uinc_wrap", "udec_wrap", "usub_sat"],
    &["undef", "poison", "zeroinitializer", "null", "0", "-1"],
    &["ret", "unreachable", "br label", "switch", "resume", "indirectbr"],
    &["volatile", "inbounds", "nuw nsw", "exact", "atomic", ""],
    &[
        "@main",
        "@malloc",
        "@free",
        "@pthread_create",
        "@pthread_mutex_lock",
        "@llvm.trap",
        "@memcpy",
        "@printf",
        "@exit",
    ],
    &["align 1", "align 2", "align 4", "align 8", "align 16", "align 4294967296"],
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "4294967295",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
];

pub fn mutate(rng: &mut Rng, corpus: &[String]) -> String {
    let mut lines: Vec<String> = corpus[rng.below(corpus.len())].lines().map(str::to_owned).collect();
    for _ in 0..=rng.below(3) {
        match rng.below(10) {
            0..3 => replace_word(rng, &mut lines),
            3..5 => replace_everywhere(rng, &mut lines),
            5..7 => replace_number(rng, &mut lines),
            _ => move_lines(rng, &mut lines, corpus),
        }
    }
    lines.join("\n") + "\n"
}

/// A word of the text and one of its family.
fn pair(rng: &mut Rng, lines: &[String]) -> Option<(usize, &'static str, &'static str)> {
    // Not every line has a word to replace.
    for _ in 0..50 {
        let line = rng.below(lines.len());
        let family = FAMILIES[rng.below(FAMILIES.len())];
        let word = family.iter().find(|word| !word.is_empty() && has_word(&lines[line], word));
        if let Some(word) = word {
            return Some((line, word, family[rng.below(family.len())]));
        }
    }
    None
}

fn has_word(line: &str, word: &str) -> bool {
    replaced(line, word, "").is_some()
}

/// The line with each `word` that stands alone replaced; none if there is none.
fn replaced(line: &str, word: &str, by: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut out = String::new();
    let mut rest = line;
    let mut found = false;
    while let Some(at) = rest.find(word) {
        let before = rest[..at].chars().next_back().or(out.chars().next_back());
        let after = rest[at + word.len()..].chars().next();
        let alone = !before.is_some_and(is_part) && !after.is_some_and(is_part);
        out.push_str(&rest[..at]);
        out.push_str(if alone { by } else { word });
        found |= alone;
        rest = &rest[at + word.len()..];
    }
    out.push_str(rest);
    found.then_some(out)
}

fn replace_word(rng: &mut Rng, lines: &mut [String]) {
    if let Some((line, word, by)) = pair(rng, lines) {
        lines[line] = replaced(&lines[line], word, by).expect("the word is there");
    }
}

/// One for another in the whole text: what is consistent often stays valid.
fn replace_everywhere(rng: &mut Rng, lines: &mut [String]) {
    if let Some((_, word, by)) = pair(rng, lines) {
        for line in lines.iter_mut().filter(|line| !line.starts_with('!') && !line.starts_with("target")) {
            if let Some(new) = replaced(line, word, by) {
                *line = new;
            }
        }
    }
}

fn replace_number(rng: &mut Rng, lines: &mut [String]) {
    let line = rng.below(lines.len());
    let text = &lines[line];
    let starts: Vec<usize> = (0..text.len())
        .filter(|&at| {
            let digit = |at: usize| text.as_bytes()[at].is_ascii_digit();
            digit(at) && (at == 0 || b" ,[(".contains(&text.as_bytes()[at - 1]))
        })
        .collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[rng.below(starts.len())];
    let len = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let new = format!("{}{}{}", &text[..start], NUMBERS[rng.below(NUMBERS.len())], &text[start + len..]);
    lines[line] = new;
}

fn move_lines(rng: &mut Rng, lines: &mut Vec<String>, corpus: &[String]) {
    let at = rng.below(lines.len());
    match rng.below(4) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = rng.below(lines.len());
            lines.swap(at, other);
        }
        _ => {
            let other: Vec<&str> = corpus[rng.below(corpus.len())].lines().collect();
            lines[at] = other[rng.below(other.len())].to_owned();
        }
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
}
