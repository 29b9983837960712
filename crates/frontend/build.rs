//! Links LLVM 22 and compiles gordian's own libc to bitcode that the crate carries inside.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const LIBRARY: &str = "libLLVM.so.22.1";
const LIBRARY_DIRECTORIES: [&str; 2] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/llvm-22/lib"];

fn main() {
    link_llvm();
    println!("cargo:rerun-if-changed=libc");
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let libc = manifest.join("libc");
    let mut table = String::from("pub const MODULES: &[(&str, &[u8])] = &[\n");
    for source in c_files(&libc) {
        println!("cargo:rerun-if-changed=libc/{source}");
        let bitcode = out.join(format!("{source}.bc"));
        compile(&libc, &source, &bitcode);
        writeln!(table, "    ({source:?}, include_bytes!({:?})),", bitcode.display().to_string())
            .expect("writing to a string never fails");
    }
    table.push_str("];\n");
    fs::write(out.join("libc_modules.rs"), table).expect("OUT_DIR is writable");
}

fn link_llvm() {
    let directory = LIBRARY_DIRECTORIES
        .into_iter()
        .find(|directory| Path::new(directory).join(LIBRARY).exists())
        .unwrap_or_else(|| panic!("{LIBRARY} is missing; install the package clang-22 (from apt.llvm.org)"));
    println!("cargo:rustc-link-search=native={directory}");
    println!("cargo:rustc-link-lib=dylib:+verbatim={LIBRARY}");
}

/// Sorted, so that the same sources give the same crate.
fn c_files(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".c"))
        .collect();
    names.sort();
    names
}

fn compile(directory: &Path, source: &str, bitcode: &Path) {
    let output = Command::new("clang-22")
        .current_dir(directory)
        .args(["-std=gnu17", "-O1", "-g", "-Xclang", "-disable-llvm-passes", "-fno-builtin", "-mlong-double-64"])
        // No path of the building machine may reach the bitcode; `debug.rs` knows this prefix.
        .arg("-fdebug-compilation-dir=gordian-libc")
        .args(["-fno-stack-protector", "-fno-unwind-tables", "-emit-llvm", "-c", "-o"])
        .arg(bitcode)
        .arg(source)
        .output()
        .unwrap_or_else(|error| panic!("cannot run clang-22 ({error}); install the package clang-22"));
    assert!(output.status.success(), "clang-22 rejects libc/{source}:\n{}", String::from_utf8_lossy(&output.stderr));
}
