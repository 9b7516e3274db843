//! Looks of texts that cannot be read, in a sentence each, with the command that prints what can.

use super::format::Format;
use super::tables::message;

const UTF_16: &str = "text in UTF-16, as > in PowerShell writes it: iconv -f UTF-16 -t UTF-8 FILE";

/// Beginnings of files that are no text of jobs.
const MAGIC: [(&[u8], &str); 8] = [
    (b"PAR1", "a Parquet file: write it as CSV first (pandas: read_parquet(...).to_csv(...))"),
    (b"PK\x03\x04", "a ZIP archive or a spreadsheet: unpack it, or save it as CSV"),
    (
        b"SQLite format 3",
        "an SQLite database: write its table of jobs as CSV (sqlite3 -header -csv FILE 'select ...')",
    ),
    (b"\x89HDF", "an HDF5 file: write it as CSV first"),
    (b"<", "HTML or XML, where CSV, JSON or what sacct --parsable2 prints is read"),
    (b"%PDF", "a PDF file"),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
];

/// Words that lines of a report have, all of them in one, and what to do instead.
const REPORTS: [(&[&str], &str); 10] = [
    (&["JobId=", "JobName="], "what scontrol show job prints, which knows no past: use sacct -a -P -o ..."),
    (
        &["JOBID", "PARTITION", "NODELIST(REASON)"],
        "what squeue prints, which knows no past: use sacct -a -P -o ...",
    ),
    (&["JOBID", "STAT", "EXEC_HOST"], "what bjobs prints: read LSF's own log, lsb.acct, in its place"),
    (
        &["Summary", "of", "time", "in", "seconds"],
        "what bhist prints: read LSF's own log, lsb.acct, in its place",
    ),
    (
        &["Accounting", "information", "about", "jobs"],
        "what bacct prints: read LSF's own log, lsb.acct, in its place",
    ),
    (
        &["Job", "id", "Time", "Use", "Queue"],
        "what qstat prints: read the accounting log of PBS in its place",
    ),
    (
        &["job-ID", "prior", "submit/start"],
        "what qstat prints: read Grid Engine's accounting file in its place",
    ),
    (&["qname", "all.q"], "what qacct prints: read Grid Engine's accounting file in its place"),
    (
        &["OWNER", "SUBMITTED", "RUN_TIME"],
        "what condor_history prints for people: use condor_history -long, or condor_history -json",
    ),
    (&["JOBID", "USER", "NTASKS", "NNODES"], "what flux jobs prints for people: use flux jobs -a --json"),
];

/// The sentence about a text that is nothing but messages of the program that should have written it.
fn failed(start: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(start);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().filter(|line| message(line))?;
    let program = first.split([' ', ':']).next().unwrap_or_default();
    lines.all(message).then(|| {
        format!(
            "it holds no job, but that {program} failed: '{}'",
            super::text::excerpt(first.as_bytes(), 100)
        )
    })
}

/// The sentence of a text that would be taken for `format` and cannot be read.
pub(super) fn like(start: &[u8], format: Format) -> Option<String> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(format!("it looks like {what}"));
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some("it looks like a tar archive: unpack it".to_owned());
    }
    if let Some(failed) = failed(start) {
        return Some(failed);
    }
    if format != Format::Swf {
        return None;
    }
    let text = String::from_utf8_lossy(start);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(60).collect();
    let first = *lines.iter().find(|line| !line.starts_with([';', '#']))?;
    let rule = |line: &&str| {
        line.len() > 9 && line.starts_with("---") && line.bytes().all(|byte| b"- ".contains(&byte))
    };
    if lines.iter().any(rule) && lines.iter().any(|line| line.contains("JobID") || line.contains("Submit")) {
        return Some(
            "it looks like what sacct prints without --parsable2, whose columns are cut off: use sacct -a -P -o \
             JobID,Submit,Eligible,Start,End,State,TimelimitRaw,AllocCPUS,User,Account,Partition"
                .to_owned(),
        );
    }
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let has = |line: &&str, all: &[&str]| {
        let words = words(line);
        all.iter().all(|part| {
            words.iter().any(|word| if part.ends_with('=') { word.starts_with(part) } else { word == part })
        })
    };
    let report = REPORTS.iter().find(|(all, _)| lines.iter().any(|line| has(line, all)));
    if let Some((_, what)) = report {
        return Some(format!("it looks like {what}"));
    }
    // A line of the Standard Workload Format begins with numbers.
    let numbers = first.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()).take(3);
    if numbers.clone().count() > 0 && numbers.clone().all(|word| word.parse::<f64>().is_err()) {
        return Some(format!(
            "it begins with '{}', which no known kind of log does: read are SWF, sacct -P and sacct --json, accounting logs of \
             PBS, LSF and Grid Engine, condor_history -long, flux jobs --json, CSV and JSON with the names that surefill import \
             --columns lists",
            super::text::excerpt(first.trim().as_bytes(), 40)
        ));
    }
    None
}
