//! Files that are whole or not there, whatever ends the program on the way.

use anyhow::Context;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Writes a file: under another name beside it first, so that readers find the old one, the new one or none.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let written = || {
        if special(path) {
            let mut out = BufWriter::new(File::create(path)?);
            content(&mut out)?;
            return Ok(out.flush()?);
        }
        let path = target(path)?;
        let mut out = BufWriter::new(beside(&path)?);
        content(&mut out)?;
        let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        if let Ok(old) = path.metadata() {
            file.as_file().set_permissions(old.permissions())?;
        }
        file.persist(&path).map_err(|error| error.error)?;
        anyhow::Ok(())
    };
    written().with_context(|| path.display().to_string())
}

/// The file that a path leads to, whether or not it exists: a link keeps pointing where it points.
pub(crate) fn target(path: &Path) -> anyhow::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = path.read_link() else { break };
        path = folder(&path).join(next);
    }
    match path.file_name() {
        // A file that does not exist has no canonical path, but its folder has.
        Some(name) if !path.exists() => Ok(folder(&path).canonicalize()?.join(name)),
        _ => Ok(path.canonicalize()?),
    }
}

/// The folder that a file is in.
fn folder(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// Terminals, pipes and the like are written where they are.
pub(crate) fn special(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| !data.is_file())
}

/// A new file in the folder of another.
pub(crate) fn beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".surefill-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The user's mask restricts it, as for any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(path))
}
