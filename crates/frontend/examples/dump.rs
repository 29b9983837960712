//! Prints the lowered program and what in it cannot be run: `cargo run -p gordian-frontend --example dump FILE...`

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut options, mut files) = (gordian_frontend::Options::default(), Vec::new());
    let (mut internal, mut quiet) = (false, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--internal" => internal = true,
            "--quiet" => quiet = true,
            "--keep-memory" => options.keep_memory = true,
            "--check-overflow" => options.check_overflow = true,
            flag if flag.starts_with('-') => options.cflags.push(argument),
            _ => files.push(PathBuf::from(argument)),
        }
    }
    let program = match gordian_frontend::load(&files, &options) {
        Ok(program) => program,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    if !quiet {
        print!("{}", program.dump(internal));
    }
    for function in program.functions.iter() {
        for reason in &function.unsupported {
            println!("unsupported in {}: {reason}", function.name);
        }
    }
    ExitCode::SUCCESS
}
