//! `surefill generate`: a synthetic workload.

use super::Failure;
use super::args::{file, source::Source};
use super::options::file_name;
use super::output;
use crate::generate::hidden::{Shapes, learn, most_rounds};
use crate::generate::hmm;
use crate::generate::markov::Variant;
use crate::generate::resample::Unit;
use crate::generate::{Heading, History, Model, SessionsOptions, write_model, write_sessions, write_shared};
use crate::trace::import::gzipped;
use crate::trace::node_list::machine;
use crate::trace::nodes::Machine;
use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// Options of `generate`.
#[derive(Debug, Args)]
pub struct Generate {
    /// The model of the workload
    #[arg(long, value_enum, default_value = "sessions")]
    model: Name,
    /// The trace to learn from: any format that import reads (markov, independent, hmm, feedback, resample, bursts; for
    /// lublin it gives the machine's size)
    #[arg(long, value_name = "TRACE")]
    like: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
    /// A model with a load model that surefill-papers fit has saved (hmm) [default: trained on --like, 16 states,
    /// geometric load]
    #[arg(long, value_name = "FILE")]
    trained: Option<PathBuf>,
    /// Which of the trace's jobs with a run time like it gives a job its shape (hmm with --like) [default: bin]
    #[arg(long, value_enum)]
    shapes: Option<Shapes>,
    /// Unit of the trace that is shuffled (resample) [default: months]
    #[arg(long, value_enum)]
    unit: Option<Unit>,
    /// Which Markov chain model (markov)
    #[arg(long, value_enum)]
    variant: Option<VariantName>,
    /// Seed of the generator
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Jobs to generate
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5000)]
    jobs: u32,
    /// Users who submit them (sessions, downey, hmm without --like) [default: 60]
    #[arg(long, value_name = "N")]
    users: Option<NonZeroU32>,
    /// Processors of the machine (sessions, lublin, downey, hmm without --like) [default: 128]
    #[arg(long, value_name = "N")]
    procs: Option<NonZeroU32>,
    /// A machine of nodes, as 64x(cores=128,mem=512G,gpu=4): jobs then ask for cores, memory and GPUs, and the load is
    /// that of the resource asked for most; @FILE reads that from a file (sessions)
    #[arg(long, value_name = "NODES", conflicts_with = "procs", value_parser = machine)]
    nodes: Option<Machine>,
    /// Processor time asked of the machine, over what it has; for downey sequential time, by day [default: 0.75]
    #[arg(long, value_parser = positive)]
    load: Option<f64>,
    /// Where to write; compressed when the name ends in .gz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Users with applications of their own, who come in sessions and ask for too much time
    Sessions,
    /// Markov chains of processors and run time, learnt from a trace, with its arrivals, users and requested times
    /// (Song, Ernemann & Yahyapour 2004)
    Markov,
    /// Every parameter from its own distribution in a trace
    Independent,
    /// Hyper-gamma run times, two-stage uniform sizes, a daily cycle (Lublin & Feitelson 2003)
    Lublin,
    /// Log-uniform work and parallelism, arrivals by day (Downey 1997), with users
    Downey,
    /// A hidden Markov model of slots and run times (Nissimov 2006), with the trace's processors and users
    Hmm,
    /// Users' sessions drawn by the hour and by the work that waits and runs, so that users hold back while jobs queue;
    /// the generated workload that schedulers judge most as they judge its trace
    Feedback,
    /// The trace's own jobs, whole weeks or users' sessions of them in another order
    Resample,
    /// The trace's own jobs, now and then hundreds of like ones at once, at the trace's load
    Bursts,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum VariantName {
    /// The published model: three adjustment rules, values uniform in their class
    #[default]
    Paper,
    /// The same chains, sharing draws as often as gives the trace's squashed area; values of the trace
    Calibrated,
}

