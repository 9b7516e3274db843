//! The verb `generate` of a command, on small traces.

use std::path::PathBuf;
use std::process::{Command, Output};
use surefill_simulator::trace::swf::{Strictness, Trace, read};
use tempfile::TempDir;

/// A command with the verb, in a folder of its own.
pub struct Generate {
    program: PathBuf,
    folder: TempDir,
}

impl Generate {
    /// The folder holds `one.swf`, a trace of one job, and traces from which nothing can be learnt.
    pub fn new(program: &str) -> Generate {
        let folder = tempfile::tempdir().unwrap();
        let job = |tail: &str| format!("1 10 -1 {tail} -1 -1 -1 -1 -1 1{}\n", " -1".repeat(7));
        let generate = Generate { program: program.into(), folder };
        generate.keep("empty.swf", "; MaxProcs: 4\n");
        generate.keep("cancelled.swf", &job("-1 4"));
        generate.keep("without.swf", &job("60 -1"));
        generate.keep("one.swf", &job("60 4"));
        generate
    }

    /// Writes a file into the folder.
    pub fn keep(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Runs the verb with these options and expects this exit status.
    pub fn run(&self, options: &str, status: i32) -> Output {
        let mut command = Command::new(&self.program);
        command.arg("generate").args(options.split_whitespace()).current_dir(self.folder.path());
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{options}: {errors}");
        output
    }

    /// Expects the exit status and the message.
    pub fn fails(&self, options: &str, status: i32, message: &str) {
        let output = self.run(options, status);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(message), "{options}: {errors}");
    }

    /// These models name the file that they cannot learn from; that is no misuse.
    pub fn learns_from_jobs(&self, models: &[&str]) {
        for (name, message) in [
            ("empty.swf", "empty.swf: no jobs to learn from"),
            ("cancelled.swf", "none of its 1 jobs has a run time and a number of processors"),
            ("without.swf", "none of its 1 jobs has a run time and a number of processors"),
            ("missing.swf", "missing.swf"),
        ] {
            for model in models {
                self.fails(&format!("--model {model} --like {name}"), 1, message);
            }
        }
    }

    /// Fifty jobs made with these options, which the command in their header makes again.
    pub fn makes(&self, options: &str) -> Trace {
        let output = self.run(&format!("{options} -n 50 --seed 9"), 0);
        let made = read(&output.stdout[..], "made.swf", Strictness::Strict).unwrap();
        assert_eq!(made.records.len(), 50);
        let name = format!("{} generate ", self.program.file_name().unwrap().to_str().unwrap());
        let command = made.header.lines.iter().find_map(|line| line.split_once(&name));
        let command = command.map(|(_, options)| options.replace("-o FILE", "").replace('\'', "")).unwrap();
        assert_eq!(self.run(&command, 0).stdout, output.stdout, "{command}");
        made
    }

    /// Twenty jobs are written into a compressed file.
    pub fn writes(&self, options: &str) {
        self.run(&format!("{options} -n 20 -o made.swf.gz"), 0);
        let file = std::fs::File::open(self.folder.path().join("made.swf.gz")).unwrap();
        assert_eq!(read(file, "made.swf.gz", Strictness::Strict).unwrap().records.len(), 20);
    }
}
