//! Writing a trace in the Standard Workload Format, also under other names.

use super::swf::{Record, Trace, write_header, write_record};
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};

/// Writes a trace with a header that says what it is. Header lines of the source stay, but for the size of the machine
/// where `procs` is given; queues and partitions of accounting logs are listed by name, users and groups are not.
///
/// # Errors
/// Those of the writer.
pub fn write(out: &mut impl Write, trace: &Trace, procs: Option<u32>, notes: &[String]) -> io::Result<()> {
    let header = &trace.header;
    let key = |line: &str| line.trim_start_matches(';').split(':').next().unwrap_or("").trim().to_owned();
    let known: HashSet<String> = header.lines.iter().map(|line| key(line)).collect();
    let ours = [
        ("Version", Some("2.2".to_owned())),
        ("Conversion", Some(format!("surefill {} import", env!("CARGO_PKG_VERSION")))),
        ("MaxJobs", Some(trace.records.len().to_string())),
        ("MaxRecords", Some(trace.records.len().to_string())),
        ("UnixStartTime", header.unix_start_time.map(|time| time.to_string())),
        ("Resources", (!header.resources.is_empty()).then(|| header.resources.join(" "))),
        ("Features", (!header.features.is_empty()).then(|| header.features.join(" "))),
        ("MaxProcs", procs.or(header.max_procs).map(|procs| procs.to_string())),
    ];
    for (key, value) in ours {
        let stands = known.contains(key) && !(key == "MaxProcs" && procs.is_some());
        if let Some(value) = value.filter(|_| !stands) {
            write_header(out, key, &value)?;
        }
    }
    for line in header.lines.iter().filter(|line| procs.is_none() || key(line) != "MaxProcs") {
        writeln!(out, "{line}")?;
    }
    for note in notes {
        write_header(out, "Note", note)?;
    }
    trace.records.iter().try_for_each(|record| write_record(out, record, header))
}

/// A key, from which no name can be found again by whoever does not have it.
pub struct Key([u8; 32]);

/// The least bytes of a key file.
pub const KEY_BYTES: usize = 16;

impl Key {
    /// The key of a secret; `None` of one shorter than [`KEY_BYTES`].
    pub fn new(secret: &[u8]) -> Option<Key> {
        let secret = secret.trim_ascii();
        (secret.len() >= KEY_BYTES).then(|| Key(blake3::derive_key("surefill 2026 names in traces", secret)))
    }

    /// The number of a name among those of its kind: 31 bits of BLAKE3's keyed hash.
    fn number(&self, kind: &str, name: &str, again: u32) -> i64 {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher
            .update(kind.as_bytes())
            .update(&[0])
            .update(name.as_bytes())
            .update(&[0])
            .update(&again.to_le_bytes());
        let mut bytes = [0; 4];
        hasher.finalize_xof().fill(&mut bytes);
        i64::from(u32::from_le_bytes(bytes) >> 1)
    }
}