impl Name {
    fn text(self) -> &'static str {
        match self {
            Name::Sessions => "sessions",
            Name::Markov => "markov",
            Name::Independent => "independent",
            Name::Lublin => "lublin",
            Name::Downey => "downey",
            Name::Hmm => "hmm",
            Name::Feedback => "feedback",
            Name::Resample => "resample",
            Name::Bursts => "bursts",
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("not a number above 0".to_owned()),
    }
}

/// A workload to be written.
enum Workload {
    Sessions(SessionsOptions),
    Shared(SessionsOptions, Machine),
    Model(Box<(Model, u64, Heading)>),
}

impl Workload {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Workload::Sessions(options) => write_sessions(out, options),
            Workload::Shared(options, machine) => write_shared(out, options, machine),
            Workload::Model(model) => write_model(out, &model.0, model.1, &model.2),
        }
    }
}

impl Generate {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.check()?;
        let workload = self.workload()?;
        match &self.output {
            None => {
                let mut out = BufWriter::new(io::stdout().lock());
                workload.write(&mut out)?;
                out.flush()?;
            }
            Some(path) => write_file(path, &workload)?,
        }
        Ok(())
    }

    /// Options that the model does not have.
    fn check(&self) -> Result<(), Failure> {
        let model = self.model;
        // Without a trace the model file knows neither users nor processors.
        let alone = model == Name::Hmm && self.like.is_none();
        let drawn = matches!(model, Name::Sessions | Name::Downey);
        let given = [
            ("--like", self.like.is_some(), !drawn),
            ("--trained", self.trained.is_some(), model == Name::Hmm),
            ("--shapes", self.shapes.is_some(), model == Name::Hmm && !alone),
            ("--unit", self.unit.is_some(), model == Name::Resample),
            ("--variant", self.variant.is_some(), model == Name::Markov),
            ("--users", self.users.is_some(), drawn || alone),
            ("--nodes", self.nodes.is_some(), model == Name::Sessions),
            ("--load", self.load.is_some(), drawn),
            ("--procs", self.procs.is_some(), drawn || alone || model == Name::Lublin),
        ];
        for (option, given, taken) in given {
            if given && !taken {
                return Err(Failure::Usage(format!("the model {} takes no {option}", model.text())));
            }
        }
        let learns = matches!(
            model,
            Name::Markov | Name::Independent | Name::Feedback | Name::Resample | Name::Bursts
        );
        if self.like.is_none() && learns {
            let message = format!("the model {} learns from a trace: --like TRACE", model.text());
            return Err(Failure::Usage(message));
        }
        if alone && self.trained.is_none() {
            return Err(Failure::Usage("the model hmm needs --like TRACE, --trained FILE or both".into()));
        }
        if self.like.is_some() && self.procs.is_some() {
            return Err(Failure::Usage("--like and --procs both give the machine's size".into()));
        }
        Ok(())
    }

    fn workload(&self) -> Result<Workload, Failure> {
        let read = |path: &PathBuf| -> Result<History, Failure> {
            Ok(History::new(&self.source.read(path, false)?, &file_name(path))?)
        };
        let learnt = self.like.as_ref().map(read).transpose()?;
        let history = learnt.as_ref();
        let users = self.users.unwrap_or(const { NonZeroU32::new(60).unwrap() });
        let variant = self.variant.unwrap_or_default();
        let mut options = String::new();
        let model = match (self.model, history) {
            (Name::Markov, Some(history)) => {
                let (name, variant) = match variant {
                    VariantName::Paper => ("paper", Variant::Paper),
                    VariantName::Calibrated => ("calibrated", Variant::Calibrated),
                };
                options = format!(" --variant {name}");
                Model::markov(history, variant)
            }
            (Name::Independent, Some(history)) => Model::independent(history),
            (Name::Feedback, Some(history)) => Model::feedback(history),
            (Name::Resample, Some(history)) => {
                let unit = self.unit.unwrap_or_default();
                options = format!(" --unit {}", unit.text());
                Model::resample(history, unit)
            }
            (Name::Bursts, Some(history)) => Model::bursts(history),
            (Name::Lublin, _) => Model::lublin(self.size(history)),
            (Name::Downey, _) => {
                let load = self.load.unwrap_or(0.75);
                options = format!(" --users {users} --load {load}");
                Model::downey(self.size(None), users, load)
            }
            (Name::Hmm, _) => {
                let trained = self.hmm(history)?;
                if let Some(path) = &self.trained {
                    options = format!(" --trained {}", file_name(path));
                }
                let made = match history {
                    Some(history) => {
                        let shapes = self.shapes.unwrap_or_default();
                        options += &format!(" --shapes {}", shapes.text());
                        Model::hidden(&trained, history, shapes)
                    }
                    None => {
                        options += &format!(" --users {users}");
                        Model::hidden_alone(&trained, self.size(None), users)
                    }
                };
                let of = self.trained.as_ref().or(self.like.as_ref());
                made.with_context(|| of.map_or(String::new(), |path| path.display().to_string()))?
            }
            // Without a trace only `sessions` gets here.
            _ => {
                let cores = self.nodes.as_ref().and_then(|nodes| NonZeroU32::new(nodes.processors()));
                let options = SessionsOptions {
                    jobs: self.jobs,
                    users,
                    procs: cores.unwrap_or_else(|| self.size(None)),
                    load: self.load.unwrap_or(0.75),
                    seed: self.seed,
                };
                return Ok(match &self.nodes {
                    Some(machine) => Workload::Shared(options, machine.clone()),
                    None => Workload::Sessions(options),
                });
            }
        };
        match history {
            Some(history) => options += &format!(" --like {}", history.name),
            None => options += &format!(" --procs {}", self.size(None)),
        }
        let command = format!(
            "surefill generate --model {}{options} --seed {} -n {} -o FILE",
            self.model.text(),
            self.seed,
            self.jobs
        );
        let learnt = |history: &History| {
            let own = matches!(self.model, Name::Resample | Name::Bursts);
            let how = if own { "the jobs themselves are" } else { "learnt from" };
            format!("{how} the {} jobs of {} that ran", history.jobs.len(), history.name)
        };
        let of_trace = history.filter(|_| self.model != Name::Lublin);
        let heading = Heading {
            command,
            procs: self.size(history).get(),
            jobs: u64::from(self.jobs),
            unix_start_time: of_trace.and_then(|history| history.unix_start_time),
            time_zone: of_trace.and_then(|history| history.time_zone.clone()),
            notes: of_trace.map(learnt).into_iter().collect(),
        };
        Ok(Workload::Model(Box::new((model, self.seed, heading))))
    }

    /// The hidden Markov model: the file's, else one trained on the trace.
    fn hmm(&self, history: Option<&History>) -> Result<hmm::model::Model, Failure> {
        if let Some(path) = &self.trained {
            let name = path.display();
            let text = fs::read_to_string(path).with_context(|| name.to_string())?;
            let model = hmm::model::Model::from_json(&text).map_err(|wrong| anyhow!("{name}: {wrong}"))?;
            return Ok(model);
        }
        let history = history.ok_or_else(|| Failure::Usage("no trace".into()))?;
        let bar = output::progress_of(most_rounds(), "rounds at most");
        let trained = learn(history, |round| bar.set_position(round));
        bar.finish_and_clear();
        Ok(trained.with_context(|| history.name.clone())?)
    }

    /// The machine's size.
    fn size(&self, history: Option<&History>) -> NonZeroU32 {
        let of_trace = history.and_then(|history| NonZeroU32::new(history.procs));
        of_trace.or(self.procs).unwrap_or(const { NonZeroU32::new(128).unwrap() })
    }
}

fn write_file(path: &Path, workload: &Workload) -> anyhow::Result<()> {
    file::write(path, |mut out| {
        if gzipped(path).is_ok_and(|gzip| gzip) {
            let mut gzip = GzEncoder::new(out, Compression::default());
            workload.write(&mut gzip)?;
            gzip.finish()?;
        } else {
            workload.write(&mut out)?;
        }
        Ok(())
    })
}
