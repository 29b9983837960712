//! Large programs are looked at in full detail, and what is found in them grows with their size and no faster.
//!
//! `GORDIAN_LINES=50000` makes the program as large as that.

use gordian_analysis::{Analysis, Budget, Detail, Filters};
use gordian_frontend::{Options, load};
use std::fmt::Write;

/// A list with a lock of its own and one for each node, hooks behind pointers, and calls of the modules before.
const MODULE: &str = "
struct M_node { pthread_mutex_t lock; struct M_node *next; void *owner; int key; long value; int (*hook)(void *, int); };
static struct M_node *M_head;
static pthread_mutex_t M_lock = PTHREAD_MUTEX_INITIALIZER;
static long M_count;
static int M_hook(void *arg, int key) {
    struct M_node *node = arg;
    node->value += key;
    return (int)node->value;
}
static struct M_node *M_new(int key, void *owner) {
    struct M_node *node = calloc(1, sizeof *node);
    pthread_mutex_init(&node->lock, NULL);
    node->key = key;
    node->owner = owner;
    node->hook = M_hook;
    return node;
}
static struct M_node *M_find(int key) {
    struct M_node *node = M_head;
    while (node && node->key != key)
        node = node->next;
    return node;
}
static void M_insert(int key, void *owner) {
    pthread_mutex_lock(&M_lock);
    struct M_node *node = M_find(key);
    if (!node) {
        node = M_new(key, owner);
        node->next = M_head;
        M_head = node;
        M_count++;
    }
    pthread_mutex_unlock(&M_lock);
}
static int M_touch(int key) {
    pthread_mutex_lock(&M_lock);
    struct M_node *node = M_find(key);
    pthread_mutex_unlock(&M_lock);
    if (!node)
        return 0;
    pthread_mutex_lock(&node->lock);
    int result = node->hook(node, key);
    pthread_mutex_unlock(&node->lock);
    CALLS
    return result;
}
static int M_run(void *arg, int n) {
    for (int k = 0; k < n; k++) {
        M_insert(k, arg);
        M_touch(k);
    }
    return (int)M_count;
}
";

const REST: &str = "
static void *worker(void *arg) {
    for (int i = (int)(long)arg; i < (int)(sizeof table / sizeof *table); i += 4)
        table[i](arg, i);
    return NULL;
}
int main(void) {
    pthread_t t[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
";

fn program(n_modules: usize) -> String {
    let mut text = String::from("#include <pthread.h>\n#include <stdlib.h>\n");
    let mut table = String::from("static int (*table[])(void *, int) = {");
    for nth in 0..n_modules {
        let (before, half) = (nth.saturating_sub(1), nth / 2);
        let calls = match nth {
            0 => String::new(),
            _ => format!("if (result > 1) result += m{before}_touch(result - 1);\n    m{half}_insert(key >> 1, node);"),
        };
        text.push_str(&MODULE.replace("CALLS", &calls).replace("M_", &format!("m{nth}_")));
        write!(table, "m{nth}_run, ").expect("a string takes all");
    }
    text + &table + "};\n" + REST
}

/// How many pairs there are of each kind.
fn pairs(n_modules: usize) -> [u64; 4] {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, text) = (folder.path().join("large.c"), program(n_modules));
    std::fs::write(&file, &text).expect("a file");
    let program = load(&[file], &Options::default()).expect("it compiles");
    let analysis = Analysis::of(&program, Budget::default()).expect("it has a main function");
    assert_eq!(analysis.detail(), Detail::CallSites, "{} lines are too many for the budget", text.lines().count());
    let pairs = analysis.pairs(Filters::default());
    assert!(!pairs.is_cut, "there are too many pairs in {} lines", text.lines().count());
    println!("{} lines, {} nodes, pairs {:?}", text.lines().count(), analysis.n_nodes(), pairs.n_kept);
    pairs.n_kept
}

#[test]
fn pairs_grow_with_the_program() {
    let lines: usize =
        std::env::var("GORDIAN_LINES").map_or(6000, |text| text.parse().expect("GORDIAN_LINES is a number"));
    let n_modules = lines / MODULE.lines().count();
    let [a, b, c] = [n_modules / 4, n_modules / 2, 3 * (n_modules / 4)].map(pairs);
    assert!(a.iter().sum::<u64>() > 0, "there are pairs");
    for kind in 0..4 {
        let steps = [b[kind] - a[kind], c[kind] - b[kind]];
        assert!(steps[1] <= steps[0] + steps[0] / 4 + 8, "pairs of one kind: {}, {}, {}", a[kind], b[kind], c[kind]);
    }
    if lines > 10_000 {
        pairs(n_modules);
    }
}
