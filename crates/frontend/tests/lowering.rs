//! What programs are lowered to, where it matters.

mod common;

use common::{Files, count, function, load_c, load_text, unsupported};
use gordian_frontend::{Options, load};
use gordian_ir::{Callee, Inst, Order, Pred, Program, ScalarForm, Type, VarArgKind, address};

fn name_of_callee(program: &Program, callee: Callee) -> &str {
    match callee {
        Callee::Function(id) => &program.functions[id].name,
        Callee::External(id) => &program.externals[id].name,
        Callee::Indirect(_) => "(indirect)",
    }
}

/// Zeros at the end are left out of initial bytes.
fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    (0..8).rev().fold(0, |word, index| word << 8 | u64::from(bytes.get(offset + index).copied().unwrap_or(0)))
}

fn global<'p>(program: &'p Program, name: &str) -> &'p gordian_ir::Global {
    program.globals.iter().find(|global| global.name == name).unwrap_or_else(|| panic!("no global {name}"))
}

#[test]
fn locals_live_in_registers_unless_kept_in_memory() {
    let source =
        "int main(int argc, char **argv) { int sum = 0; for (int i = 0; i < argc; i++) sum += i; return sum; }";
    let program = load_c(source);
    let main = function(&program, "main");
    assert_eq!(count(main, |inst| matches!(inst, Inst::Alloca { .. } | Inst::Load { .. })), 0);
    let options = Options { keep_memory: true, ..Options::default() };
    let program = load_text("test.c", source, &options).unwrap();
    let names: Vec<_> = function(&program, "main").allocas.iter().filter_map(|v| v.name.as_deref()).collect();
    assert_eq!(names, ["argc", "argv", "sum", "i"]);
}

#[test]
fn loops_compare_and_branch_in_one_instruction_without_moves() {
    let program = load_c("int main(int n, char **v) { int i = 0; while (i < n) { i = i + 1; } return i; }");
    let main = function(&program, "main");
    // Once on entry, and once in place of the jump back to it.
    assert_eq!(count(main, |inst| matches!(inst, Inst::BranchCmp { pred: Pred::Slt, w: 32, .. })), 2);
    assert_eq!(count(main, |inst| matches!(inst, Inst::Jump { .. })), 0);
    assert_eq!(count(main, |inst| matches!(inst, Inst::CmpSlt { .. })), 0);
    // The one move sets `i` to 0.
    assert_eq!(count(main, |inst| matches!(inst, Inst::Move { .. })), 1, "{}", program.dump(false));
}

#[test]
fn greater_becomes_less_with_the_operands_swapped() {
    let program = load_c("int f(unsigned a, unsigned b) { return a > b; } int main(void) { return f(1, 2); }");
    let code = &function(&program, "f").code;
    assert!(matches!(code[0], Inst::CmpUlt { a, b, .. } if (a.0, b.0) == (1, 0)), "{code:?}");
}

/// Two variables that swap need a temporary.
#[test]
fn phis_that_swap_go_through_a_temporary() {
    let program = load_c(
        "int f(int n) { int a = 1, b = 2; while (n--) { int t = a; a = b; b = t; } return a * 10 + b; }
         int main(void) { return f(3); }",
    );
    let f = function(&program, "f");
    let mut written = Vec::new();
    for window in f.code.windows(3) {
        if let [Inst::Move { dst: t, src: a }, Inst::Move { dst: a2, src: b }, Inst::Move { dst: b2, src: t2 }] = window
            && (t, a, b) == (t2, a2, b2)
        {
            written.push(t);
        }
    }
    assert_eq!(written.len(), 1, "{}", program.dump(false));
}

#[test]
fn overflow_is_checked_on_request() {
    let source = "int f(int a, unsigned b) { return a * 2 + (int)(b + 1); } int main(void) { return f(1, 2); }";
    let count_checked = |program: &Program| count(function(program, "f"), |inst| matches!(inst, Inst::Checked { .. }));
    assert_eq!(count_checked(&load_c(source)), 0);
    let options = Options { check_overflow: true, ..Options::default() };
    // The unsigned addition is not among them.
    assert_eq!(count_checked(&load_text("test.c", source, &options).unwrap()), 2);
}

