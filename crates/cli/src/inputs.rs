//! Inputs from the command line: arguments, standard input, files and variables of which every value is explored.

use crate::args::ProgramArgs;
use anyhow::{Context, bail, ensure};
use clap::Args;
use gordian_trace::{InputSource, Test};
use std::path::Path;

/// Bytes of one of them. Every one is a variable of the solver.
const MOST_BYTES: u32 = 4096;
/// Arguments of a program.
const MOST_ARGUMENTS: u32 = 1000;

#[derive(Debug, Args)]
#[command(next_help_heading = "Inputs, of which every value is explored")]
pub struct InputArgs {
    /// Argument number N (from 1) is any string of up to LEN characters; those after `--` take the other places
    #[arg(long, num_args = 2, value_names = ["N", "LEN"], action = clap::ArgAction::Append)]
    pub sym_arg: Vec<String>,
    /// Standard input is any N bytes
    #[arg(long, value_name = "N", conflicts_with = "stdin")]
    pub sym_stdin: Option<String>,
    /// There is a file NAME of any SIZE bytes; the one on disk, if any, is not looked at
    #[arg(long, num_args = 2, value_names = ["NAME", "SIZE"], action = clap::ArgAction::Append)]
    pub sym_file: Vec<String>,
    /// The environment has a variable NAME, any string of up to LEN characters
    #[arg(long, num_args = 2, value_names = ["NAME", "LEN"], action = clap::ArgAction::Append)]
    pub sym_env: Vec<String>,
    /// Let inputs take one value each, drawn from the seed, instead of all their values
    #[arg(long)]
    pub fixed_inputs: bool,
}

/// Makes what the command line says inputs of a test.
pub fn add_sources(test: &mut Test, args: &InputArgs, program: &ProgramArgs) -> anyhow::Result<()> {
    let arguments = arguments(&args.sym_arg)?;
    test.arguments = places(&arguments, &program.arguments)?;
    test.sources = arguments;
    for (name, len) in pairs(&args.sym_env) {
        ensure!(!name.is_empty() && !name.contains('='), "`--sym-env {name} {len}`: `{name}` is no name of a variable");
        let twice = variables(test).chain(test.environment.iter().map(|(name, _)| name)).any(|known| known == name);
        ensure!(!twice, "`--sym-env {name} {len}`: the variable `{name}` was given already");
        let len = size(len, &format!("--sym-env {name}"))?;
        test.sources.push(InputSource::Variable { name: name.to_owned(), len });
    }
    if let Some(len) = &args.sym_stdin {
        test.sources.push(InputSource::Stdin { len: size(len, "--sym-stdin")? });
    }
    for (name, len) in pairs(&args.sym_file) {
        let len = size(len, &format!("--sym-file {name}"))?;
        let twice = |source: &InputSource| matches!(source, InputSource::File { name: known, .. } if known == name);
        ensure!(!test.sources.iter().any(twice), "`--sym-file {name} {len}`: the file `{name}` was given already");
        check_file(name)?;
        test.sources.push(InputSource::File { name: name.to_owned(), len });
    }
    Ok(())
}

fn pairs(values: &[String]) -> impl Iterator<Item = (&str, &str)> {
    values.chunks_exact(2).map(|pair| (pair[0].as_str(), pair[1].as_str()))
}

fn variables(test: &Test) -> impl Iterator<Item = &String> {
    test.sources.iter().filter_map(|source| match source {
        InputSource::Variable { name, .. } => Some(name),
        _ => None,
    })
}

fn size(text: &str, option: &str) -> anyhow::Result<u32> {
    let size = text.parse().ok().filter(|size| (1..=MOST_BYTES).contains(size));
    size.with_context(|| format!("`{option} {text}`: `{text}` is no number of bytes from 1 to {MOST_BYTES}"))
}

/// In the order of their places.
fn arguments(values: &[String]) -> anyhow::Result<Vec<InputSource>> {
    let mut sources = Vec::new();
    for (place, len) in pairs(values) {
        let nth = place.parse().ok().filter(|nth| (1..=MOST_ARGUMENTS).contains(nth));
        let Some(nth) = nth else {
            bail!("`--sym-arg {place} {len}`: `{place}` is no number of an argument; the first one is 1");
        };
        let twice = |source: &InputSource| matches!(source, InputSource::Argument { nth: known, .. } if *known == nth);
        ensure!(!sources.iter().any(twice), "`--sym-arg {place} {len}`: argument {nth} was given already");
        sources.push(InputSource::Argument { nth, len: size(len, &format!("--sym-arg {place}"))? });
    }
    sources.sort_by_key(|source| if let InputSource::Argument { nth, .. } = source { *nth } else { 0 });
    Ok(sources)
}

/// All arguments: an empty one where an input goes, and the plain ones in the places that are left.
fn places(sources: &[InputSource], plain: &[String]) -> anyhow::Result<Vec<String>> {
    let mut arguments = plain.to_vec();
    for source in sources {
        let InputSource::Argument { nth, .. } = source else { continue };
        let at = *nth as usize - 1;
        if at > arguments.len() {
            let missing = arguments.len() + 1;
            bail!(
                "`--sym-arg {nth}`: the program has no argument {missing}; give it one behind `--` or by `--sym-arg`"
            );
        }
        arguments.insert(at, String::new());
    }
    Ok(arguments)
}

fn check_file(name: &str) -> anyhow::Result<()> {
    let path = Path::new(name);
    let folder = match path.parent() {
        Some(folder) if folder == Path::new("") => Path::new("."),
        Some(folder) => folder,
        None => bail!("`--sym-file {name}`: `{name}` is no name of a file"),
    };
    ensure!(folder.is_dir(), "`--sym-file {name}`: there is no folder {}", folder.display());
    ensure!(!path.is_dir(), "`--sym-file {name}`: {name} is a folder");
    let is_special = path.exists() && !path.is_file();
    ensure!(!is_special && !path.starts_with("/dev"), "`--sym-file {name}`: {name} is a device");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(ToOwned::to_owned).collect()
    }

    #[test]
    fn plain_arguments_take_the_places_that_are_left() {
        let sources = arguments(&words("3 4 1 8")).unwrap();
        assert_eq!(places(&sources, &words("a b")).unwrap(), ["", "a", "", "b"]);
        assert!(places(&sources, &[]).is_err());
    }

    #[test]
    fn numbers_are_checked() {
        for wrong in ["0 4", "x 4", "1 0", "1 5000", "1 -1", "1 4 1 5", "1001 1"] {
            assert!(arguments(&words(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn files_can_be() {
        assert!(check_file("new.txt").is_ok());
        for wrong in ["", "/", ".", "no/such/folder/file", "/dev/null"] {
            assert!(check_file(wrong).is_err(), "{wrong}");
        }
    }
}
