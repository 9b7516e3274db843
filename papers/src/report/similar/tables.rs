//! The comparisons as tables, with the paper's numbers in lines of their own.

use crate::studies::similar::measures::{Measures, Similarity};
use crate::studies::similar::next::Score;
use crate::studies::similar::schedulers::{Judgement, in_order};
use crate::studies::similar::study::{Judged, Mean, Rival, Study};
use clap::ValueEnum;
use serde::Serialize;
use surefill_simulator::report::TableStyle;
use surefill_simulator::report::grid::Grid;

/// The paper's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Table 3: states and correlations of the chains
    #[value(name = "3")]
    Parameters,
    /// Table 4: Kolmogorov-Smirnov and squashed area
    #[value(name = "4")]
    Statistics,
    /// Table 5: correlation of processors and run time
    #[value(name = "5")]
    Correlation,
    /// Table 6: lag-1 autocorrelations
    #[value(name = "6")]
    Autocorrelation,
    /// On-line prediction of the next job
    Next,
    /// Users, sessions, times between submissions and requested times
    People,
    /// Judgements of schedulers: offered load, mean wait under the first policy, utilization, every other policy's
    /// gain, and in how many pairs the policies come in the trace's order
    Schedulers,
    /// Differences of the logs from the paper's, and on how many measures each model is as close as the paper's or
    /// closer: no more than .005 further, half of the second digit, to which the paper rounds
    Verdict,
}

fn table<'a>(style: TableStyle, titles: impl IntoIterator<Item = &'a str>, left: usize) -> Grid {
    style.table(titles.into_iter().map(str::to_owned), left)
}

const NONE: &str = "-";

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{value:.digits$}"))
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{:+.1} %", value * 100.0))
}

fn mean(value: Option<Mean>) -> String {
    value.map_or_else(|| NONE.to_owned(), |Mean { mean, deviation }| format!("{mean:.3} ± {deviation:.3}"))
}

/// Two workloads side by side.
pub fn similarity(similarity: &Similarity, style: TableStyle) -> Grid {
    let Similarity { original, synthetic, .. } = similarity;
    let mut table = table(style, ["measure", "A", "B", "difference"], 1);
    let mut row = |name: &str, of: &dyn Fn(&Measures) -> Option<f64>, digits: usize| {
        let (a, b) = (of(original), of(synthetic));
        let difference = a.zip(b).map(|(a, b)| b - a);
        table.add_row([name.to_owned(), number(a, digits), number(b, digits), number(difference, digits)]);
    };
    row("jobs", &|m| Some(m.jobs as f64), 0);
    row("correlation of processors and run time", &|m| m.correlation, 3);
    row("autocorrelation of processors, lag 1", &|m| m.rho_nodes, 3);
    row("autocorrelation of run times, lag 1", &|m| m.rho_run_times, 3);
    row("squashed area a job [processor-h]", &|m| Some(m.area_per_job / 3600.0), 3);
    row("mean time between submissions [s]", &|m| Some(m.mean_gap), 1);
    row("users", &|m| (m.users > 0).then_some(m.users as f64), 0);
    row("jobs by the user of the job before", &|m| m.same_user, 3);
    row("jobs in the run-time class of the user's last", &|m| m.repeated_class, 3);
    row("used share of the requested time", &|m| m.accuracy, 3);
    for (index, name) in ["lower quartile", "median", "upper quartile"].into_iter().enumerate() {
        row(&format!("{name} of it, at most 1"), &|m| m.habits.accuracy.map(|quartiles| quartiles[index]), 3);
    }
    row("jobs that use 99 % of it", &|m| m.habits.exact, 3);
    row("jobs by the busiest user", &|m| m.habits.busiest, 3);
    row("jobs a session", &|m| m.habits.session_jobs, 2);
    row("from job to job of a session, median [s]", &|m| m.habits.session_gap, 0);
    let between = [
        ("squashed area", percent(similarity.area_difference)),
        ("squashed area, per job", percent(similarity.area_difference_per_job)),
        ("Kolmogorov-Smirnov of processors", number(Some(similarity.ks_nodes), 4)),
        ("Kolmogorov-Smirnov of run times", number(Some(similarity.ks_run_times), 4)),
        ("Kolmogorov-Smirnov of times between submissions", number(similarity.ks_gaps, 4)),
        ("Kolmogorov-Smirnov of requested times", number(similarity.ks_requests, 4)),
    ];
    for (name, difference) in between {
        table.add_row([name.to_owned(), String::new(), String::new(), difference]);
    }
    table
}

