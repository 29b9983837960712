//! Runs clang: C sources to bitcode, and bitcode of unknown origin past clang's own reader, so that
//! what makes LLVM crash does so in a child process.

use crate::{FrontendError, Options};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

pub const COMPILER: &str = "clang-22";
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Kilobytes of address space for a child that reads untrusted bitcode.
const MEMORY_LIMIT: &str = "8000000";
/// Files that programs under test may include: name and text.
const HEADERS: &[(&str, &str)] = &[
    ("gordian.h", include_str!("../include/gordian.h")),
    ("klee/klee.h", include_str!("../include/klee/klee.h")),
    ("crest.h", include_str!("../include/crest.h")),
];
/// Compilers at work at the same time.
const PARALLEL: usize = 2;

const C_FLAGS: &[&str] = &[
    "-std=gnu17",
    "-O1",
    // -O1 is for the lifetimes of variables; what is tested is the program as compiled without optimisations.
    "-U__OPTIMIZE__",
    "-g",
    "-mlong-double-64",
    // Atomics of 16 bytes as instructions, not as calls of libatomic, which does them with the same instruction. Programs do not see the flag.
    "-mcx16",
    "-U__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16",
    "-pthread",
    // Names of blocks tell which way round a condition stands in the source.
    "-fno-discard-value-names",
    "-fno-stack-protector",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    // What LLVM's reader would end our process for, the compiler says in a process of its own.
    "-fverify-intermediate-code",
    // A crash report would be written to the user's /tmp.
    "-fno-crash-diagnostics",
];
/// After the user's flags: what would change the meaning of the program under test. LLVM's passes
/// merge and invent accesses to shared memory; fortified functions hide the plain ones.
const FINAL_FLAGS: &[&str] = &["-U_FORTIFY_SOURCE", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"];

/// Clang's checks for arithmetic that it folds if the operands are constants.
const FOLDING_CHECKS: &str = "integer-divide-by-zero,shift-exponent,signed-integer-overflow,float-cast-overflow";
/// What else clang can check in C, but for what the machine sees by itself. Its type descriptors must not depend on where
/// the user stands, nor may a check go on when it fails.
const UNDEFINED_CHECKS: &str =
    "alignment,bool,bounds,builtin,nonnull-attribute,returns-nonnull-attribute,shift,unreachable,vla-bound";
const CHECK_FLAGS: &[&str] = &["-fno-sanitize-recover=all", "-fsanitize-undefined-strip-path-components=-1"];
/// These say that something was folded, even where nobody uses its value. They are no errors whatever the user thinks.
const FOLDING_WARNINGS: &[&str] = &["-Wdivision-by-zero", "-Wshift-count-overflow", "-Wshift-count-negative"];
const NO_ERRORS: &[&str] =
    &["-Wno-error=division-by-zero", "-Wno-error=shift-count-overflow", "-Wno-error=shift-count-negative"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    C,
    Bitcode,
    Assembly,
}

/// One input file as bitcode or assembly that clang has written.
pub struct Readable {
    pub path: PathBuf,
    /// The compiler says that arithmetic on constants is undefined.
    pub warned: bool,
    pub bytes: Vec<u8>,
    pub origin: Origin,
}

pub enum Origin {
    /// Compiled here: LLVM can do anything with it.
    Compiled,
    /// Compiled elsewhere. The file itself is kept if clang has put its own target in place of the file's.
    Foreign { retargeted: Option<Vec<u8>> },
}

/// Compiles or checks all files. On several errors the first file's is told.
pub fn readable_inputs(files: &[PathBuf], options: &Options) -> Result<Vec<Readable>, FrontendError> {
    let kinds = files.iter().map(|file| kind_of(file)).collect::<Result<Vec<_>, _>>()?;
    let directory = tempfile::Builder::new().prefix("gordian-").tempdir().map_err(FrontendError::Temporary)?;
    let include = directory.path().join("include");
    write_headers(&include).map_err(FrontendError::Temporary)?;

    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = files.get(index) else { return done };
            let output = directory.path().join(format!("{index}.bc"));
            let copy = directory.path().join(format!("{index}.input"));
            let result = match kinds[index] {
                Kind::C => compile_c(path, &include, &output, options, requested_checks(options).as_deref()),
                Kind::Bitcode | Kind::Assembly => check_bitcode(path, kinds[index], &copy, &output),
            };
            done.push((index, result));
        }
    };
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..PARALLEL.min(files.len())).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a compiler thread panicked")).collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn write_headers(include: &Path) -> std::io::Result<()> {
    for (name, text) in HEADERS {
        let path = include.join(name);
        std::fs::create_dir_all(path.parent().expect("a header stands in the folder"))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn kind_of(path: &Path) -> Result<Kind, FrontendError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "i") => Ok(Kind::C),
        Some("bc") => Ok(Kind::Bitcode),
        Some("ll") => Ok(Kind::Assembly),
        _ => Err(FrontendError::UnknownExtension(path.to_owned())),
    }
}

