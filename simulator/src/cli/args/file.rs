//! Files that a verb writes: whole or not there, whatever ends the program on the way, and never one that it reads.

use crate::base::whole::{self, beside, special, target};
use anyhow::{Context, ensure};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files that this process reads and files that it writes, without links: no file is both.
static USED: Mutex<(BTreeSet<PathBuf>, BTreeSet<PathBuf>)> = Mutex::new((BTreeSet::new(), BTreeSet::new()));

/// Notes that a file is read.
///
/// # Errors
/// When it is to be written as well.
pub fn reads(path: &Path) -> anyhow::Result<()> {
    let Ok(path) = path.canonicalize() else { return Ok(()) };
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    ensure!(!used.1.contains(&path), "{}: what is read would be overwritten", path.display());
    used.0.insert(path);
    Ok(())
}

/// Notes that a file, without links, is written.
fn writes(path: &Path) -> anyhow::Result<()> {
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    ensure!(!used.0.contains(path), "what is read would be overwritten");
    used.1.insert(path.to_owned());
    Ok(())
}

/// Makes sure that a file can be written, before much time is spent on what is to be in it.
///
/// # Errors
/// When it cannot, is read-only, or is read as well.
pub fn check(path: &Path) -> anyhow::Result<()> {
    let checked = || {
        if special(path) {
            return Ok(());
        }
        let path = target(path)?;
        writes(&path)?;
        ensure!(!path.metadata().is_ok_and(|data| data.permissions().readonly()), "the file is read-only");
        anyhow::Ok(beside(&path).map(drop)?)
    };
    checked().with_context(|| path.display().to_string())
}

/// Writes a file whole, as [`whole::write`] does.
///
/// # Errors
/// A file that cannot be written, or that is read as well.
pub fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let noted = || if special(path) { Ok(()) } else { writes(&target(path)?) };
    noted().with_context(|| path.display().to_string())?;
    whole::write(path, content)
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

    #[test]
    fn what_is_read_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace.swf");
        std::fs::write(&trace, "1").unwrap();
        reads(&trace).unwrap();
        assert!(check(&folder.path().join(".").join("trace.swf")).is_err());
        assert!(write(&trace, |_| Ok(())).is_err());
        assert_eq!(std::fs::read(&trace).unwrap(), b"1");
        let page = folder.path().join("page.html");
        std::fs::write(&page, "2").unwrap();
        check(&page).unwrap();
        assert!(reads(&page).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_keep_pointing_where_they_point() {
        let folder = tempfile::tempdir().unwrap();
        let (link, page) = (folder.path().join("link.html"), folder.path().join("page.html"));
        std::os::unix::fs::symlink("page.html", &link).unwrap();
        check(&link).unwrap();
        for text in ["one", "two"] {
            write(&link, |out| Ok(out.write_all(text.as_bytes())?)).unwrap();
            assert_eq!(std::fs::read_to_string(&page).unwrap(), text);
            assert!(link.is_symlink());
        }
    }
}
