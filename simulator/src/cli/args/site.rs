//! A site as an argument: the files that describe it, or its partitions.

use crate::trace::site::Site;
use clap::Args;
use std::path::Path;
use std::sync::Arc;

/// Options that describe a site.
#[derive(Debug, Clone, Default, Args)]
pub struct SiteOptions {
    /// The site: files of what scontrol show config, partition, node and reservation print (as text or --json) and
    /// sacctmgr -P show qos, assoc and event, in any order, with commas between them
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
    Site::of_files(list.split(',').map(Path::new)).map(Arc::new)
}

fn partitions(list: &str) -> Result<Arc<Site>, String> {
    Site::of_list(list).map(Arc::new)
}
