//! `surefill learn`: a scheduler's state file, made of accounting.

use super::Failure;
use super::args::file;
use super::args::source::Source;
use super::output;
use crate::live::learn::{Counts, Shell, Student, uids};
use anyhow::Context;
use clap::Args;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// The end of `learn --help`.
pub(super) const HELP: &str = "\
A scheduler that opens the file knows from its first decision how long jobs like those of the history run, how long they
have waited, and which jobs come in a day. It lives through all of them in the order of time; a year of a large site takes
some minutes. Histories are traces or accounting logs in any format that import reads:

    sacct -a -P -S now-365days -o JobID,JobIDRaw,Submit,Eligible,Start,End,State,TimelimitRaw,AllocCPUS,UID > year.txt
    surefill learn year.txt --for slurm -o surefill_state

Stop the scheduler, put the file where its state file is (the Slurm plugin's is surefill_state in StateSaveLocation), and
start it: it belongs to this version, and the settings predictor= and seed=, where they are set, must be given here as well.
Most shells know users by their UIDs. Where a history has names, the UIDs are those of /etc/passwd, or of a file like it:
getent passwd > users; learn --passwd users. Jobs whose names are not there are left out.

Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// Options of `learn`.
#[derive(Debug, Args)]
pub struct Learn {
    /// The histories; - is standard input
    #[arg(required = true, value_name = "HISTORY")]
    histories: Vec<PathBuf>,
    /// The scheduler that is to open the file
    #[arg(long = "for", value_enum, value_name = "SCHEDULER")]
    shell: Shell,
    /// The file to write; one that exists is kept, unless --force is given
    #[arg(long, short, value_name = "STATE")]
    output: PathBuf,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
    /// Processors of a node, where the scheduler counts nodes (slurm-external)
    #[arg(long, value_name = "N", default_value = "1")]
    per_node: NonZeroU32,
    /// The UIDs of users that the history names, as in /etc/passwd
    #[arg(long, value_name = "FILE", default_value = "/etc/passwd")]
    passwd: PathBuf,
    /// Settings of the scheduler, such as predictor=limit
    #[arg(long, value_name = "WORDS", default_value = "")]
    settings: String,
    #[command(flatten)]
    source: Source,
    /// Wrong lines are fatal
    #[arg(long, help_heading = "Trace")]
    strict: bool,
}

impl Learn {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.output.exists() && !self.force {
            let message = format!("{}: it exists (--force overwrites it)", self.output.display());
            return Err(Failure::Usage(message));
        }
        file::check(&self.output)?;
        let mut student = Student::new(self.shell, self.per_node.get(), self.uids()?);
        let mut records = 0;
        for history in &self.histories {
            // The machine's size does not matter.
            let trace = self.source.read_sized(history, self.strict, Some(1))?;
            records += trace.records.len();
            student.add(&trace);
        }
        let bar = output::progress(3 * records as u64);
        let (state, counts) = student.learn(&self.settings, &|events| bar.inc(events))?;
        bar.finish_and_clear();
        file::write(&self.output, |out| Ok(out.write_all(&state)?))?;
        self.report(&counts, state.len());
        Ok(())
    }

    /// The numbers of users; none where they are not needed.
    fn uids(&self) -> Result<BTreeMap<String, u32>, Failure> {
        if !self.shell.by_uid() {
            return Ok(BTreeMap::new());
        }
        match fs::read_to_string(&self.passwd) {
            Ok(text) => Ok(uids(&text)),
            Err(error) if self.passwd == *"/etc/passwd" => {
                eprintln!("warning: /etc/passwd: {error}: users are to be numbers");
                Ok(BTreeMap::new())
            }
            Err(error) => {
                Err(error).with_context(|| self.passwd.display().to_string()).map_err(Failure::Work)
            }
        }
    }

    fn report(&self, counts: &Counts, bytes: usize) {
        let &Counts { jobs, users, never_ran, without_wait, unknown, from, to } = counts;
        for (count, what) in [
            (unknown, "jobs are left out: their users have no UID (--passwd)"),
            (without_wait, "jobs count as started when they were submitted: their waits are unknown"),
        ] {
            if count > 0 {
                eprintln!("warning: {count} {what}");
            }
        }
        let days = (to - from) as f64 / 86_400.0;
        println!(
            "{}: {jobs} jobs of {users} users in {days:.0} days; {never_ran} others never ran; {:.1} MB",
            self.output.display(),
            bytes as f64 / 1e6
        );
    }
}