/// A trace's name as far as it tells traces apart.
fn short(trace: &str) -> String {
    let name = trace.strip_suffix(".gz").unwrap_or(trace);
    name.strip_suffix(".swf").unwrap_or(name).to_owned()
}

/// Table 3.
pub fn parameters(studies: &[Study], style: TableStyle) -> Grid {
    let titles = ["trace", "", "jobs", "run-time states", "node states", "cor0", "cor1", "theta"];
    let mut table = table(style, titles, 2);
    for study in studies {
        let name = short(&study.trace);
        if let Some(paper) = study.published {
            let states = [paper.states.0, paper.states.1].map(|states| states.to_string());
            let cor = [paper.cor.0, paper.cor.1].map(|cor| number(Some(cor), 3));
            let row = [name.clone(), "published".to_owned(), paper.jobs.to_string()];
            table.add_row(row.into_iter().chain(states).chain(cor).chain([String::new()]));
        }
        let own = &study.parameters;
        table.add_row([
            name,
            "ours".to_owned(),
            study.jobs.to_string(),
            own.run_time_states.to_string(),
            own.node_states.to_string(),
            number(Some(own.cor0), 3),
            number(Some(own.cor1), 3),
            number(Some(own.theta), 3),
        ]);
    }
    table
}

/// Table 4.
pub fn statistics(studies: &[Study], style: TableStyle) -> Grid {
    let titles = ["trace", "model", "KS of nodes", "KS of run time", "squashed area"];
    let mut table = table(style, titles, 2);
    for study in studies {
        let name = short(&study.trace);
        if let Some(paper) = study.published {
            let ks = [paper.ks.0, paper.ks.1].map(|ks| number(Some(ks), 2));
            let area = format!("{:+.0} %", paper.area * 100.0);
            let row = [name.clone(), PUBLISHED.to_owned()];
            table.add_row(row.into_iter().chain(ks).chain([area]));
        }
        for judged in &study.models {
            let area = judged.area.map_or_else(
                || NONE.to_owned(),
                |area| format!("{} ± {:.1}", percent(Some(area.mean)), area.deviation * 100.0),
            );
            let model = judged.model.name().to_owned();
            table.add_row([name.clone(), model, mean(judged.ks_nodes), mean(judged.ks_run_times), area]);
        }
    }
    table
}

const PUBLISHED: &str = "published Markov chains";

/// A published value or ours, what the trace has, how far apart they are.
fn beside(value: f64, real: Option<f64>, text: String) -> [String; 3] {
    [number(real, 3), text, number(real.map(|real| (value - real).abs()), 3)]
}

fn ours(value: Option<Mean>, real: Option<f64>) -> [String; 3] {
    match value {
        Some(value) => beside(value.mean, real, mean(Some(value))),
        None => [number(real, 3), NONE.to_owned(), NONE.to_owned()],
    }
}

/// Table 5.
pub fn correlations(studies: &[Study], style: TableStyle) -> Grid {
    let mut table = table(style, ["trace", "model", "trace's", "model's", "apart"], 2);
    for study in studies {
        let name = short(&study.trace);
        let mut row = |model: &str, cells: [String; 3]| {
            table.add_row([name.clone(), model.to_owned()].into_iter().chain(cells));
        };
        if let Some(paper) = study.published.and_then(|published| published.correlation) {
            let cells = |value: f64| beside(value, Some(paper.real), number(Some(value), 3));
            row(PUBLISHED, cells(paper.markov));
            row("published Lublin/Feitelson", cells(paper.lublin));
        }
        for judged in &study.models {
            row(judged.model.name(), ours(judged.correlation, study.original.correlation));
        }
    }
    table
}

