//! LSF's `lsb.acct`: records of fields between blanks, strings in double quotes (a quote inside is doubled), one a
//! line.
//!
//! Jobs are the records of type `JOB_FINISH`. Some fields are lists behind their length, so that a record is read from
//! left to right; what newer versions append is used where it is there: the run limit and the number of slots.

use super::collect::{Collector, RawJob};
use super::lines::lines;
use super::record::{Dropped, Error, Reason};
use super::source::Text;

/// Whether a file begins with this line.
pub(super) fn begins(line: &[u8]) -> bool {
    line.starts_with(b"\"JOB_") || line.starts_with(b"\"EVENT_ADRSV")
}

/// Reads a file.
pub(super) fn read(text: &mut Text, name: &str, collector: &mut Collector) -> Result<(), Error> {
    lines(text, name, collector, |collector, line, text| {
        let mut fields = Fields { rest: text };
        if fields.text() != Some("JOB_FINISH".to_owned()) {
            if !begins(text.as_bytes()) {
                return collector.problem(line, Reason::Row("no record of lsb.acct".to_owned()));
            }
            collector.drop(Dropped::OtherRecords);
            return Ok(());
        }
        match job(fields) {
            Some(job) => collector.job(line, job),
            None => collector.problem(
                line,
                Reason::Row(
                    "a JOB_FINISH record that ends early or has no number where one belongs".to_owned(),
                ),
            ),
        }
    })
}

struct Fields<'a> {
    rest: &'a str,
}

impl Fields<'_> {
    fn text(&mut self) -> Option<String> {
        let rest = self.rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let Some(mut inside) = rest.strip_prefix('"') else {
            let (field, next) = rest.split_once(' ').unwrap_or((rest, ""));
            self.rest = next;
            return Some(field.to_owned());
        };
        let mut field = String::new();
        loop {
            let (part, next) = inside.split_once('"')?;
            field.push_str(part);
            match next.strip_prefix('"') {
                Some(more) => {
                    field.push('"');
                    inside = more;
                }
                None => {
                    self.rest = next;
                    return Some(field);
                }
            }
        }
    }

    fn number(&mut self) -> Option<i64> {
        let number = self.float()?;
        (number.abs() <= (1i64 << 53) as f64).then_some(number as i64)
    }

    fn float(&mut self) -> Option<f64> {
        self.text()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.text().map(drop))
    }

    /// The length of a list. No record has a million entries.
    fn length(&mut self) -> Option<usize> {
        self.number().and_then(|length| usize::try_from(length).ok()).filter(|&length| length <= 1 << 20)
    }
}

fn job(mut fields: Fields) -> Option<RawJob> {
    fields.skip(1)?; // version
    let event = fields.number()?;
    let id = fields.number()?;
    fields.skip(2)?; // userId, options
    let requested = fields.number()?;
    let [submit, begin, _deadline, start] =
        [fields.number()?, fields.number()?, fields.number()?, fields.number()?];
    let user = fields.text()?;
    let queue = fields.text()?;
    // resReq, dependCond, preExecCmd, fromHost, cwd, inFile, outFile, errFile, jobFile
    fields.skip(9)?;
    let asked = fields.length()?;
    fields.skip(asked)?;
    let hosts = fields.length()?;
    fields.skip(hosts)?;
    let state = fields.number()?;
    fields.skip(1)?; // hostFactor
    let program = fields.text()?;
    fields.skip(1)?; // command
    let (user_time, system_time) = (fields.float()?, fields.float()?);
    fields.skip(17)?; // the rest of lsfRusage
    fields.skip(1)?; // mailUser
    let project = fields.text()?;
    fields.skip(2)?; // exitStatus, maxNumProcessors
    fields.skip(2)?; // loginShell, timeEvent
    let index = fields.number()?;
    let most_memory = fields.number();
    let more = newer(&mut fields);
    let started = (start > 0).then_some(start);
    // Short files name each host once; the number of slots was then added.
    let used = more.slots.or((hosts as i64 > requested).then_some(hosts as i64)).unwrap_or(requested);
    let cpu = (user_time >= 0.0 && system_time >= 0.0).then_some(user_time + system_time);
    Some(RawJob {
        id: if index > 0 { format!("{id}[{index}]") } else { id.to_string() },
        submit,
        eligible: (begin > 0).then_some(begin),
        start: started,
        end: Some(event),
        limit: more.limit.unwrap_or(0),
        used: (used > 0).then_some(used),
        requested: (requested > 0).then_some(requested),
        cpu_time: cpu.map(|seconds| seconds / used.max(1) as f64),
        used_memory: most_memory.filter(|&size| size > 0).map(|size| size as f64 / used.max(1) as f64),
        // JOB_STAT_EXIT, JOB_STAT_DONE of lsbatch.h.
        status: Some(if state & 64 != 0 {
            1
        } else if started.is_none() {
            5
        } else {
            0
        }),
        never_started: started.is_none(),
        user,
        group: if project == "default" { String::new() } else { project },
        program,
        queue,
        ..RawJob::default()
    })
}

/// Fields that versions from 9 on have at the end of a record.
#[derive(Default)]
struct Newer {
    limit: Option<i64>,
    slots: Option<i64>,
}

fn newer(fields: &mut Fields) -> Newer {
    let mut found = Newer::default();
    let mut read = || {
        // maxRSwap, inFileSpool, commandSpool, rsvId, sla, exceptMask, additionalInfo, exitInfo, warningAction,
        // warningTimePeriod, chargedSAAP, licenseProject, app, postExecCmd, runtimeEstimation, jobGroupName,
        // requeueEvalues, options2, resizeNotifyCmd, lastResizeTime, rsvId, jobDescription
        fields.skip(22)?;
        let pairs = fields.length()?;
        fields.skip(2 * pairs)?;
        let hosts = fields.length()?;
        fields.skip(5 * hosts)?;
        // options3 is a word of flags, so that -1 there is an unknown limit, before flags.
        let flags = fields.number()?;
        found.limit = fields.number().filter(|&limit| limit > 0 && flags >= 0);
        // avgMem, effectiveResReq, srcCluster, srcJobId, dstCluster, dstJobId, forwardTime, flow_id, acJobWaitTime,
        // totalProvisionTime, outdir, runTime, subcwd
        fields.skip(13)?;
        let networks = fields.length()?;
        fields.skip(2 * networks)?;
        fields.skip(6)?; // networkAlloc affinity, serial_job_energy, cpi, gips, gbs, gflops
        found.slots = fields.number().filter(|&slots| slots > 0);
        Some(())
    };
    let _ = read();
    found
}
