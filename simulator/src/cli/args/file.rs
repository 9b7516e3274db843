//! Files that a verb writes: whole or not there, whatever ends the program on the way.

use anyhow::Context;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Makes sure that a file can be written, before much time is spent on what is to be in it.
///
/// # Errors
/// When it cannot.
pub fn check(path: &Path) -> anyhow::Result<()> {
    if special(path) {
        return Ok(());
    }
    let checked = if path.exists() {
        File::options().append(true).open(path).map(drop)
    } else {
        beside(path).map(drop)
    };
    checked.with_context(|| path.display().to_string())
}

/// Writes a file: under another name beside it first, so that readers find the old one, the new one or none.
///
/// # Errors
/// What cannot be written.
pub fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let written = || {
        if special(path) {
            let mut out = BufWriter::new(File::create(path)?);
            content(&mut out)?;
            return Ok(out.flush()?);
        }
        // A link keeps pointing where it points.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut out = BufWriter::new(beside(&path)?);
        content(&mut out)?;
        let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        if let Ok(old) = path.metadata() {
            file.as_file().set_permissions(old.permissions())?;
        }
        file.persist(&path)?;
        anyhow::Ok(())
    };
    written().with_context(|| path.display().to_string())
}

/// Terminals, pipes and the like are written where they are.
fn special(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| !data.is_file())
}

/// A new file in the folder of another.
fn beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let mut builder = Builder::new();
    builder.prefix(".surefill-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the user's mask leaves of it, as for any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        check(&path).unwrap();
        assert!(!path.exists());
        write(&path, |out| Ok(out.write_all(b"one")?)).unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"tw")?;
            anyhow::bail!("no more")
        });
        assert_eq!(format!("{:#}", failed.unwrap_err()), format!("{}: no more", path.display()));
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        write(&path, |out| Ok(out.write_all(b"two")?)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(check(&folder.path().join("no/page.html")).is_err());
        check(Path::new("/dev/null")).unwrap();
        write(Path::new("/dev/null"), |out| Ok(out.write_all(b"two")?)).unwrap();
    }
}
