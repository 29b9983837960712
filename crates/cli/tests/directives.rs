//! The runner of the program tests reads its directives rightly.

#[path = "programs/directive.rs"]
#[expect(dead_code, reason = "the runner uses the rest")]
mod directive;

use directive::{Action, Expected, Program};
use std::path::Path;

fn read(name: &str, text: &str) -> Result<Option<Program>, String> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    Program::read(&path, name.to_owned())
}

#[test]
fn every_directive_is_understood() {
    let text = r#"
//@ files: b.c sub/c.c
//@ cflag: -DN=3
//@ stdin: "a\tb\n\x41\0"
//@ check --strategy random --env A=": safe": bug data-race,assertion executions=20 message="x: safe "
  //@ run -- one "two three": usage
//@ native -- 1 2
int main(void) { return 1; } //~ BUG assertion, leak
"#;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    std::fs::write(folder.join("b.c"), "//~ BUG data-race\n").unwrap();
    std::fs::write(folder.join("sub/c.c"), "").unwrap();
    let program = read("all.c", text).unwrap().unwrap();
    assert_eq!(program.files, [folder.join("b.c"), folder.join("sub/c.c")]);
    assert_eq!(program.cflags, ["-DN=3"]);
    assert_eq!(program.stdin.as_deref(), Some(&b"a\tb\nA\0"[..]));
    let marks: Vec<(usize, &str)> = program.marks.iter().map(|mark| (mark.line, mark.kind.as_str())).collect();
    assert_eq!(marks, [(8, "assertion"), (8, "leak"), (1, "data-race")]);
    assert_eq!(program.cases.len(), 3);

    let Action::Gordian { subcommand, flags, arguments, expected } = &program.cases[0].action else { panic!() };
    assert_eq!(subcommand, "check");
    assert_eq!(*flags, ["--strategy", "random", "--env", "A=: safe"]);
    assert!(arguments.is_empty());
    let kinds = vec!["assertion".to_owned(), "data-race".to_owned()];
    let wanted = Expected {
        verdict: "bug".into(),
        kinds,
        executions: Some(20),
        blocked: None,
        message: Some("x: safe ".into()),
    };
    assert_eq!(*expected, wanted);

    let Action::Gordian { arguments, expected, .. } = &program.cases[1].action else { panic!() };
    assert_eq!(*arguments, ["one", "two three"]);
    assert_eq!(expected.verdict, "usage");
    assert!(matches!(&program.cases[2].action, Action::Native { arguments } if *arguments == ["1", "2"]));
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (text, said) in [
        ("\n//@ check --strategy random\n", "wrong.c:2: `: ` and one of"),
        ("//@ check: bug\n", "wants the kinds"),
        ("//@ check: safe today\n", "`today` is nothing"),
        ("//@ check: safe executions=many\n", "wants a number"),
        ("//@ stdin: text\n", "no string in double quotes"),
        ("//@ cflag: -g\n", "run nothing"),
    ] {
        let Err(error) = read("wrong.c", text) else { panic!("{text} was taken") };
        assert!(error.contains(said), "{error}");
    }
    assert!(read("none.c", "int x;\n").unwrap().is_none());
}