fn compile_c(
    path: &Path,
    include: &Path,
    output: &Path,
    options: &Options,
    checks: Option<&str>,
) -> Result<Readable, FrontendError> {
    // Clang would say so too, but in more words.
    std::fs::File::open(path).map_err(|error| FrontendError::Unreadable { path: path.to_owned(), error })?;
    let mut command = Command::new(COMPILER);
    // Behind all other folders: who has the real header gets that one.
    command
        .args(C_FLAGS)
        .args(&options.cflags)
        .args(FOLDING_WARNINGS)
        .args(NO_ERRORS)
        .arg("-idirafter")
        .arg(include)
        .args(FINAL_FLAGS);
    // The folder has another name every time, and the program is to be the same.
    command.arg(format!("-fdebug-prefix-map={}=include", include.display()));
    if let Some(checks) = checks {
        command.arg(format!("-fsanitize={checks}")).args(CHECK_FLAGS);
    }
    command.arg("-o").arg(output).arg("--").arg(path);
    let (status, messages) = run(command, path)?;
    if crashed(status, &messages) {
        return Err(FrontendError::CompilerCrashed { path: path.to_owned(), messages });
    }
    if !status.success() {
        return Err(FrontendError::DoesNotCompile { path: path.to_owned(), messages });
    }
    // Flags can ask for something else, such as `--version` or `-fsyntax-only`.
    let bytes = match std::fs::read(output) {
        Ok(bytes) if bytes.starts_with(b"BC\xC0\xDE") || bytes.starts_with(b"; ModuleID") => bytes,
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(FrontendError::Temporary(error)),
        _ => {
            let flags = options.cflags.join(" ");
            return Err(FrontendError::NoBitcode { path: path.to_owned(), flags });
        }
    };
    let warned = checks.is_none() && FOLDING_WARNINGS.iter().any(|warning| messages.contains(warning));
    Ok(Readable { path: path.to_owned(), warned, bytes, origin: Origin::Compiled })
}

/// The checks to compile in, if any are asked for.
fn requested_checks(options: &Options) -> Option<String> {
    let undefined = options.check_undefined.then_some(UNDEFINED_CHECKS);
    let overflow = (options.check_overflow || options.check_undefined).then_some(FOLDING_CHECKS);
    let checks: Vec<&str> = overflow.into_iter().chain(undefined).collect();
    (!checks.is_empty()).then(|| checks.join(","))
}

/// Compiles a file once more, with the checks that show where constants were folded.
pub fn with_checks(path: &Path, options: &Options) -> Result<Readable, FrontendError> {
    let directory = tempfile::Builder::new().prefix("gordian-").tempdir().map_err(FrontendError::Temporary)?;
    let include = directory.path().join("include");
    write_headers(&include).map_err(FrontendError::Temporary)?;
    compile_c(path, &include, &directory.path().join("0.bc"), options, Some(FOLDING_CHECKS))
}

/// LLVM may abort the whole process on a corrupt file. So a child reads and checks it, and we read what
/// the child writes: as text, because bitcode may hold debug information of the wrong kinds that neither
/// LLVM's reader nor its verifier notice, and that crash it later; its text parser takes none.
fn check_bitcode(path: &Path, kind: Kind, copy: &Path, output: &Path) -> Result<Readable, FrontendError> {
    let original = std::fs::read(path).map_err(|error| FrontendError::Unreadable { path: path.to_owned(), error })?;
    let bad = |messages: String| FrontendError::BadBitcode { path: path.to_owned(), messages };
    let is_bitcode = original.starts_with(b"BC\xC0\xDE") || original.starts_with(b"\xDE\xC0\x17\x0B");
    match kind {
        Kind::Bitcode if !is_bitcode => return Err(bad("its first bytes are not those of bitcode".into())),
        Kind::Assembly if is_bitcode => return Err(bad("it is bitcode; name it .bc".into())),
        _ => {}
    }
    std::fs::write(copy, &original).map_err(FrontendError::Temporary)?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -v \"$1\"; shift; exec \"$@\"", "sh", MEMORY_LIMIT, COMPILER]);
    command.args(["-fno-crash-diagnostics", "-x", "ir", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
    command.arg("-o").arg(output).arg("--").arg(copy);
    let (status, messages) = run(command, path)?;
    if status.code() == Some(127) {
        let error = std::io::ErrorKind::NotFound.into();
        return Err(FrontendError::CompilerMissing { compiler: COMPILER.into(), error });
    }
    if crashed(status, &messages) {
        return Err(bad("LLVM's reader crashes on it".into()));
    }
    if !status.success() {
        // The copy's path means nothing to the user.
        return Err(bad(messages.replace(&*copy.to_string_lossy(), &path.to_string_lossy())));
    }
    let bytes = std::fs::read(output).map_err(FrontendError::Temporary)?;
    let retargeted = messages.contains("overriding the module target triple").then_some(original);
    Ok(Readable { path: path.to_owned(), warned: false, bytes, origin: Origin::Foreign { retargeted } })
}

fn crashed(status: ExitStatus, messages: &str) -> bool {
    // Clang catches its own signals and leaves with a code of its own.
    status.code().is_none_or(|code| code >= 70) || messages.contains("PLEASE submit a bug report")
}

/// Runs to the end or to the time limit; gives the status and what stood on stderr.
fn run(mut command: Command, path: &Path) -> Result<(ExitStatus, String), FrontendError> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child =
        command.spawn().map_err(|error| FrontendError::CompilerMissing { compiler: COMPILER.into(), error })?;
    let mut pipe = child.stderr.take().expect("stderr is piped");
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A broken pipe only shortens the message.
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    // The end of stderr is the end of the child, and a channel can wait with a limit.
    match receiver.recv_timeout(TIME_LIMIT) {
        Ok(messages) => {
            let _ = reader.join();
            Ok((wait(&mut child)?, messages))
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            let _ = child.kill();
            wait(&mut child)?;
            Err(FrontendError::CompilerTimeout { path: path.to_owned(), seconds: TIME_LIMIT.as_secs() })
        }
    }
}

fn wait(child: &mut Child) -> Result<ExitStatus, FrontendError> {
    child.wait().map_err(FrontendError::Temporary)
}