/// Table 6.
pub fn autocorrelations(studies: &[Study], style: TableStyle) -> Grid {
    let titles =
        ["trace", "model", "nodes: trace's", "model's", "apart", "run time: trace's", "model's", "apart"];
    let mut table = table(style, titles, 2);
    for study in studies {
        let name = short(&study.trace);
        let mut row = |model: &str, nodes: [String; 3], run_times: [String; 3]| {
            table.add_row([name.clone(), model.to_owned()].into_iter().chain(nodes).chain(run_times));
        };
        if let Some((nodes, run_times)) = study.published.and_then(|published| published.rho) {
            let cells = |value: f64, real: f64| beside(value, Some(real), number(Some(value), 2));
            row(PUBLISHED, cells(nodes.markov, nodes.real), cells(run_times.markov, run_times.real));
            let independent = cells(nodes.independent, nodes.real);
            row("published PDF", independent, cells(run_times.independent, run_times.real));
        }
        for Judged { model, rho_nodes, rho_run_times, .. } in &study.models {
            let nodes = ours(*rho_nodes, study.original.rho_nodes);
            row(model.name(), nodes, ours(*rho_run_times, study.original.rho_run_times));
        }
    }
    table
}

/// Users, sessions, times between submissions and requested times, beside the trace's own.
pub fn people(studies: &[Study], style: TableStyle) -> Grid {
    let titles = [
        "trace",
        "workload",
        "users",
        "jobs by the busiest",
        "by the user of the job before",
        "in the class of the user's last",
        "jobs a session",
        "from job to job in it, median [s]",
        "KS of times between submissions",
        "used share of the request, quartiles",
        "jobs that use 99 % of it",
        "KS of requests",
    ];
    let mut table = table(style, titles, 2);
    let plus = |value: Option<Mean>, digits: usize| {
        value.map_or_else(
            || NONE.to_owned(),
            |Mean { mean, deviation }| format!("{mean:.digits$} ± {deviation:.digits$}"),
        )
    };
    /// A measure of a workload, and its number of digits.
    type Asked = (fn(&Measures) -> Option<f64>, usize);
    let asked: [Asked; 6] = [
        (|m| (m.users > 0).then_some(m.users as f64), 0),
        (|m| m.habits.busiest, 3),
        (|m| m.same_user, 3),
        (|m| m.repeated_class, 3),
        (|m| m.habits.session_jobs, 2),
        (|m| m.habits.session_gap, 0),
    ];
    let quartiles = |of: &dyn Fn(usize) -> Option<f64>| match [of(0), of(1), of(2)] {
        [Some(low), Some(middle), Some(high)] => format!("{low:.2} / {middle:.2} / {high:.2}"),
        _ => NONE.to_owned(),
    };
    for study in studies {
        let (name, own) = (short(&study.trace), &study.original);
        let mut row = vec![name.clone(), "the trace".to_owned()];
        row.extend(asked.iter().map(|(of, digits)| number(of(own), *digits)));
        row.push(String::new());
        row.push(quartiles(&|index| own.habits.accuracy.map(|accuracy| accuracy[index])));
        row.extend([number(own.habits.exact, 3), String::new()]);
        table.add_row(row);
        for judged in &study.models {
            let mut row = vec![name.clone(), judged.model.name().to_owned()];
            row.extend(asked.iter().map(|(of, digits)| plus(judged.mean(of), *digits)));
            row.push(mean(judged.ks_gaps));
            row.push(quartiles(&|index| {
                Some(judged.mean(|made| made.habits.accuracy.map(|accuracy| accuracy[index]))?.mean)
            }));
            row.extend([mean(judged.mean(|made| made.habits.exact)), mean(judged.ks_requests)]);
            table.add_row(row);
        }
    }
    table
}

