//! Running Slurm's commands, each with a time limit.

use super::read::{self, Job, Listing, Node, Past, SACCT_FORMAT, SINFO_FORMAT, Separator};
use crate::trace::text::printable_lines;
use anyhow::{Context, Result, bail};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Longest time that a command may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Variables in the commands' environment: times in seconds, and lists of tasks in full.
const VARIABLES: [(&str, &str); 2] = [("SLURM_TIME_FORMAT", "%s"), ("SLURM_BITSTR_LEN", "0")];

/// `squeue`'s arguments: the waiting tasks of an array are one line.
pub fn squeue_arguments(separator: &Separator) -> Vec<String> {
    let states = "--states=PENDING,RUNNING,SUSPENDED,COMPLETING,CONFIGURING";
    let mut arguments = ["--noheader", "--all", states].map(str::to_owned).to_vec();
    arguments.push(format!("--format={}", separator.squeue()));
    arguments
}

/// `squeue`'s arguments for all jobs that Slurm remembers; the waiting tasks of an array are one line, as only that
/// line has the limit of those that run at once.
pub fn all_arguments(separator: &Separator) -> Vec<String> {
    let mut arguments = ["--noheader", "--all", "--states=all"].map(str::to_owned).to_vec();
    arguments.push(format!("--format={}", separator.squeue()));
    arguments
}

/// `sinfo`'s arguments.
pub fn sinfo_arguments() -> Vec<String> {
    vec!["--noheader".into(), "--Node".into(), "--all".into(), format!("--format={SINFO_FORMAT}")]
}

/// `sacct`'s arguments, for the jobs of the last days.
pub fn sacct_arguments(days: u32, separator: &Separator) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["--allusers", "--noheader", "--parsable2", "--allocations"].map(str::to_owned).into();
    arguments.push(format!("--starttime=now-{days}days"));
    arguments.push("--endtime=now".into());
    arguments.push("--state=COMPLETED,FAILED,TIMEOUT,CANCELLED,OUT_OF_MEMORY,DEADLINE".into());
    arguments.push(format!("--delimiter={}", separator.text()));
    arguments.push(format!("--format={SACCT_FORMAT}"));
    arguments
}

/// `scontrol`'s arguments.
fn scontrol_arguments() -> Vec<String> {
    ["show", "config"].map(str::to_owned).to_vec()
}

/// The four commands as a shell would take them.
pub fn commands(days: u32) -> String {
    let line = |program: &str, arguments: &[String]| {
        let quoted: Vec<String> = arguments.iter().map(|argument| format!("'{argument}'")).collect();
        let variables: Vec<String> =
            VARIABLES.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{} {program} {} > {program}.txt\n", variables.join(" "), quoted.join(" "))
    };
    let separator = Separator::drawn();
    line("squeue", &squeue_arguments(&separator))
        + &line("sinfo", &sinfo_arguments())
        + &line("sacct", &sacct_arguments(days, &separator))
        + &line("scontrol", &scontrol_arguments())
}

fn spawn(program: &str, arguments: &[String]) -> Result<Child> {
    let mut command = Command::new(program);
    command.args(arguments).envs(VARIABLES).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().with_context(|| format!("{program} cannot be run"))
}

/// The program's output.
fn run(program: &str, arguments: &[String]) -> Result<String> {
    let mut child = spawn(program, arguments)?;
    let (said, lines) = mpsc::channel();
    let (mut out, mut errors) = (child.stdout.take(), child.stderr.take());
    // Both pipes are emptied at once, so that the program cannot block on either.
    let complains = thread::spawn(move || {
        let mut text = String::new();
        errors.as_mut().map(|pipe| pipe.read_to_string(&mut text));
        text
    });
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = out.as_mut().map(|pipe| pipe.read_to_end(&mut bytes));
        // The channel has no receiver any more when the time is up.
        let _ = said.send(read.transpose().map(|_| bytes));
    });
    let begun = Instant::now();
    let read = lines.recv_timeout(PATIENCE);
    // It may close its output and stay.
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if read.is_err() || begun.elapsed() > PATIENCE => {
                child.kill().with_context(|| format!("{program} cannot be stopped"))?;
                child.wait()?;
                bail!("{program} has not answered for {} s", PATIENCE.as_secs());
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    let Ok(read) = read else { bail!("{program} has ended and left its output open") };
    let complaint = complains.join().unwrap_or_default();
    if !status.success() {
        bail!("{program}: {}", complaint.trim());
    }
    Ok(printable_lines(&read?))
}

/// Jobs that wait or run, live.
///
/// # Errors
/// When `squeue` fails or prints something else.
pub fn jobs() -> Result<Listing<Job>> {
    read::squeue(&run("squeue", &squeue_arguments(&Separator::drawn()))?, "squeue")
}

/// All jobs that Slurm remembers, the waiting tasks of an array in one line, live.
///
/// # Errors
/// As [`jobs`].
pub fn all_jobs() -> Result<Listing<Job>> {
    read::squeue(&run("squeue", &all_arguments(&Separator::drawn()))?, "squeue")
}

/// Slurm's configuration, live.
///
/// # Errors
/// When `scontrol` fails.
pub fn config() -> Result<String> {
    run("scontrol", &scontrol_arguments())
}

/// Nodes, live.
///
/// # Errors
/// When `sinfo` fails or prints something else.
pub fn nodes() -> Result<Listing<Node>> {
    read::sinfo(&run("sinfo", &sinfo_arguments())?, "sinfo")
}

/// Jobs that have ended in the last days.
///
/// # Errors
/// When `sacct` fails, as it does where Slurm keeps no accounts, or prints something else.
pub fn past(days: u32) -> Result<Listing<Past>> {
    let text = run("sacct", &sacct_arguments(days, &Separator::drawn())).context(
        "no history of jobs; where Slurm keeps no accounts, --history reads its job completion file",
    )?;
    read::past(&text, "sacct")
}