#[test]
fn atomics_keep_order_and_strength() {
    let program = load_c(
        "#include <stdatomic.h>
         atomic_int x;
         int main(void) {
             int e = 0;
             atomic_store_explicit(&x, 1, memory_order_release);
             atomic_compare_exchange_weak_explicit(&x, &e, 2, memory_order_acq_rel, memory_order_relaxed);
             atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
             atomic_thread_fence(memory_order_seq_cst);
             return atomic_load_explicit(&x, memory_order_acquire);
         }",
    );
    let main = function(&program, "main");
    let has = |matches: fn(&Inst) -> bool| assert_eq!(count(main, matches), 1, "{}", program.dump(false));
    has(|inst| matches!(inst, Inst::AtomicStore { size: 4, order: Order::Release, .. }));
    has(|inst| {
        matches!(inst, Inst::CmpXchg { size: 4, order: Order::AcqRel, failure: Order::Relaxed, weak: true, .. })
    });
    has(|inst| matches!(inst, Inst::AtomicRmw { op: gordian_ir::RmwOp::Add, order: Order::Relaxed, .. }));
    has(|inst| matches!(inst, Inst::Fence { order: Order::SeqCst }));
    has(|inst| matches!(inst, Inst::AtomicLoad { order: Order::Acquire, .. }));
}

#[test]
fn every_access_of_the_source_is_there() {
    let program = load_c("int x, flag; int main(void) { x++; x++; while (!flag) ; return x; }");
    let main = function(&program, "main");
    assert_eq!(count(main, |inst| matches!(inst, Inst::Load { .. })), 4);
    assert_eq!(count(main, |inst| matches!(inst, Inst::Store { .. })), 2);
}

