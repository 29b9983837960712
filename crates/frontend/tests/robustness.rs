//! Bad input gets one clear error and never a crash.

mod common;

use common::{Files, load_text};
use gordian_base::Rng;
use gordian_frontend::{FrontendError, Options, load};
use std::path::PathBuf;
use std::process::Command;

const PROGRAM: &str = r#"
#include <stdio.h>
#include <pthread.h>
struct node { int value; struct node *next; };
static struct node nodes[3] = {{1, &nodes[1]}, {2, &nodes[2]}, {3, 0}};
static _Thread_local int seen;
static void *work(void *argument) {
    for (struct node *node = argument; node; node = node->next) {
        switch (node->value) { case 1: seen++; break; case 2: seen += 5; break; default: seen = 0; }
    }
    return 0;
}
int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, 0, work, nodes);
    pthread_join(thread, 0);
    printf("%d %s %f\n", seen, argv[argc - 1], argc * 0.5);
    return 0;
}
"#;

fn bitcode(files: &Files, extra: &[&str]) -> PathBuf {
    let source = files.write("valid.c", PROGRAM);
    let output = files.directory.path().join("valid.bc");
    let status = Command::new("clang-22")
        .args(["-g", "-emit-llvm", "-c", "-o"])
        .arg(&output)
        .arg(&source)
        .args(extra)
        .status()
        .expect("clang-22 runs");
    assert!(status.success());
    output
}

fn error_of(name: &str, content: impl AsRef<[u8]>) -> FrontendError {
    load_text(name, content, &Options::default()).expect_err("the input is bad")
}

#[test]
fn bitcode_and_assembly_of_other_compilers_load() {
    let files = Files::new();
    let path = bitcode(&files, &["-O0"]);
    let program = load(&[path], &Options::default()).expect("bitcode loads");
    // Compiled without optimisation, and its locals are in registers all the same.
    assert!(common::function(&program, "work").allocas.is_empty());
    let assembly = "target triple = \"x86_64-unknown-linux-gnu\"\ndefine i32 @main() {\n  ret i32 0\n}\n";
    load_text("test.ll", assembly, &Options::default()).expect("assembly loads");
}

#[test]
fn truncated_bitcode_is_refused() {
    let files = Files::new();
    let bytes = std::fs::read(bitcode(&files, &[])).unwrap();
    for len in [4, 5, 100, bytes.len() / 2, bytes.len() - 4] {
        let error = error_of("short.bc", &bytes[..len]);
        assert!(matches!(error, FrontendError::BadBitcode { .. }), "{len} bytes: {error}");
    }
}

#[test]
fn what_is_no_bitcode_is_refused() {
    let mut rng = Rng::new(1);
    let random: Vec<u8> = (0..5000).map(|_| rng.next_u64() as u8).collect();
    let mut disguised = b"BC\xC0\xDE".to_vec();
    disguised.extend(&random);
    for content in [&b"int main(void) { return 0; }"[..], b"", &random, &disguised] {
        let error = error_of("odd.bc", content);
        assert!(matches!(error, FrontendError::BadBitcode { .. }), "{error}");
    }
    assert!(matches!(error_of("odd.ll", &random), FrontendError::BadBitcode { .. }));
    assert!(matches!(error_of("odd.ll", "define i32 @main( {"), FrontendError::BadBitcode { .. }));
    assert!(matches!(error_of("empty.ll", ""), FrontendError::NoMain));
}

/// A flipped bit may make LLVM's reader crash, may be noticed, or may make another valid program;
/// whatever it does, we live and what loads is a valid program.
#[test]
fn mutated_bitcode_never_crashes() {
    let files = Files::new();
    let bytes = std::fs::read(bitcode(&files, &[])).unwrap();
    let mut rng = Rng::new(7);
    for round in 0..40 {
        let mut mutated = bytes.clone();
        for _ in 0..=rng.below(4) {
            let place = 4 + rng.below(mutated.len() - 4);
            mutated[place] ^= 1 << rng.below(8);
        }
        match load_text("mutated.bc", &mutated, &Options::default()) {
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty(), "round {round}"),
        }
    }
}

#[test]
fn compile_errors_carry_the_compilers_words() {
    let error = error_of("wrong.c", "int main(void) { return 0 }");
    let text = error.to_string();
    assert!(matches!(error, FrontendError::DoesNotCompile { .. }));
    assert!(text.contains("wrong.c:1:26: error: expected ';'"), "{text}");
}

#[test]
fn missing_files_and_unknown_kinds_are_told() {
    let missing = load(&[PathBuf::from("/no/such/file.c")], &Options::default()).unwrap_err();
    assert!(matches!(missing, FrontendError::Unreadable { .. }));
    assert!(missing.to_string().contains("/no/such/file.c"));
    assert!(matches!(load(&["/no/such.bc".into()], &Options::default()), Err(FrontendError::Unreadable { .. })));
    assert!(matches!(load(&["a.txt".into()], &Options::default()), Err(FrontendError::UnknownExtension(_))));
    assert!(matches!(load(&["noextension".into()], &Options::default()), Err(FrontendError::UnknownExtension(_))));
    assert!(matches!(load(&[], &Options::default()), Err(FrontendError::NoInput)));
    let files = Files::new();
    let directory = files.directory.path().join("directory.c");
    std::fs::create_dir(&directory).unwrap();
    assert!(load(&[directory], &Options::default()).is_err());
}

#[test]
fn a_program_needs_one_main() {
    assert!(matches!(error_of("library.c", "int f(void) { return 0; }"), FrontendError::NoMain));
    assert!(matches!(error_of("declared.c", "int main(void); int f(void) { return main(); }"), FrontendError::NoMain));
    let files = Files::new();
    let first = files.write("first.c", "int main(void) { return 0; }");
    let second = files.write("second.c", "int main(void) { return 1; }");
    let error = load(&[first, second], &Options::default()).unwrap_err();
    assert!(matches!(error, FrontendError::Link { .. }));
    assert!(error.to_string().contains("main"), "{error}");
}

#[test]
fn other_targets_are_refused() {
    let options = Options { cflags: vec!["-m32".into()], ..Options::default() };
    let error = load_text("small.c", "int main(void) { return 0; }", &options).unwrap_err();
    assert!(matches!(error, FrontendError::WrongTarget { .. }), "{error}");
    let arm = "target triple = \"aarch64-unknown-linux-gnu\"\ndefine i32 @main() {\n  ret i32 0\n}\n";
    assert!(matches!(error_of("arm.ll", arm), FrontendError::WrongTarget { .. }));
}

#[test]
fn invalid_modules_are_refused() {
    let broken = "target triple = \"x86_64-pc-linux-gnu\"\ndefine i32 @main() {\n  br label %a\na:\n  %x = add i32 %y, 1\n  \
                  br label %b\nb:\n  %y = add i32 1, 1\n  ret i32 %x\n}\n";
    assert!(matches!(error_of("broken.ll", broken), FrontendError::BadBitcode { .. }));
}

#[test]
fn a_huge_variable_is_told() {
    let error = error_of("huge.c", "char huge[1ul << 34]; int main(void) { return huge[5]; }");
    assert!(matches!(error, FrontendError::TooLarge { .. }), "{error}");
    // An initialiser of many gigabytes must not be built.
    let assembly = "target triple = \"x86_64-pc-linux-gnu\"\n@g = global [1152921504606846976 x i64] zeroinitializer\n\
                    define i32 @main() {\n  %x = load i32, ptr @g\n  ret i32 %x\n}\n";
    assert!(matches!(error_of("huge.ll", assembly), FrontendError::TooLarge { .. }));
}
