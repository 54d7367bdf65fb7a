//! Scratch files. Engines write large results to them, so that these never fill the memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// A temporary file. An unnamed one is deleted when its last handle is closed.
///
/// Clones share the file and its position.
#[derive(Debug, Clone)]
pub struct Scratch {
    file: Arc<File>,
    most: u64,
}

impl Scratch {
    /// Creates an unnamed file of at most `most` bytes.
    ///
    /// It is in `folder`. Without one, it is in the folder for temporary files.
    ///
    /// # Errors
    /// The file can't be created.
    pub fn new(folder: Option<&Path>, most: u64) -> io::Result<Self> {
        let file = folder.map_or_else(tempfile::tempfile, tempfile::tempfile_in)?;
        Ok(Self { file: Arc::new(file), most })
    }

    /// Creates a scratch file from a complete file, without a maximum size.
    #[must_use]
    pub fn from_file(file: File) -> Self {
        Self { file: Arc::new(file), most: u64::MAX }
    }

    /// Returns the length in bytes.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

/// Two handles are equal if they share the same file.
impl PartialEq for Scratch {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
    }
}

impl Eq for Scratch {}

impl Read for Scratch {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.file).read(buffer)
    }
}

/// A write beyond the maximum fails with [`io::ErrorKind::FileTooLarge`].
impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = (&*self.file).stream_position()?.saturating_add(bytes.len() as u64);
        if end > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        (&*self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.file).flush()
    }
}

impl Seek for Scratch {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        (&*self.file).seek(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_maximum_and_no_name() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut file = Scratch::new(Some(folder.path()), 5)?;
        file.write_all(b"12345")?;
        assert_eq!(file.write_all(b"6").unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        file.rewind()?;
        file.write_all(b"abc")?;
        let mut text = String::new();
        file.clone().read_to_string(&mut text)?;
        assert_eq!((text.as_str(), file.length()?), ("45", 5));
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }
}