#[test]
fn globals_have_their_bytes() {
    let program = load_c(
        "struct node { char tag; struct node *next; double d; } a, b = {'b', &a, 1.5};
         int numbers[4] = {1, -1};
         int *third = &numbers[2];
         long distance = (char *)&numbers[3] - (char *)&numbers[0];
         int f(int x) { return x; }
         int (*pointer)(int) = f;
         __int128 wide = (__int128)5 << 64 | 7;
         const char *const text[2] = {\"hi\", 0};
         int main(void) { return pointer(*third) + b.tag + a.tag + distance + (int)wide + text[0][0]; }",
    );
    let address_of = |name: &str| {
        let (id, _) = program.globals.enumerate().find(|(_, global)| global.name == name).unwrap();
        address::of_global(id)
    };
    let b = global(&program, "b");
    assert_eq!((b.size, b.init[0]), (24, b'b'));
    assert_eq!(u64_at(&b.init, 8), address_of("a"));
    assert_eq!(u64_at(&b.init, 16), 1.5f64.to_bits());
    assert!(global(&program, "a").init.is_empty());
    let numbers = global(&program, "numbers");
    assert_eq!((numbers.size, numbers.init.as_slice()), (16, &[1, 0, 0, 0, 255, 255, 255, 255][..]));
    assert_eq!(u64_at(&global(&program, "third").init, 0), address_of("numbers") + 8);
    assert_eq!(global(&program, "distance").init, [12]);
    let f = program.function_named("f").unwrap();
    assert_eq!(u64_at(&global(&program, "pointer").init, 0), address::of_function(f.0));
    assert_eq!(global(&program, "wide").init, [7, 0, 0, 0, 0, 0, 0, 0, 5]);
    assert!(global(&program, "text").constant);
}

#[test]
fn thread_locals_are_asked_for_by_thread() {
    let program = load_c("_Thread_local int counters[4] = {1, 2}; int main(void) { return counters[1]++; }");
    let counters = global(&program, "counters");
    assert!(counters.thread_local);
    assert_eq!(counters.init, [1, 0, 0, 0, 2]);
    assert_eq!(count(function(&program, "main"), |inst| matches!(inst, Inst::ThreadLocal { .. })), 1);
}

#[test]
fn arguments_travel_by_value_and_variadically() {
    let program = load_c(
        "#include <stdio.h>
         struct big { long a[4]; };
         struct pair { float x, y; };
         long f(int n, struct big b) { return n + b.a[2]; }
         int main(void) {
             struct big b = {{1, 2, 3, 4}};
             struct pair p = {1, 2};
             printf(\"%ld\", f(1, b));
             printf(\"%f %d\", 2.5f, 'x', p, b, (__int128)1);
             return 0;
         }",
    );
    let main = function(&program, "main");
    let call = main.calls.iter().find(|site| name_of_callee(&program, site.callee) == "f").unwrap();
    assert_eq!((call.args.len(), call.n_returns), (2, 1));
    assert_eq!((call.byval[0].arg, call.byval[0].size, call.byval[0].align), (1, 32, 8));
    let print = main.calls.iter().filter(|site| name_of_callee(&program, site.callee) == "printf").nth(1).unwrap();
    let kinds: Vec<_> = print.variadic.iter().map(|argument| argument.kind).collect();
    use VarArgKind::{Memory, Wide, Word};
    // The two floats of the pair share a word.
    assert_eq!(kinds, [Word, Word, Word, Memory { size: 32, align: 8 }, Wide]);
}

#[test]
fn labels_have_addresses() {
    let program = load_c(
        "int f(int n) {
             static void *table[] = {&&one, &&two};
             int sum = 0;
         again:
             goto *table[n-- > 0];
         one: return sum + 1;
         two: sum += 2; goto again;
         }
         int main(void) { return f(3); }",
    );
    let (id, f) = program.functions.enumerate().find(|(_, function)| function.name == "f").unwrap();
    assert_eq!(f.labels.len(), 2);
    let table = global(&program, "f.table");
    let labels: Vec<_> = (0..2).map(|index| address::label_of(u64_at(&table.init, index * 8)).unwrap()).collect();
    assert_eq!(labels.iter().map(|(function, _)| *function).collect::<Vec<_>>(), [id, id]);
    assert_eq!(count(f, |inst| matches!(inst, Inst::JumpIndirect { .. })), 1);
}

#[test]
fn constructors_run_by_priority() {
    let program = load_c(
        "int x;
         __attribute__((constructor(300))) static void second(void) { x *= 2; }
         __attribute__((constructor(200))) static void first(void) { x = 3; }
         __attribute__((destructor(200))) static void last(void) { x = 3; }
         __attribute__((destructor(300))) static void earlier(void) { x = 3; }
         int main(void) { return x; }",
    );
    let names =
        |ids: &[gordian_ir::FuncId]| ids.iter().map(|id| program.functions[*id].name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&program.constructors), ["first", "second"]);
    assert_eq!(names(&program.destructors), ["earlier", "last"]);
}

#[test]
fn aliases_are_what_they_stand_for() {
    let program = load_c(
        "int real(int x) { return x; }
         int other(int x) __attribute__((alias(\"real\")));
         extern int missing(void) __attribute__((weak));
         int main(void) { return missing ? missing() : other(1); }",
    );
    let main = function(&program, "main");
    assert!(main.calls.iter().any(|site| name_of_callee(&program, site.callee) == "real"));
    assert!(unsupported(&program).is_empty());
}

#[test]
fn assembly_is_a_barrier_a_fence_or_refused() {
    let program = load_c(
        "int x;
         int barrier(int v) { __asm__ volatile(\"\" : \"+r\"(v) : : \"memory\"); return v; }
         void pause(void) { __asm__ volatile(\"pause\"); __builtin_ia32_pause(); }
         void fence(void) { __asm__ volatile(\"mfence\" ::: \"memory\"); }
         void other(void) { __asm__ volatile(\"lock incl %0\" : \"+m\"(x)); }
         int main(void) { pause(); fence(); other(); return barrier(5); }",
    );
    let barrier = function(&program, "barrier");
    assert!(
        matches!(barrier.code[..], [Inst::Move { src, .. }, Inst::Return { .. }] if src.0 == 0),
        "{:?}",
        barrier.code
    );
    assert_eq!(function(&program, "pause").code.len(), 1);
    assert_eq!(count(function(&program, "fence"), |inst| matches!(inst, Inst::Fence { order: Order::SeqCst })), 1);
    assert_eq!(unsupported(&program), ["inline assembly \"lock incl $0\""]);
}

#[test]
fn what_cannot_be_run_says_why() {
    let options = Options { cflags: vec!["-mlong-double-80".into()], ..Options::default() };
    let source = "long double f(long double x) { return x * 2; } int main(void) { return (int)f(1); }";
    let program = load_text("test.c", source, &options).unwrap();
    assert!(
        unsupported(&program).iter().all(|reason| reason.contains("-mlong-double-64")),
        "{:?}",
        unsupported(&program)
    );
    assert!(!unsupported(&program).is_empty());
    // Without the flag it is a double.
    assert!(unsupported(&load_c(source)).is_empty());
}

#[test]
fn floats_of_other_formats_have_their_bytes() {
    let source = "_Float16 h = 1; __float128 q = 1; struct { char c; long double d; } s = {1, 1};
                  int main(void) { return *(char *)&h + *(char *)&q + s.c; }";
    let options = Options { cflags: vec!["-mlong-double-80".into()], ..Options::default() };
    let program = load_text("test.c", source, &options).unwrap();
    assert_eq!(global(&program, "h").init, [0, 0x3c]);
    assert_eq!(global(&program, "q").init[14..], [0xff, 0x3f]);
    assert_eq!(global(&program, "s").init[23..], [0x80, 0xff, 0x3f]);
}

#[test]
fn debug_information_names_things() {
    let files = Files::new();
    let path = files.write(
        "named.c",
        "typedef struct { int x; unsigned char text[3]; struct { _Bool yes; } inner; } thing;
static const thing table[2][3];
enum color { red, green } shade;
int main(void) {
    volatile int local = 3;
    return table[1][2].x + shade + local;
}
",
    );
    let program = load(std::slice::from_ref(&path), &Options::default()).unwrap();
    let table = global(&program, "table");
    assert_eq!(program.files[table.loc.file], path.display().to_string());
    assert_eq!(table.loc.line, 2);
    let Type::Array { element, count: 2, stride: 24 } = program.types[table.ty.unwrap()] else { panic!("an array") };
    let Type::Array { element, count: 3, stride: 8 } = program.types[element] else { panic!("an array of arrays") };
    let Type::Struct { name, size: 8, members } = &program.types[element] else { panic!("a struct") };
    assert_eq!(name, "thing");
    let names: Vec<_> = members.iter().map(|member| (member.name.as_str(), member.offset)).collect();
    assert_eq!(names, [("x", 0), ("text", 4), ("inner", 7)]);
    assert!(matches!(program.types[members[0].ty], Type::Scalar { size: 4, form: ScalarForm::Signed, .. }));
    assert!(matches!(program.types[members[1].ty], Type::Array { count: 3, stride: 1, .. }));
    let shade = global(&program, "shade");
    assert!(
        matches!(&program.types[shade.ty.unwrap()], Type::Scalar { name, form: ScalarForm::Unsigned, .. } if name == "enum color")
    );
    let main = function(&program, "main");
    assert_eq!(main.loc.line, 4);
    assert_eq!(main.allocas[0].name.as_deref(), Some("local"));
    assert!(matches!(program.types[main.allocas[0].ty.unwrap()], Type::Scalar { size: 4, .. }));
    let store = main.code.iter().position(|inst| matches!(inst, Inst::Store { .. })).unwrap();
    assert_eq!((main.locs[store].line, main.locs[store].column), (5, 18));
}

#[test]
fn the_users_function_wins_over_libcs() {
    let program = load_c(
        "#include <string.h>
         unsigned long strlen(const char *text) { return 42; }
         int main(int n, char **v) { return (int)strlen(v[0]) + strcmp(v[0], v[1]) + atoi(v[0]); }
         "
        .replace("#include <string.h>", "#include <string.h>\n#include <stdlib.h>")
        .as_str(),
    );
    assert!(!function(&program, "strlen").internal);
    assert!(function(&program, "strcmp").internal);
    // Nothing of libc that nobody calls comes along.
    assert_eq!(program.function_named("qsort"), None);
}

#[test]
fn statics_of_the_same_name_live_side_by_side() {
    let files = Files::new();
    let first = files
        .write("first.c", "static int n = 1; static int next(void) { return n++; } int first(void) { return next(); }");
    let second = files.write(
        "second.c",
        "static int n = 5; static int next(void) { return n--; } int first(void); int main(void) { return first() + next(); }",
    );
    let program = load(&[first, second], &Options::default()).unwrap();
    assert_eq!(program.functions.iter().filter(|function| function.name == "next").count(), 2);
    assert_eq!(program.globals.iter().filter(|global| global.name == "n").count(), 2);
}

#[test]
fn identity_tells_programs_apart_and_nothing_else() {
    let source = "#include <stdio.h>\nint main(void) { puts(\"a\"); return 0; }";
    let identity = |source: &str, options: &Options| load_text("test.c", source, options).unwrap().identity;
    let plain = Options::default();
    // Another directory every time.
    assert_eq!(identity(source, &plain), identity(source, &plain));
    assert_eq!(identity(source, &plain), identity(&source.replace("\n", "\n// a comment\n"), &plain));
    assert_ne!(identity(source, &plain), identity(&source.replace("\"a\"", "\"b\""), &plain));
    assert_ne!(identity(source, &plain), identity(source, &Options { check_overflow: true, ..plain.clone() }));
}

#[test]
fn calls_of_another_type_go_by_address() {
    let files = Files::new();
    let caller = files.write("caller.c", "int f(int, int); int main(void) { return f(1, 2); }");
    let callee = files.write("callee.c", "int f(int x) { return x; }");
    let program = load(&[caller, callee], &Options::default()).unwrap();
    assert!(matches!(function(&program, "main").calls[0].callee, Callee::Indirect(_)));
}
