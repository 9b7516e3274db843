//! `surefill-papers generate`: a workload of a published model.

use super::PROGRAM;
use crate::generate::Model;
use crate::generate::hidden::{Shapes, learn, most_rounds};
use crate::generate::hmm;
use crate::generate::markov::Variant;
use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use std::fs;
use std::num::NonZeroU32;
use std::path::PathBuf;
use surefill_simulator::cli::Failure;
use surefill_simulator::cli::args::{made::Made, source::Source};
use surefill_simulator::cli::options::file_name;
use surefill_simulator::cli::output;
use surefill_simulator::generate::{History, write_model};

/// Options of `generate`.
#[derive(Debug, Args)]
pub struct Generate {
    /// The model of the workload
    #[arg(long, value_enum)]
    model: Name,
    /// The trace to learn from: any format that import reads (markov, independent, hmm; for lublin it gives the
    /// machine's size)
    #[arg(long, value_name = "TRACE")]
    like: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
    /// A model with a load model that fit has saved (hmm) [default: trained on --like, 16 states, geometric load]
    #[arg(long, value_name = "FILE")]
    trained: Option<PathBuf>,
    /// Which of the trace's jobs with a run time like it gives a job its shape (hmm) [default: bin]
    #[arg(long, value_enum)]
    shapes: Option<Shapes>,
    /// Which Markov chain model (markov)
    #[arg(long, value_enum)]
    variant: Option<Variant>,
    /// Processors of the machine (lublin) [default: 128]
    #[arg(long, value_name = "N")]
    procs: Option<NonZeroU32>,
    #[command(flatten)]
    made: Made,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Markov chains of processors and run time, learnt from a trace, with its arrivals, users and requested times
    /// (Song, Ernemann & Yahyapour 2004)
    Markov,
    /// Every parameter from its own distribution in a trace
    Independent,
    /// Hyper-gamma run times, two-stage uniform sizes, a daily cycle (Lublin & Feitelson 2003)
    Lublin,
    /// A hidden Markov model of slots and run times (Nissimov 2006), with the trace's processors and users
    Hmm,
}

impl Name {
    fn text(self) -> &'static str {
        match self {
            Name::Markov => "markov",
            Name::Independent => "independent",
            Name::Lublin => "lublin",
            Name::Hmm => "hmm",
        }
    }
}

impl Generate {
    pub(crate) fn run(self) -> Result<(), Failure> {
        self.check()?;
        let read = |path: &PathBuf| -> Result<History, Failure> {
            Ok(History::new(&self.source.read(path, false)?, &file_name(path))?)
        };
        let learnt = self.like.as_ref().map(read).transpose()?;
        let history = learnt.as_ref();
        let (model, mut options) = self.model(history)?;
        let procs = self.size(history);
        match history {
            Some(history) => options += &format!(" --like {}", history.name),
            None => options += &format!(" --procs {procs}"),
        }
        let command = format!("{PROGRAM} generate --model {}{options}", self.model.text());
        let of_trace = history.filter(|_| self.model != Name::Lublin).map(|history| ("learnt from", history));
        let heading = self.made.heading(&command, procs.get(), of_trace);
        Ok(self.made.write(|mut out| write_model(&mut out, &model, self.made.seed, &heading))?)
    }

    /// Options that the model does not have.
    fn check(&self) -> Result<(), Failure> {
        let model = self.model;
        let given = [
            ("--trained", self.trained.is_some(), model == Name::Hmm),
            ("--shapes", self.shapes.is_some(), model == Name::Hmm),
            ("--variant", self.variant.is_some(), model == Name::Markov),
            ("--procs", self.procs.is_some(), model == Name::Lublin),
        ];
        for (option, given, taken) in given {
            if given && !taken {
                return Err(Failure::Usage(format!("the model {} takes no {option}", model.text())));
            }
        }
        if self.like.is_some() && self.procs.is_some() {
            return Err(Failure::Usage("--like and --procs both give the machine's size".into()));
        }
        Ok(())
    }

    /// The model, and its options as they can be typed again.
    fn model(&self, history: Option<&History>) -> Result<(Model, String), Failure> {
        let of_trace = || {
            let message = format!("the model {} learns from a trace: --like TRACE", self.model.text());
            history.ok_or(Failure::Usage(message))
        };
        Ok(match self.model {
            Name::Markov => {
                let variant = self.variant.unwrap_or_default();
                (Model::markov(of_trace()?, variant), format!(" --variant {}", variant.text()))
            }
            Name::Independent => (Model::independent(of_trace()?), String::new()),
            Name::Lublin => (Model::lublin(self.size(history)), String::new()),
            Name::Hmm => {
                let history = of_trace()?;
                let trained = self.hmm(history)?;
                let name = |path| format!(" --trained {}", file_name(path));
                let options = self.trained.as_deref().map(name).unwrap_or_default();
                let shapes = self.shapes.unwrap_or_default();
                let of =
                    self.trained.as_ref().map_or(history.name.clone(), |path| path.display().to_string());
                let model = Model::hidden(&trained, history, shapes).context(of)?;
                (model, format!("{options} --shapes {}", shapes.text()))
            }
        })
    }

    /// The hidden Markov model: the file's, else one trained on the trace.
    fn hmm(&self, history: &History) -> Result<hmm::model::Model, Failure> {
        if let Some(path) = &self.trained {
            let name = path.display();
            let text = fs::read_to_string(path).with_context(|| name.to_string())?;
            let model = hmm::model::Model::from_json(&text).map_err(|wrong| anyhow!("{name}: {wrong}"))?;
            return Ok(model);
        }
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
