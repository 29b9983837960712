//! What the tests of the command share: a folder for each, and a program with a bug.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two threads increment a counter in two steps each, so one increment can get lost.
pub const LOST_UPDATE: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int counter;
static void *add(void *unused)
{
    int seen = counter;
    counter = seen + 1;
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
"#;

/// A folder of its own for each test, gone when it passes.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let name = format!("{}-{name}", env!("CARGO_CRATE_NAME"));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    pub fn gordian(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_gordian")).args(arguments).current_dir(&self.0).output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