/// Replaces users, groups, programs, queues and partitions by numbers that only the key connects with them: the same in
/// every trace with this key, different ones for different names. Jobs are numbered anew; names, features and header
/// lines of the source go. Times, sizes and spans stay: a reader who knows a user's jobs by these can find them.
pub fn anonymise(trace: &mut Trace, key: &Key) {
    type Field = fn(&mut Record) -> &mut i64;
    let names = std::mem::take(&mut trace.names);
    let kinds: [(&str, Field, &BTreeMap<i64, String>); 5] = [
        ("user", |record| &mut record.user, &names.users),
        ("group", |record| &mut record.group, &names.groups),
        ("program", |record| &mut record.executable, &names.programs),
        ("queue", |record| &mut record.queue, &names.queues),
        ("partition", |record| &mut record.partition, &names.partitions),
    ];
    for (kind, field, names) in kinds {
        let found: std::collections::BTreeSet<i64> =
            trace.records.iter_mut().map(|record| *field(record)).filter(|&number| number >= 0).collect();
        let mut taken = HashSet::new();
        let mut numbers = BTreeMap::new();
        for number in found {
            let name = names.get(&number).cloned().unwrap_or_else(|| number.to_string());
            // Two names of one hash: the later takes its next.
            let mut free =
                (0..).map(|again| key.number(kind, &name, again)).skip_while(|hash| taken.contains(hash));
            let hash = free.next().unwrap_or(0);
            taken.insert(hash);
            numbers.insert(number, hash);
        }
        for record in &mut trace.records {
            let number = field(record);
            *number = numbers.get(number).copied().unwrap_or(-1);
        }
    }
    let mut anew = BTreeMap::new();
    for (record, number) in trace.records.iter_mut().zip(1..) {
        anew.entry(record.number).or_insert(number);
        record.number = number;
    }
    for record in &mut trace.records {
        record.preceding = anew.get(&record.preceding).copied().unwrap_or(-1);
    }
    for tasks in trace.records.iter_mut().filter_map(|record| record.tasks.as_mut()) {
        tasks.feature = None;
    }
    trace.header.features.clear();
    trace.header.lines.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::swf::{Strictness, read};

    #[test]
    fn features_go_with_the_names() {
        let text =
            "; Resources: cores\n; Features: T4 secret\n1 0 -1 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1 1 1 2\n";
        let mut trace = read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap();
        assert_eq!(trace.records[0].tasks.unwrap().feature, Some(1));
        anonymise(&mut trace, &Key::new(&[7; KEY_BYTES]).unwrap());
        let mut written = Vec::new();
        write(&mut written, &trace, None, &[]).unwrap();
        assert!(!String::from_utf8(written.clone()).unwrap().contains("secret"));
        assert_eq!(read(&written[..], "t.swf", Strictness::Strict).unwrap().records, trace.records);
    }

    const TEXT: &str = "; MaxProcs: 9\n; Note: secret\n; UnixStartTime: 1000000000\n\
        5 0 1 60 4 2.5 -1 4 100 -1 1 7 7 9 1 -1 -1 -1\n6 10 1 60 4 -1 -1 4 100 -1 1 8 7 9 2 3 5 20\n";

    fn trace() -> Trace {
        read(TEXT.as_bytes(), "t", Strictness::Strict).unwrap()
    }

    fn written(trace: &Trace, procs: Option<u32>) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes, trace, procs, &["two\nlines".to_owned()]).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn what_is_written_can_be_read() {
        let text = written(&trace(), None);
        let again = read(text.as_bytes(), "t", Strictness::Strict).unwrap();
        assert_eq!(again.records, trace().records);
        assert_eq!((again.header.max_procs, again.header.unix_start_time), (Some(9), Some(1_000_000_000)));
        assert!(
            text.contains("; Note: secret\n") && text.contains("; Note: two lines\n5 0 1 60 4 2.5 "),
            "{text}"
        );
        let larger = written(&trace(), Some(12));
        assert_eq!(larger.matches("MaxProcs").count(), 1);
        assert_eq!(read(larger.as_bytes(), "t", Strictness::Strict).unwrap().header.max_procs, Some(12));
    }

    #[test]
    fn a_key_hides_names_and_keeps_who_is_who() {
        assert!(Key::new(b"short").is_none());
        let key = |text: &str| Key::new(text.as_bytes()).unwrap();
        let hidden = |secret: &str| {
            let mut trace = trace();
            anonymise(&mut trace, &key(secret));
            trace
        };
        let one = hidden("a secret of many letters");
        // A file may end with a line break or not.
        assert_eq!(one.records, hidden("a secret of many letters\n").records);
        let other = hidden("another secret, as long");
        let users = |trace: &Trace| trace.records.iter().map(|record| record.user).collect::<Vec<_>>();
        assert_ne!(users(&one), users(&other));
        assert_ne!(users(&one)[0], users(&one)[1]);
        let [first, second] = &one.records[..] else { panic!() };
        // The same number of another kind has another substitute.
        assert_ne!(first.user, first.group);
        assert_eq!(first.group, second.group);
        assert_eq!((first.number, second.number, second.preceding, first.partition), (1, 2, 1, -1));
        assert!(one.header.lines.is_empty() && !written(&one, None).contains("secret"));
        assert_eq!((first.submit, first.run_time, second.think_time), (0, 60, 20));
    }
}
