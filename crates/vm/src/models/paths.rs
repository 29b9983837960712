//! Files by name: removing, renaming, looking, directories.

use super::descriptors::{check_at, int_outcome, on_tree};
use super::stdio::*;
use super::{Call, Model};
use crate::fault::Fault;
use crate::files::errno::*;
use crate::files::{Directory, Files, Found, Opening, Target, WRITABLE, key};
use crate::interp::Flow;
use crate::memory::Kind;
use gordian_ir::address;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

const STAT_SIZE: usize = 144;
const DIRENT_SIZE: usize = 280;
const DIRENT_NAME: usize = 19;
const S_IFREG: u32 = 0o100_000;
const S_IFDIR: u32 = 0o040_000;
const S_IFCHR: u32 = 0o020_000;
const S_IFIFO: u32 = 0o010_000;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "unlink" => Model::visible(|call| by_path(call, Files::unlink), wants_tree),
        "rmdir" => Model::visible(|call| by_path(call, Files::remove_directory), wants_tree),
        "mkdir" => Model::visible(|call| by_path(call, Files::make_directory), wants_tree),
        "chdir" => Model::visible(|call| by_path(call, Files::change_directory), wants_tree),
        "remove" => Model::visible(
            |call| {
                by_path(call, |files, path| match files.unlink(path) {
                    Err(EISDIR) => files.remove_directory(path),
                    done => done,
                })
            },
            wants_tree,
        ),
        "rename" => Model::visible(
            |call| {
                let (from, to) = (call.arg(0), call.arg(1));
                let (from, to) = (call.string(from)?, call.string(to)?);
                on_tree(call, |call| call.machine.files_mut().rename(&from, &to).map(|()| 0))
            },
            wants_tree,
        ),
        "truncate" | "truncate64" => Model::visible(truncate, wants_tree),
        "access" | "euidaccess" | "eaccess" => Model::visible(access, wants_tree),
        "chmod" => Model::visible(chmod, wants_tree),
        "umask" => Model::visible(
            |call| {
                let mask = call.arg(0) as u32 & 0o777;
                on_tree(call, |call| Ok(call.machine.files_mut().set_umask(mask).into()))
            },
            wants_tree,
        ),
        "stat" | "lstat" | "stat64" | "lstat64" => Model::visible(|call| stat(call, 0), wants_tree),
        "__xstat" | "__lxstat" | "__xstat64" | "__lxstat64" => Model::visible(|call| stat(call, 1), wants_tree),
        "fstatat" | "fstatat64" | "newfstatat" => Model::visible(
            |call| {
                check_at(call)?;
                stat(call, 1)
            },
            wants_tree,
        ),
        "fstat" | "fstat64" => Model::visible(|call| fstat(call, 0), wants_tree),
        "__fxstat" | "__fxstat64" => Model::visible(|call| fstat(call, 1), wants_tree),
        "getcwd" | "get_current_dir_name" => Model::visible(getcwd, wants_tree),
        "realpath" | "canonicalize_file_name" => Model::visible(realpath, wants_tree),
        // There are no links.
        "readlink" => Model::visible(
            |call| {
                let path = call.arg(0);
                let path = call.string(path)?;
                let errno = call.on_file(Some(key::TREE), |call| {
                    Ok(match call.machine.files_mut().find(&path) {
                        Ok(Found::Nothing) => ENOENT,
                        Ok(Found::File(_) | Found::Directory | Found::Special) => EINVAL,
                        Err(errno) => errno,
                    })
                })?;
                call.error(errno, u64::MAX)
            },
            wants_tree,
        ),
        "mkstemp" | "mkstemp64" | "mkostemp" => Model::visible(mkstemp, wants_tree),
        "mkdtemp" => Model::visible(mkdtemp, wants_tree),
        "opendir" => Model::visible(opendir, wants_tree),
        "readdir" | "readdir64" => Model::visible(readdir, wants_tree),
        "closedir" => Model::visible(closedir, wants_tree),
        "rewinddir" => Model::visible(
            |call| {
                let place = call.arg(0);
                call.on_file(Some(key::TREE), |call| {
                    let directory = directory(call, place)?;
                    // What was made and removed since shows. A directory that is gone has nothing in it.
                    let entries = entries_of(&call.machine.files, &directory.path).unwrap_or_default();
                    let anew = Directory { entries: Arc::new(entries), next: 0, ..directory };
                    call.machine.files_mut().add_directory(place, anew);
                    Ok(Flow::Next)
                })
            },
            wants_tree,
        ),
        _ => return None,
    })
}

