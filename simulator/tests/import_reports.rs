//! Kinds of files of which people report that a program could not read them, each with the test that shows how it is
//! read or in which sentence it is refused. The tests below are of the kinds that no other file has.
//!
//! | kind | test |
//! |---|---|
//! | columns of fixed width, of sacct without `-P` | `import_refused::files_that_are_refused_with_a_way_out` |
//! | nodes and no processors | `import_refused::files_that_are_refused_with_a_way_out` |
//! | no width in any column, in any row, or in many rows | `import_refused::files_that_are_refused_with_a_way_out` |
//! | neither start nor end, or one of them alone | `import_refused::files_that_are_refused_with_a_way_out` |
//! | columns of other names, in tables and in JSON | `import_refused::files_that_are_refused_with_a_way_out` |
//! | what squeue, bjobs, qstat or condor_history print for people | `import_refused::files_that_are_refused_with_a_way_out` |
//! | what bhist, bacct, qacct or flux jobs print for people | `import_reports::reports_for_people` |
//! | Parquet, spreadsheets, pages | `import_refused::files_that_are_refused_with_a_way_out` |
//! | SQLite, HDF5, PDF, tar archives | `import_reports::files_of_other_programs` |
//! | text in UTF-16, of PowerShell | `import_reports::encodings` |
//! | a byte order mark before a table | `import_reports::encodings` |
//! | messages of sacct alone | `import_refused::files_that_are_refused_with_a_way_out` |
//! | messages of sacct between rows | `import_refused::messages_between_rows_are_no_rows` |
//! | a banner before the names, line ends of Windows, names that repeat | `imports::what_stands_around_tables` |
//! | more than a tenth of the lines wrong | `import_refused::the_command_says_what_it_loses_and_ends_with_1` |
//! | days and months that could be either | `import_refused::the_command_says_what_it_loses_and_ends_with_1` |
//! | dates in eleven forms, fields between seven separators | `imports::tables_in_every_way_in_which_they_are_written` |
//! | clocks that were set back or forward | `import_managers::dates_across_a_change_of_clocks` |
//! | GPUs in the place of processors | `imports::tables_with_other_columns` |
//! | GPUs among TRES alone | `import_refused::gpus_among_resources_are_a_width` |
//! | limits in minutes or seconds, not said which | `import_refused::jobs_ended_at_their_limit_say_its_unit` |
//! | ended jobs whose starts are unknown | `import_refused::rows_that_ended_without_a_start_are_not_cancelled` |
//! | steps, arrays, parts of heterogeneous jobs, jobs that run or wait | `formats::what_sacct_prints` |
//! | tables without a line of names | `imports::tables_without_names` |
//! | names and submit lines that hold the separator | `imports::tables_with_other_columns` |
//! | quoted fields with separators and line ends inside | `import_reports::quoted_fields` |
//! | numbers of processors as 2K, decimal commas | `import_reports::numbers` |
//! | `sacct --json` of 20.11 to 23.02, cut off in the middle | `imports::sacct_json_in_every_shape` |
//! | ids of processors where counts are meant, Batsim's older table | `import_managers::batsim_and_evalys` |
//! | SWF with more than 18 fields, with tabs or commas, with bursts | `import_managers::the_standard_workload_format_as_others_write_it` |
//! | lines of SWF with fewer fields | `import_reports::short_lines_of_swf` |
//! | AccaSim's workloads, its machine, its plan | `import_managers::accasim` |
//! | jobs that were put back into the queue | `import_managers::a_requeued_job_waits_anew_from_the_end_of_its_attempt` |
//! | a log in several files that overlap | `import_managers::several_files_are_one_log` |
//! | files that are empty, cut off, folders, or not there | `import_reports::files_without_an_end_or_a_beginning` |
//! | Torque's `nodes=2:ppn=4`, jobs deleted before they started | `formats::what_pbs_logs` |
//! | milliseconds, slots and tasks of Grid Engine | `import_managers::grid_engine` |

use crate::common::sites::refused;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use surefill_simulator::trace::format::read;
use surefill_simulator::trace::swf::{Strictness, Trace};

const TABLE: &str =
    "JobID|Submit|Start|End|State|AllocCPUS|User\n1|5|6|70|COMPLETED|4|ann\n2|7|8|90|FAILED|2|bob\n";

fn lenient(bytes: &[u8]) -> Trace {
    read(bytes, "log", None, Strictness::Lenient).unwrap()
}