/// Judgements of schedulers on one workload: columns of the table after its name, beside the trace's own.
fn schedulers_row(workload: &str, made: &[&Judgement], trace: &Judgement) -> Vec<String> {
    let over = |of: &dyn Fn(&Judgement) -> Option<f64>| {
        Mean::new(&made.iter().filter_map(|judged| of(judged)).collect::<Vec<f64>>())
    };
    let several = made.len() > 1;
    let text = |value: Option<Mean>, scale: f64, digits: usize| {
        value.map_or_else(
            || NONE.to_owned(),
            |Mean { mean, deviation }| match several {
                true => format!("{:.digits$} ± {:.digits$}", mean * scale, deviation * scale),
                false => format!("{:.digits$}", mean * scale),
            },
        )
    };
    let percent = |value: Option<Mean>| {
        value.map_or_else(
            || NONE.to_owned(),
            |Mean { mean, deviation }| match several {
                true => format!("{:+.1} % ± {:.1}", mean * 100.0, deviation * 100.0),
                false => format!("{:+.1} %", mean * 100.0),
            },
        )
    };
    let first = |judged: &Judgement| Some(judged.replays.first()?.mean_wait_s);
    let mut row = vec![
        workload.to_owned(),
        text(over(&|judged| Some(judged.offered_load)), 1.0, 3),
        text(over(&first), 1.0 / 60.0, 1),
        text(over(&|judged| judged.wait_over(trace)), 1.0, 2),
        text(over(&|judged| Some(judged.replays.first()?.utilization)), 100.0, 1),
    ];
    row.extend((1..trace.replays.len()).map(|policy| percent(over(&|judged| judged.gain(policy)))));
    let waits =
        |judged: &Judgement| judged.replays.iter().map(|replay| replay.mean_wait_s).collect::<Vec<f64>>();
    let means: Vec<f64> = (0..trace.replays.len())
        .filter_map(|policy| Some(over(&|judged| Some(judged.replays.get(policy)?.mean_wait_s))?.mean))
        .collect();
    let (kept, all) = in_order(&waits(trace), &means);
    row.push(format!("{kept} of {all}"));
    row
}

fn schedulers_titles(of: &Judgement) -> Vec<String> {
    let name = |policy: usize| of.replays.get(policy).map_or(NONE, |replay| replay.policy.as_str());
    let first = name(0);
    let mut titles = vec![
        "offered load".to_owned(),
        format!("{first}: mean wait [min]"),
        "of the trace's".to_owned(),
        "utilization [%]".to_owned(),
    ];
    titles.extend((1..of.replays.len()).map(|policy| format!("{} against {first}", name(policy))));
    titles.push("pairs of policies in order".to_owned());
    titles
}

/// Judgements of schedulers on the traces and on every model, means over seeds; none where they were not asked.
pub fn schedulers(studies: &[Study], style: TableStyle) -> Grid {
    let some = studies.iter().find_map(|study| study.judged.as_ref());
    let titles = ["trace", "workload"].map(str::to_owned).into_iter();
    let titles: Vec<String> = titles.chain(some.into_iter().flat_map(schedulers_titles)).collect();
    let mut table = style.table(titles, 2);
    for study in studies {
        let Some(trace) = &study.judged else { continue };
        let mut add = |workload: &str, made: &[&Judgement]| {
            table.add_row(std::iter::once(short(&study.trace)).chain(schedulers_row(workload, made, trace)));
        };
        add("the trace", &[trace]);
        for judged in &study.models {
            add(judged.model.name(), &judged.judged.iter().collect::<Vec<_>>());
        }
    }
    table
}

/// Judgements of schedulers on two workloads, the original first.
pub fn schedulers_of_two(a: &Judgement, b: &Judgement, style: TableStyle) -> Grid {
    let titles = std::iter::once("workload".to_owned()).chain(schedulers_titles(a));
    let mut table = style.table(titles, 1);
    table.add_row(schedulers_row("A", &[a], a));
    table.add_row(schedulers_row("B", &[b], a));
    table
}