fn by_path(call: &mut Call<'_, '_>, act: fn(&mut Files, &[u8]) -> Result<(), Errno>) -> Result<Flow, Fault> {
    let path = call.arg(0);
    let path = call.string(path)?;
    on_tree(call, |call| act(call.machine.files_mut(), &path).map(|()| 0))
}

fn truncate(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (path, len) = (call.arg(0), call.arg(1));
    let path = call.string(path)?;
    on_tree(call, |call| {
        let files = call.machine.files_mut();
        if (len as i64) < 0 {
            return Err(EINVAL);
        }
        match files.find(&path)? {
            Found::Nothing => Err(ENOENT),
            Found::Directory => Err(EISDIR),
            Found::Special => Err(EINVAL),
            Found::File(node) => {
                files.check_permission(node, WRITABLE)?;
                files.resize(node, len).map(|()| 0)
            }
        }
    })
}

fn access(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (path, wanted) = (call.arg(0), call.arg(1) as u32);
    let path = call.string(path)?;
    on_tree(call, |call| {
        let files = call.machine.files_mut();
        match files.find(&path)? {
            Found::Nothing => Err(ENOENT),
            Found::File(node) => files.check_permission(node, wanted).map(|()| 0),
            Found::Directory | Found::Special => Ok(0),
        }
    })
}

fn chmod(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (path, mode) = (call.arg(0), call.arg(1) as u32);
    let path = call.string(path)?;
    on_tree(call, |call| {
        let files = call.machine.files_mut();
        match files.find(&path)? {
            Found::Nothing => return Err(ENOENT),
            Found::File(node) => files.set_mode(node, mode & 0o7777),
            Found::Directory | Found::Special => {}
        }
        Ok(0)
    })
}

/// Type and permissions, size, and a number that tells one file from another.
type Facts = (u32, u64, u64);

