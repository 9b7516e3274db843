//! The journal of a watcher, one JSON object a line, appended as events happen. It holds neither job names nor scripts.

use crate::live::advise::pool::PoolSize;
use crate::trace::text::printable;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A job that has ended, in Slurm's own times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// Slurm's name of the job.
    pub job: String,
    /// Its owner.
    pub user: String,
    /// The account that pays.
    pub account: String,
    /// The partition.
    pub partition: String,
    /// A number that stands for its name.
    pub name: i64,
    /// Since when it waited for nothing but its turn.
    pub eligible: i64,
    /// When it started.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// Its time limit in seconds.
    pub limit: i64,
    /// Its nodes.
    pub nodes: u32,
    /// Its processors.
    pub processors: u32,
}

/// A job that would have been let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Would {
    /// When.
    pub at: i64,
    /// The job.
    pub job: String,
    /// Its owner.
    pub user: String,
    /// Its partition.
    pub partition: String,
    /// Its processors.
    pub processors: u32,
    /// The job at the head of the queue, which it would have overtaken.
    pub head: String,
    /// The head job's owner.
    pub head_user: String,
    /// Its partition.
    pub head_partition: String,
    /// Its processors.
    pub head_processors: u32,
}

/// A line of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The watcher begins.
    Begin {
        /// When.
        at: i64,
        /// The rule.
        preset: String,
        /// Seconds between two looks.
        every: i64,
        /// The pools of nodes.
        pools: Vec<PoolSize>,
    },
    /// From now on a pool's queue is judged, or it is not and why.
    Judged {
        /// When.
        at: i64,
        /// The pool's first partition.
        pool: String,
        /// Why it is not.
        why: Option<String>,
    },
    /// A bound on a job's wait, given when it joined its queue.
    Bound {
        /// Then.
        at: i64,
        /// The job.
        job: String,
        /// Its partition.
        partition: String,
        /// Seconds from when it became eligible.
        within: i64,
        /// The same as predicted, before earlier bounds corrected it; none in journals of before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        predicted: Option<i64>,
    },
    /// A job would have started.
    Would(Would),
    /// A job has started.
    Started {
        /// When.
        at: i64,
        /// The job.
        job: String,
        /// Since when it waited for nothing but its turn.
        eligible: i64,
    },
    /// A job has ended.
    Ended(Done),
    /// A job is gone: cancelled while it waited, put back into the queue, or its end was not seen.
    Left {
        /// When that was seen.
        at: i64,
        /// The job.
        job: String,
    },
}

impl Event {
    /// When it happened or was seen.
    pub fn at(&self) -> i64 {
        match self {
            Event::Begin { at, .. }
            | Event::Judged { at, .. }
            | Event::Bound { at, .. }
            | Event::Started { at, .. }
            | Event::Left { at, .. } => *at,
            Event::Would(would) => would.at,
            Event::Ended(done) => done.end,
        }
    }
}

/// A journal as read.
#[derive(Debug, Default)]
pub struct Journal {
    /// In the order of the file.
    pub events: Vec<Event>,
    /// Lines that are no entries: the last one after a loss of power.
    pub odd: u64,
}

/// Reads a journal; one that is not there is empty.
///
/// # Errors
/// When it cannot be read, or holds no event at all and is not empty.
pub fn read(path: &Path) -> Result<Journal> {
    let name = path.display();
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Journal::default()),
        Err(error) => return Err(error).with_context(|| name.to_string()),
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut journal = Journal::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(event) => journal.events.push(event),
            Err(_) => journal.odd += 1,
        }
    }
    if journal.events.is_empty() && journal.odd > 0 {
        bail!("{name}: no journal of surefill watch: {}", printable(text.lines().next().unwrap_or_default()));
    }
    Ok(journal)
}

/// A journal to be continued. One watcher has it at a time.
#[derive(Debug)]
pub struct Writer {
    file: File,
    _lock: Option<Lock>,
}

#[cfg(target_os = "linux")]
type Lock = std::os::unix::net::UnixListener;
#[cfg(not(target_os = "linux"))]
type Lock = ();

/// A name of the kernel's that stands for the file, and is free again however the process ends.
#[cfg(target_os = "linux")]
fn lock(file: &File, path: &Path) -> Result<Option<Lock>> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::fs::MetadataExt;
    let about = file.metadata().with_context(|| path.display().to_string())?;
    let name = format!("surefill-watch-{}-{}", about.dev(), about.ino());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    match Lock::bind_addr(&address) {
        Ok(lock) => Ok(Some(lock)),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            bail!("{}: another surefill watch writes it", path.display())
        }
        Err(_) => Ok(None), // where there are no sockets there is no lock
    }
}

/// Elsewhere nothing keeps a second watcher away.
#[cfg(not(target_os = "linux"))]
fn lock(_: &File, _: &Path) -> Result<Option<Lock>> {
    Ok(None)
}

impl Writer {
    /// Opens or makes it.
    ///
    /// # Errors
    /// When it cannot be written, or another watcher has it.
    pub fn open(path: &Path) -> Result<Writer> {
        let name = || path.display().to_string();
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // It says who computes what.
            options.mode(0o600);
        }
        let mut file = options.open(path).with_context(name)?;
        let lock = lock(&file, path)?;
        // A line that broke off ends here.
        let length = file.metadata().with_context(name)?.len();
        if length > 0 {
            let mut last = [0];
            file.seek(SeekFrom::Start(length - 1))
                .and_then(|_| file.read_exact(&mut last))
                .with_context(name)?;
            if last != *b"\n" {
                file.write_all(b"\n").with_context(name)?;
            }
        }
        Ok(Writer { file, _lock: lock })
    }

    /// Appends events, all of them in one call of the operating system.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn write(&mut self, events: &[Event]) -> Result<()> {
        let mut lines = Vec::new();
        for event in events {
            serde_json::to_writer(&mut lines, event)?;
            lines.push(b'\n');
        }
        Ok(self.file.write_all(&lines)?)
    }
}
