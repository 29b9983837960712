//! The program's files.

/// The file system as the program sees it, with its open files.
#[derive(Clone, Debug, Default)]
pub struct Files {}

impl Files {
    pub fn new(_stdin: Vec<u8>, _passthrough: bool) -> Self {
        Files {}
    }
}

impl crate::machine::Machine<'_> {
    pub(crate) fn close_all_files(&mut self) {}
}