fn write_stat(call: &mut Call<'_, '_>, place: u64, (mode, size, number): Facts) -> Result<(), Fault> {
    let mut stat = [0u8; STAT_SIZE];
    let mut put = |at: usize, value: u64, len: usize| stat[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
    put(0, 1, 8);
    put(8, number, 8);
    put(16, 1, 8);
    put(24, u64::from(mode), 4);
    put(28, 1000, 4);
    put(32, 1000, 4);
    put(48, size, 8);
    put(56, 4096, 8);
    put(64, size.div_ceil(512), 8);
    // Every file is as old as the virtual world.
    let seconds = crate::setup::START_OF_TIME / 1_000_000_000;
    for at in [72, 88, 104] {
        put(at, seconds, 8);
    }
    call.write(place, &stat)
}

fn stat(call: &mut Call<'_, '_>, first: usize) -> Result<Flow, Fault> {
    let (path, place) = (call.arg(first), call.arg(first + 1));
    let path = call.string(path)?;
    let facts = call.on_file(Some(key::TREE), |call| {
        let files = call.machine.files_mut();
        Ok(files.find(&path).and_then(|found| match found {
            Found::Nothing => Err(ENOENT),
            Found::Directory => Ok((S_IFDIR | 0o755, 4096, 2)),
            Found::Special => Ok((S_IFCHR | 0o666, 0, 3)),
            Found::File(node) => {
                let (size, mode, key) = files.facts(node);
                Ok((S_IFREG | mode, size, key))
            }
        }))
    })?;
    give_stat(call, place, facts)
}

fn give_stat(call: &mut Call<'_, '_>, place: u64, facts: Result<Facts, Errno>) -> Result<Flow, Fault> {
    match facts {
        Ok(facts) => {
            write_stat(call, place, facts)?;
            call.result_int(0)
        }
        Err(errno) => int_outcome(call, Err(errno)),
    }
}

fn fstat(call: &mut Call<'_, '_>, first: usize) -> Result<Flow, Fault> {
    let (fd, place) = (call.int(first), call.arg(first + 1));
    let facts = call.on_file(Some(key::TREE), |call| {
        let files = &call.machine.files;
        Ok(files.description(fd).map(|open| match open.target {
            Target::File(node) => {
                let (size, mode, key) = files.facts(node);
                (S_IFREG | mode, size, key)
            }
            Target::Directory => (S_IFDIR | 0o755, 4096, 2),
            Target::Null | Target::Zero | Target::Random => (S_IFCHR | 0o666, 0, 3),
            Target::Stdin | Target::Stdout | Target::Stderr | Target::Pipe(..) => (S_IFIFO | 0o600, 0, 4),
        }))
    })?;
    give_stat(call, place, facts)
}

/// Gives a path in the caller's buffer, or in a new one of at least that size.
fn give_path(call: &mut Call<'_, '_>, mut path: Vec<u8>, buffer: u64, room: u64) -> Result<Flow, Fault> {
    path.push(0);
    let place = match buffer {
        0 => call.machine.new_heap(call.thread, room.max(path.len() as u64), Kind::Heap)?,
        buffer => buffer,
    };
    call.write(place, &path)?;
    call.result(place)
}

fn getcwd(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    // `get_current_dir_name` has neither.
    let (buffer, size) = (call.arg(0), call.arg(1));
    let path = call.on_file(Some(key::TREE), |call| Ok(call.machine.files.cwd().as_os_str().as_bytes().to_vec()))?;
    if buffer != 0 && size == 0 {
        return call.error(EINVAL, 0);
    }
    // Without a buffer, 0 is as much as is needed.
    if size != 0 && (path.len() as u64) >= size {
        return call.error(ERANGE, 0);
    }
    if buffer == 0 && size > address::MAX_OBJECT_SIZE {
        return call.error(ENOMEM, 0);
    }
    give_path(call, path, buffer, size)
}

fn realpath(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (path, buffer) = (call.arg(0), call.arg(1));
    let path = call.string(path)?;
    let absolute = call.on_file(Some(key::TREE), |call| {
        let files = call.machine.files_mut();
        Ok(match files.find(&path) {
            Err(errno) => Err(errno),
            Ok(Found::Nothing) => Err(ENOENT),
            Ok(_) => files.absolute(&path).map(|path| path.as_os_str().as_bytes().to_vec()),
        })
    })?;
    match absolute {
        Ok(path) => give_path(call, path, buffer, 0),
        Err(errno) => call.error(errno, 0),
    }
}

/// Fills the six letters at the end of a template so that nothing has the name yet.
fn temporary_name(call: &mut Call<'_, '_>, template: u64) -> Result<Result<Vec<u8>, Errno>, Fault> {
    let mut name = call.string(template)?;
    if !name.ends_with(b"XXXXXX") {
        return Ok(Err(EINVAL));
    }
    let start = name.len() - 6;
    for n in 0..1_000_000u32 {
        name[start..].copy_from_slice(format!("{n:06}").as_bytes());
        match call.machine.files_mut().find(&name) {
            Ok(Found::Nothing) => {
                call.write(template, &name)?;
                return Ok(Ok(name));
            }
            Ok(_) => {}
            Err(errno) => return Ok(Err(errno)),
        }
    }
    Ok(Err(EEXIST))
}

fn mkstemp(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let template = call.arg(0);
    let name = temporary_name(call, template)?;
    let how = Opening { read: true, write: true, create: true, exclusive: true, mode: 0o600, ..Opening::default() };
    on_tree(call, |call| call.machine.files_mut().open(&name?, how).map(i64::from))
}

fn mkdtemp(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let template = call.arg(0);
    let made = call.on_file(Some(key::TREE), |call| {
        let name = temporary_name(call, template)?;
        Ok(name.and_then(|name| call.machine.files_mut().make_directory(&name)))
    })?;
    match made {
        Ok(()) => call.result(template),
        Err(errno) => call.error(errno, 0),
    }
}

/// The names in a directory, and which of them are directories themselves.
fn entries_of(files: &Files, path: &Path) -> Result<Vec<(Vec<u8>, bool)>, Errno> {
    let mut entries = vec![(b".".to_vec(), true), (b"..".to_vec(), true)];
    for name in files.list(path)? {
        let is_directory = files.is_directory(&path.join(OsStr::from_bytes(&name)));
        entries.push((name, is_directory));
    }
    Ok(entries)
}

fn opendir(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let path = call.arg(0);
    let path = call.string(path)?;
    let listed = call.on_file(Some(key::TREE), |call| {
        let files = call.machine.files_mut();
        Ok(files.find(&path).and_then(|found| match found {
            Found::Directory => {
                let path = files.absolute(&path)?;
                Ok((entries_of(files, &path)?, path))
            }
            Found::Nothing => Err(ENOENT),
            Found::File(_) | Found::Special => Err(ENOTDIR),
        }))
    })?;
    match listed {
        Ok((entries, path)) => {
            // The same object serves as the entry that `readdir` gives.
            let place = call.machine.new_shared(call.thread, DIRENT_SIZE as u64)?;
            let directory = Directory { path: Arc::new(path), entries: Arc::new(entries), next: 0 };
            call.machine.files_mut().add_directory(place, directory);
            call.result(place)
        }
        Err(errno) => call.error(errno, 0),
    }
}

fn directory(call: &mut Call<'_, '_>, place: u64) -> Result<Directory, Fault> {
    call.machine.memory.check(place, 1, false)?;
    call.machine.files.directory(place).cloned().ok_or(Fault::Wild { address: place })
}

fn readdir(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.arg(0);
    let entry = call.on_file(Some(key::TREE), |call| next_entry(call, place))?;
    call.result(entry)
}

/// The directory's next entry in its buffer, 0 for none.
fn next_entry(call: &mut Call<'_, '_>, place: u64) -> Result<u64, Fault> {
    let Directory { entries, next, .. } = directory(call, place)?;
    let Some((name, is_directory)) = entries.get(next) else { return Ok(0) };
    let mut entry = [0u8; DIRENT_SIZE];
    entry[..8].copy_from_slice(&(next as u64 + 1).to_le_bytes());
    entry[8..16].copy_from_slice(&(next as u64 + 1).to_le_bytes());
    entry[16..18].copy_from_slice(&(DIRENT_SIZE as u16).to_le_bytes());
    entry[18] = if *is_directory { 4 } else { 8 };
    let len = name.len().min(255);
    entry[DIRENT_NAME..DIRENT_NAME + len].copy_from_slice(&name[..len]);
    call.write(place, &entry)?;
    if let Some(directory) = call.machine.files_mut().directory_mut(place) {
        directory.next += 1;
    }
    Ok(place)
}

fn closedir(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.arg(0);
    call.on_file(Some(key::TREE), |call| directory(call, place).map(drop))?;
    call.machine.files_mut().remove_directory_stream(place);
    if call.machine.accesses_are_visible() {
        call.machine.note_free(call.thread, place, DIRENT_SIZE as u64);
    }
    let at = call.machine.user_point(call.thread);
    call.machine.end_life(call.thread, place, at);
    call.result_int(0)
}
