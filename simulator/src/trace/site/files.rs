//! A site as people name it: the files that describe it, or its partitions.

use super::Site;
use crate::trace::source;
use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

/// No description of a site is longer.
const MAX_BYTES: u64 = 256 << 20;

impl Site {
    /// The site that these files describe, compressed or not.
    ///
    /// # Errors
    /// A sentence: a file cannot be read, or as [`Site::read`].
    pub fn of_files<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Site, String> {
        let read = |path: &Path| {
            let name = source::name(path);
            let unreadable = |error: std::io::Error| format!("{name}: {error}");
            let opened = source::bytes(path).and_then(|bytes| source::text(bytes, &name));
            let (text, _) = opened.map_err(unreadable)?;
            let mut content = String::new();
            text.take(MAX_BYTES + 1).read_to_string(&mut content).map_err(unreadable)?;
            if content.len() as u64 > MAX_BYTES {
                return Err(format!("{name}: more than {} MiB", MAX_BYTES >> 20));
            }
            Ok((name, content))
        };
        let texts = paths.into_iter().map(read).collect::<Result<Vec<_>, String>>()?;
        Site::read(&texts)
    }

    /// The site that a list of partitions and their processors describes, which share none: `gpu=64,cpu=64`.
    ///
    /// # Errors
    /// A sentence: another form, or too many processors.
    pub fn of_list(list: &str) -> Result<Site, String> {
        let one = |text: &str| {
            let (name, number) = text.split_once('=')?;
            Some((name.trim().to_owned(), number.trim().parse().ok().filter(|&number: &u32| number > 0)?))
        };
        let named = list.split(',').map(one).collect::<Option<Vec<(String, u32)>>>();
        let named = named.ok_or_else(|| format!("'{list}' is not of the form gpu=64,cpu=64"))?;
        let mut names = HashSet::new();
        if let Some((twice, _)) = named.iter().find(|(name, _)| !names.insert(name)) {
            return Err(format!("'{list}' names {twice} twice"));
        }
        Site::of_partitions(&named)
    }
}