#[test]
fn every_kind_has_its_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let this = include_str!("import_reports.rs");
    let rows: Vec<&str> =
        this.lines().filter(|line| line.starts_with("//! | ") && line.contains("::")).collect();
    for row in &rows {
        let test = row.rsplit('`').nth(1).unwrap();
        let (file, name) = test.split_once("::").unwrap();
        let text = std::fs::read_to_string(folder.join(file).with_extension("rs")).unwrap();
        assert!(text.contains(&format!("#[test]\nfn {name}() {{")), "{row}");
    }
    assert!(rows.len() >= 30, "{}", rows.len());
}

#[test]
fn reports_for_people() {
    for (kind, text, part) in [
        (
            "bhist",
            "Summary of time in seconds spent in various states:\nJOBID USER JOB_NAME PEND PSUSP RUN USUSP SSUSP UNKWN TOTAL\n",
            "bhist prints",
        ),
        (
            "bacct",
            "Accounting information about jobs that are:\n  - submitted by all users.\n",
            "bacct prints",
        ),
        ("qacct", "==============\nqname        all.q\nhostname     n1\n", "qacct prints"),
        (
            "flux jobs",
            "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO\n",
            "flux jobs -a --json",
        ),
    ] {
        refused(kind, text, &[part]);
    }
}

#[test]
fn files_of_other_programs() {
    let archive = format!("{:\0<257}ustar  \0{:\0<248}", "year.txt", "");
    for (text, part) in [
        ("SQLite format 3\0x", "an SQLite database"),
        ("%PDF-1.7\n", "a PDF file"),
        (&archive, "a tar archive: unpack it"),
    ] {
        refused(part, text, &[part]);
    }
    let error = read(&b"\x89HDF\r\n\x1a\n"[..], "log", None, Strictness::Lenient).unwrap_err();
    assert!(error.to_string().contains("an HDF5 file: write it as CSV"), "{error}");
}

#[test]
fn encodings() {
    let whole = lenient(TABLE.as_bytes()).records;
    assert_eq!(lenient(format!("\u{feff}{TABLE}").as_bytes()).records, whole);
    for (mark, order) in
        [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)]
    {
        let bytes: Vec<u8> = mark.into_iter().chain(TABLE.encode_utf16().flat_map(order)).collect();
        let error = read(&bytes[..], "log", None, Strictness::Lenient).unwrap_err().to_string();
        assert!(error.contains("text in UTF-16") && error.contains("iconv -f UTF-16 -t UTF-8"), "{error}");
    }
}

#[test]
fn quoted_fields() {
    let text = "id,name,submit,start,end,cpus\n1,\"two, \"\"2\"\"\nlines\",0,10,20,4\n\"2\",x,\"5\",\"10\",\"20\",\"4\"\n";
    let trace = lenient(text.as_bytes());
    let found: Vec<_> = trace.records.iter().map(|job| (job.number, job.wait, job.used_processors)).collect();
    assert_eq!((found, trace.problems.len()), (vec![(1, 10, 4), (2, 5, 4)], 0));
}

#[test]
fn numbers() {
    let thousands = TABLE.replace("|4|", "|1.5K|").replace("|2|", "|2K|");
    let widths: Vec<i64> =
        lenient(thousands.as_bytes()).records.iter().map(|job| job.used_processors).collect();
    assert_eq!(widths, [1500, 2000]);
    // A comma is the sign of no fraction: the line is said.
    refused(
        "a decimal comma",
        "id;submit;start;end;cpus\n1;0,5;10;20;4\n2;5;10;20;4\n",
        &["line 2: not a time: '0,5'"],
    );
}

#[test]
fn short_lines_of_swf() {
    refused("nine fields", "1 0 10 20 4 -1 -1 4 100\n", &["9 fields instead of 18"]);
}

#[test]
fn files_without_an_end_or_a_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(TABLE.as_bytes()).unwrap();
    let whole = gzip.finish().unwrap();
    std::fs::write(path("cut.gz"), &whole[..whole.len() - 12]).unwrap();
    // A last line without its end counts.
    assert_eq!(lenient(TABLE.trim_end().as_bytes()).records.len(), 2);
    std::fs::write(path("empty"), "").unwrap();
    std::fs::write(path("blank"), "\n\n").unwrap();
    std::fs::write(path("names"), "JobID|Submit|Start|End|State|AllocCPUS|User\n").unwrap();
    for (name, part) in [
        ("cut.gz", "gzip: damaged, or it breaks off"),
        ("empty", "empty: no job"),
        ("blank", "blank: no job"),
        ("names", "names: no job"),
        (".", "Is a directory"),
        ("none", "No such file"),
    ] {
        let import = ["import", name, "-o", "out.swf"];
        let output = Command::new(env!("CARGO_BIN_EXE_surefill"))
            .args(import)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(part), "{name}: {said}");
        assert!(!path("out.swf").exists(), "{name}");
    }
}
