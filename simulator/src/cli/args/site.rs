//! A site as an argument: the files that describe it, or its partitions.

use crate::trace::site::Site;
use crate::trace::source;
use clap::Args;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// No description of a site is longer.
const MAX_BYTES: u64 = 256 << 20;

/// Options that describe a site.
#[derive(Debug, Clone, Default, Args)]
pub struct SiteOptions {
    /// The site: files of what scontrol show config, partition, node and reservation print (as text or --json) and
    /// sacctmgr -P show qos, assoc, event and reservation, in any order, with commas between them
    #[arg(long, value_name = "FILES", value_parser = files, conflicts_with_all = ["procs", "partition"])]
    site: Option<Arc<Site>>,
    /// The site's partitions and their processors, where they share none: gpu=64,cpu=64
    #[arg(long, value_name = "NAME=N", value_parser = partitions, conflicts_with = "procs")]
    partition: Option<Arc<Site>>,
}

impl SiteOptions {
    /// The site, where there is one.
    pub fn site(&self) -> Option<Arc<Site>> {
        self.site.clone().or_else(|| self.partition.clone())
    }
}

fn files(list: &str) -> Result<Arc<Site>, String> {
    let read = |name: &str| {
        let unreadable = |error: std::io::Error| format!("{name}: {error}");
        let (text, _) =
            source::bytes(Path::new(name)).and_then(|bytes| source::text(bytes, name)).map_err(unreadable)?;
        let mut content = String::new();
        text.take(MAX_BYTES + 1).read_to_string(&mut content).map_err(unreadable)?;
        if content.len() as u64 > MAX_BYTES {
            return Err(format!("{name}: more than {} MiB", MAX_BYTES >> 20));
        }
        Ok((source::name(Path::new(name)), content))
    };
    let texts = list.split(',').map(read).collect::<Result<Vec<_>, String>>()?;
    Site::read(&texts).map(Arc::new)
}

fn partitions(list: &str) -> Result<Arc<Site>, String> {
    let one = |text: &str| {
        let (name, number) = text.split_once('=')?;
        Some((name.trim().to_owned(), number.trim().parse().ok().filter(|&number: &u32| number > 0)?))
    };
    let named = list.split(',').map(one).collect::<Option<Vec<(String, u32)>>>();
    let named = named.ok_or_else(|| format!("'{list}' is not of the form gpu=64,cpu=64"))?;
    Site::of_partitions(&named).map(Arc::new)
}