/// Scores of on-line prediction, trace by trace.
pub fn next(scores: &[(String, Vec<Score>)], style: TableStyle) -> Grid {
    let titles = ["trace", "predictor", "bits", "of nodes", "of run time", "hits", "of nodes", "of run time"];
    let mut table = table(style, titles, 2);
    for (trace, scores) in scores {
        for score in scores {
            let bits = [score.bits, score.bits_nodes, score.bits_run_time].map(|bits| format!("{bits:.3}"));
            let hits = [score.hits, score.hits_nodes, score.hits_run_time];
            let hits = hits.map(|hits| format!("{:.1} %", hits * 100.0));
            let row = [short(trace), score.predictor.to_owned()];
            table.add_row(row.into_iter().chain(bits).chain(hits));
        }
    }
    table
}

/// Largest excess over the published model's distance that counts as being as close: half of the second digit, to
/// which the paper rounds its numbers (those of Table 5 have three, and get the same).
const TOLERANCE: f64 = 0.005;

/// Whether a model is as close to its trace as the published one was to its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Verdict {
    /// Name of the measure.
    pub measure: &'static str,
    /// Distance of the published model from the trace; Kolmogorov-Smirnov distances are that by themselves.
    pub published: f64,
    /// Distance of the mean over seeds from the trace.
    pub ours: f64,
}

impl Verdict {
    /// Whether the model is as close or closer: no more than .005 further.
    pub fn as_close(&self) -> bool {
        self.ours <= self.published + TOLERANCE
    }

    /// Every number that the paper gives for this trace.
    pub fn all(study: &Study, model: Rival) -> Vec<Verdict> {
        let (Some(paper), Some(judged)) = (study.published, study.of(model)) else { return Vec::new() };
        let mut verdicts = Vec::new();
        let mut add = |measure, published: f64, ours: Option<f64>| {
            verdicts.extend(ours.map(|ours| Verdict { measure, published, ours: ours.abs() }));
        };
        let value = |value: Option<Mean>| value.map(|value| value.mean);
        add("KS of nodes", paper.ks.0, value(judged.ks_nodes));
        add("KS of run time", paper.ks.1, value(judged.ks_run_times));
        add("squashed area", paper.area.abs(), value(judged.area));
        let apart =
            |ours: Option<Mean>, real: Option<f64>| value(ours).zip(real).map(|(ours, real)| ours - real);
        if let Some(correlation) = paper.correlation {
            let published = (correlation.markov - correlation.real).abs();
            add("correlation", published, apart(judged.correlation, study.original.correlation));
        }
        if let Some((nodes, run_times)) = paper.rho {
            let real = &study.original;
            let published = (nodes.markov - nodes.real).abs();
            add("autocorrelation of nodes", published, apart(judged.rho_nodes, real.rho_nodes));
            let published = (run_times.markov - run_times.real).abs();
            add("autocorrelation of run time", published, apart(judged.rho_run_times, real.rho_run_times));
        }
        verdicts
    }
}

/// Comparison of every model with the published one, and the differences of the logs.
pub fn verdicts(studies: &[Study], style: TableStyle) -> Grid {
    let titles = ["trace", "the log", "model", "as close or closer", "further"];
    let mut table = table(style, titles, 5);
    for study in studies {
        let Some(paper) = study.published else { continue };
        for (index, model) in study.models.iter().map(|judged| judged.model).enumerate() {
            let verdicts = Verdict::all(study, model);
            let further = verdicts.iter().filter(|verdict| !verdict.as_close());
            let further: Vec<String> = further
                .map(|verdict| format!("{}: {:.3}, {:.3}", verdict.measure, verdict.ours, verdict.published))
                .collect();
            table.add_row([
                short(&study.trace),
                if index == 0 { paper.difference.to_owned() } else { String::new() },
                model.name().to_owned(),
                format!("{} of {}", verdicts.len() - further.len(), verdicts.len()),
                further.join("; "),
            ]);
        }
    }
    table
}
