//! Names that C accepts.

use gordian_base::FxHashMap;
use gordian_ir::{FuncId, Program};

/// A C name for each function, as close to its own as possible.
pub fn function_names(program: &Program, functions: &[FuncId]) -> FxHashMap<FuncId, String> {
    let mut taken: FxHashMap<String, FuncId> = FxHashMap::default();
    let mut names = FxHashMap::default();
    for &id in functions {
        let mut name = identifier(&program.functions[id].name);
        if taken.contains_key(&name) {
            name = format!("{name}_{}", id.0);
        }
        taken.insert(name.clone(), id);
        names.insert(id, name);
    }
    names
}

fn identifier(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

/// A string literal.
pub fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => {
                out.push('\\');
                out.push(byte as char);
            }
            b' '..=b'~' => out.push(byte as char),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

/// Text that can stand in a comment.
pub fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_graphic() && c != '*' && c != '/' { c } else { '_' }).collect()
}
