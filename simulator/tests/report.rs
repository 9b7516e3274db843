//! Pages and tables of real replays: well-formed, self-contained, escaped, and with the numbers in them.

use super::common::xml;
use std::num::NonZeroU64;
use std::path::Path;
use surefill_simulator::base::papers::published;
use surefill_simulator::replay::policy::{Criterion, PolicyOptions};
use surefill_simulator::replay::run::{Options, Run, Summary, run};
use surefill_simulator::replay::scored::Verdict;
use surefill_simulator::report::answer::{recorded_savings, savings, standings};
use surefill_simulator::report::what_if::span;
use surefill_simulator::report::{Compared, Made, TableStyle, View, comparison, page, section, waits};
use surefill_simulator::trace::recorded::{Means, Recorded};
use surefill_simulator::trace::swf::{Strictness, open};
use surefill_simulator::trace::workload::{Rules, Workload};

const POLICIES: [&str; 5] = ["fcfs", "easy", "easy++", "prob:user", "prob:hmm"];

fn made() -> Made {
    Made { command: "surefill compare x".to_owned(), date: "2026-01-02".to_owned() }
}

/// The first jobs of the demonstration's workload under that name.
fn runs(name: &str, seeds: u64, criterion: Criterion) -> Vec<(Run, Summary)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/workload.swf.gz");
    let rules = Rules { limit_jobs: Some(1500), ..Rules::default() };
    let workload = Workload::new(&open(&path, Strictness::Strict).unwrap(), &rules).unwrap();
    let mut policy = PolicyOptions::default();
    policy.prob.criterion = criterion;
    if criterion == Criterion::Seconds {
        policy.prob.tau = 60.0;
    }
    let one = |choice: &&str| {
        let options =
            Options { choice: choice.parse().unwrap(), policy: policy.clone(), rules: rules.clone() };
        let run = run(name, &workload, &options, 0, NonZeroU64::new(seeds).unwrap(), &|_| ()).unwrap();
        let summary = Summary::new(&run, &workload, &options);
        (run, summary)
    };
    POLICIES.iter().map(one).collect()
}

#[test]
fn a_page_stands_alone_and_holds_the_numbers() {
    let runs = runs("demo.swf", 2, Criterion::Probability);
    let page = page("Policies compared", &[section(&runs, None), section(&runs[1..2], None)], &made());
    let xml = xml(&page);
    let document = roxmltree::Document::parse(&xml).expect("well-formed");
    let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
    assert_eq!((count("section"), count("h2"), count("footer")), (3, 3, 1));
    // Waits, queue, use and the chart of jobs, and delays where they were predicted.
    assert_eq!((count("figure"), count("script")), (9, 1));
    for role in document.descendants().filter(|node| node.attribute("role") == Some("img")) {
        assert!(role.attribute("aria-label").is_some_and(|label| label.len() > 50));
        assert!(role.descendants().any(|node| node.tag_name().name() == "svg"));
    }
    for node in document.descendants() {
        assert!(node.attribute("src").is_none());
        // The icon is in the page itself.
        let inside = |place: &str| place.starts_with('#') || place.starts_with("data:image/svg+xml,");
        assert!(node.attribute("href").is_none_or(inside));
        assert!(!["img", "image"].contains(&node.tag_name().name()));
    }
    assert!(!page.contains("url(") && !page.contains("@import"));
    let chart = document.descendants().find(|node| node.attribute("data-gantt").is_some()).unwrap();
    let data: serde_json::Value = serde_json::from_str(chart.attribute("data-gantt").unwrap()).unwrap();
    assert_eq!(data["policies"].as_array().unwrap().len(), POLICIES.len());
    for (policy, (run, _)) in data["policies"].as_array().unwrap().iter().zip(&runs) {
        for job in policy["jobs"].as_array().unwrap() {
            let record = run.first.jobs.iter().find(|record| record.number == job[2]).unwrap();
            assert_eq!(record.start - record.submit, job[3]);
        }
    }

    let text: String =
        document.root_element().descendants().filter_map(|node| node.text()).collect::<Vec<_>>().join("|");
    for (_, summary) in &runs {
        assert!(text.contains(&format!("{:.1}", summary.mean.mean_wait_s / 60.0)));
        assert!(text.contains(&format!("{:.1}", summary.mean.geomean_wait_s)));
        assert!(text.contains(&format!("± {:.1}", summary.spread.unwrap().mean_wait_s / 60.0)));
    }
    let prob = &runs[3].1;
    assert!(prob.calibration.iter().all(|bin| text.contains(&bin.count.to_string())));
    for option in
        ["seed 0", "seeds 2", "tau 0.05", "criterion probability", "overrun keep", "events per bin 4"]
    {
        assert!(text.contains(option), "{option}");
    }
    assert!(text.contains(concat!("surefill ", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn names_of_files_are_text() {
    let name = "<script>alert('\"&amp;\"')</script>.swf";
    let page = page(name, &[section(&runs(name, 1, Criterion::Probability), None)], &made());
    assert!(!page.contains("<script>alert"));
    let xml = xml(&page);
    let document = roxmltree::Document::parse(&xml).expect("well-formed");
    let outside =
        |node: &roxmltree::Node<'_, '_>| node.ancestors().all(|node| node.tag_name().name() != "svg");
    let titles = document
        .descendants()
        .filter(|node| ["title", "h1", "h2"].contains(&node.tag_name().name()) && outside(node));
    assert_eq!(
        titles.filter_map(|node| node.text()).collect::<Vec<_>>(),
        [name, name, name, "Words and sources"]
    );
}

#[test]
fn every_criterion_has_its_diagram() {
    for (criterion, axis) in [
        (Criterion::Probability, "probability of a delay [%]"),
        (Criterion::Seconds, "mean predicted delay [s]"),
        (Criterion::Relative, "mean predicted delay [s]"),
    ] {
        let page = page("t", &[section(&runs("demo.swf", 1, criterion), None)], &made());
        assert!(page.contains(axis), "{axis}");
        roxmltree::Document::parse(&xml(&page)).expect("well-formed");
    }
}

#[test]
fn nothing_to_show_is_no_crash() {
    roxmltree::Document::parse(&xml(&page("", &[], &made()))).expect("well-formed");
    roxmltree::Document::parse(&xml(&page("", &[section(&[], None)], &made()))).expect("well-formed");
    let (mut run, mut summary) = runs("demo.swf", 1, Criterion::Probability).remove(1);
    run.first.jobs.clear();
    summary.calibration.clear();
    roxmltree::Document::parse(&xml(&page("", &[section(&[(run, summary)], None)], &made())))
        .expect("well-formed");
}

#[test]
fn tables_compare_with_easy_and_the_paper() {
    let summaries: Vec<Summary> =
        runs("KTH-SP2-1996-2.swf", 2, Criterion::Probability).into_iter().map(|run| run.1).collect();
    let (easy, prob) = (summaries[1].mean, summaries[3].mean);
    let name = "KTH-SP2-1996-2.swf";
    let recorded = Recorded { all: Means { jobs: 1500, ..Means::default() }, ..Recorded::default() };
    let compared = Compared {
        trace: name.into(),
        policies: summaries,
        published: published(name),
        recorded,
        remarks: Vec::new(),
    };
    let table = waits(&compared, TableStyle::Terminal).to_string();
    let change = (prob.mean_wait_s / easy.mean_wait_s - 1.0) * 100.0;
    for text in [format!("{:.1} ± ", prob.mean_wait_s / 60.0), format!("{change:+.1} %")] {
        assert!(table.contains(&text), "{text}\n{table}");
    }
    // A frame and two lines of header, then two lines a policy. The paper's numbers have a table of their own.
    assert_eq!(table.lines().count(), 5 + 2 * POLICIES.len());
    assert!(!table.contains("paper"));
    let papers =
        View::Papers.table(std::slice::from_ref(&compared), TableStyle::Markdown).unwrap().to_string();
    assert!(papers.contains(" 147 "), "{papers}");
    assert!(table.contains("user, fcfs, exact=0.05"), "{table}");

    // In Markdown a row is a line.
    let markdown = waits(&compared, TableStyle::Markdown).to_string();
    assert_eq!(markdown.lines().count(), 2 + POLICIES.len());
    assert!(markdown.lines().all(|line| line.starts_with('|') && line.ends_with('|')));
    assert!(markdown.contains(&format!("({change:+.1} %)")), "{markdown}");
    for view in [View::Means, View::Spread, View::Delays, View::Speed] {
        let table = view.table(std::slice::from_ref(&compared), TableStyle::Markdown).unwrap().to_string();
        assert_eq!(table.lines().count(), 2 + POLICIES.len(), "{table}");
    }
    let table = View::Distribution.table(std::slice::from_ref(&compared), TableStyle::Markdown).unwrap();
    let rows: Vec<Vec<String>> = table.to_string().lines().skip(2).map(cells).collect();
    for (row, summary) in rows.iter().zip(&compared.policies) {
        let waiting = summary.waits.iter().filter(|wait| **wait > 0).count() as f64;
        assert_eq!(row[2], format!("{:.1}", waiting / 15.0));
    }
    // EASY is beside itself nothing; of the others' jobs that wait, as many wait less as are counted by hand.
    assert_eq!(rows[1][10], "");
    let (own, base) = (&compared.policies[3].waits, &compared.policies[1].waits);
    let waiting = own.iter().zip(base).filter(|(own, base)| **own + **base > 0);
    let shorter = own.iter().zip(base).filter(|(own, base)| own < base).count() as f64;
    assert_eq!(rows[3][10], format!("{:.1}", shorter / waiting.count() as f64 * 100.0));
    let table = View::Recorded.table(std::slice::from_ref(&compared), TableStyle::Markdown).unwrap();
    let row = cells(table.to_string().lines().nth(2).unwrap());
    // The demonstration's name is that of KTH here, but it was not replayed whole.
    assert_eq!((row[1].as_str(), row[8].as_str()), ("", "1500"));
    assert!(View::Waits.table(&[], TableStyle::Markdown).is_none());
}

/// The texts between the bars of a line of Markdown.
fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// EASY, another and one that knows the run times, as a comparison has them.
fn compared(name: &str) -> (Vec<(Run, Summary)>, Compared) {
    let runs = runs(name, 3, Criterion::Probability);
    let policies = runs.iter().map(|(_, summary)| summary.clone()).collect();
    (
        runs,
        Compared {
            trace: name.to_owned(),
            policies,
            published: None,
            recorded: Default::default(),
            remarks: Vec::new(),
        },
    )
}

#[test]
fn the_answer_is_the_shortest_mean_wait_beside_easys() {
    let (runs, one) = compared("demo.swf");
    let mean = |index: usize| {
        let waits = |index: usize| runs[index].0.seeds.iter().map(|one| one.metrics.mean_wait_s).sum::<f64>();
        waits(index) / waits(1) - 1.0
    };
    let best = [0, 2, 3, 4].into_iter().min_by(|&a, &b| mean(a).total_cmp(&mean(b))).unwrap();
    let standings = surefill_simulator::report::answer::standings(std::slice::from_ref(&one));
    assert_eq!((standings[0].index, standings.len()), (best, 4));
    assert!((standings[0].change - mean(best)).abs() < 1e-12);
    // The demonstration's first jobs are of few weeks.
    assert_eq!(standings[0].ci95, None);
    assert_eq!(serde_json::to_value(&standings[0]).unwrap()["policy"], standings[0].policy.as_str());
    // The sentence says these numbers, and who pays is on the page.
    let sentence = surefill_simulator::report::answer::sentence(std::slice::from_ref(&one)).unwrap();
    let percent = (mean(best) * 100.0).round();
    assert!(
        percent < 0.0 && sentence.contains(&format!("mean wait {} % below EASY's, longest ", -percent)),
        "{sentence}"
    );
    let traces = [one];
    let page = comparison("Compared", &traces, &[section(&runs, None)], "surefill compare <x>", "2026-01-02");
    let xml = xml(&page);
    let document = roxmltree::Document::parse(&xml).expect("well-formed");
    assert!(page.len() < 500_000, "{}", page.len());
    let text = |class: &str| {
        let node = document.descendants().find(|node| node.attribute("class") == Some(class)).unwrap();
        node.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect::<String>()
    };
    assert_eq!(text("lead"), sentence);
    // Bars in order of the mean waits, the best one marked.
    let bars = document.descendants().find(|node| node.attribute("class") == Some("bars")).unwrap();
    let label = bars.attribute("aria-label").unwrap();
    let mut order: Vec<usize> = (0..5).collect();
    order.sort_by(|&a, &b| {
        traces[0].policies[a].mean.mean_wait_s.total_cmp(&traces[0].policies[b].mean.mean_wait_s)
    });
    let places: Vec<_> =
        ["easy++", "fcfs", "EASY"].map(|name| label.find(&format!("{name} ")).unwrap()).into();
    let rank = |index: usize| order.iter().position(|&other| other == index).unwrap();
    let ranks = [2, 0, 1].map(rank);
    for i in 0..3 {
        for j in 0..3 {
            assert_eq!(places[i] < places[j], ranks[i] < ranks[j], "{label}");
        }
    }
    let wide = |node: &roxmltree::Node<'_, '_>| {
        let style = node.attribute("style").unwrap();
        style.trim_start_matches("width:").trim_end_matches('%').parse::<f64>().unwrap()
    };
    let widths: Vec<f64> =
        bars.descendants().filter(|node| node.has_tag_name("span")).map(|node| wide(&node)).collect();
    assert!(widths.len() == 5 && widths.is_sorted() && widths[4] == 62.0, "{widths:?}");
    assert_eq!(bars.descendants().filter(|node| node.attribute("class") == Some("bar best")).count(), 1);
    assert!(
        page.contains("Who pays")
            && page.contains("surefill compare &lt;x&gt;")
            && page.contains("2026-01-02")
    );
    // Every picture has a title and a description inside.
    for svg in document.descendants().filter(|node| node.tag_name().name() == "svg") {
        if svg.attribute("aria-hidden").is_none() {
            let names: Vec<_> =
                svg.children().filter(|node| node.is_element()).map(|node| node.tag_name().name()).collect();
            assert_eq!(names[..2], ["title", "desc"]);
        }
    }
}

#[test]
fn the_record_comes_first() {
    let (_, one) = compared("demo.swf");
    let easy = one.policies[1].mean.mean_wait_s;
    let explained = |traces: &[Compared]| surefill_simulator::report::answer::explained(traces);
    assert_eq!(explained(std::slice::from_ref(&one)), None);
    // All waits as long as each other in the record.
    let recorded = |wait_s: f64| {
        let mut policies = one.policies.clone();
        for week in policies.iter_mut().flat_map(|summary| summary.weeks.iter_mut().flatten()) {
            (week.known, week.known_s, week.recorded_s) =
                (week.jobs, week.waited_s, wait_s * week.jobs as f64);
        }
        let same = Compared {
            trace: one.trace.clone(),
            policies,
            published: None,
            recorded: Recorded::default(),
            remarks: Vec::new(),
        };
        (explained(std::slice::from_ref(&same)).unwrap(), same)
    };
    let (enough, half) = recorded(easy * 2.0);
    assert!(
        enough.starts_with("People waited ") && enough.contains("the replay of EASY explains 50 % of it"),
        "{enough}"
    );
    // Savings are those of the shortest waits; the demonstration's first jobs are of few weeks.
    let best = standings(std::slice::from_ref(&half)).remove(0);
    let saved = easy * -best.change;
    let says = format!(
        "Of that, {} would save {} a job, {:.0} % of what was waited.",
        best.policy,
        span(saved),
        saved / easy * 50.0
    );
    assert!(enough.ends_with(&says), "{enough} {says}");
    let found = savings(&half);
    let ours = found.iter().find(|saving| saving.index == best.index).unwrap();
    assert_eq!(found.len(), 4);
    assert!((ours.scored.saved_s.value - saved).abs() < 1e-6 && ours.policy == best.policy);
    let (little, tenth) = recorded(easy * 10.0);
    assert!(!little.contains("Of that,") && savings(&tenth)[0].scored.verdict == Verdict::Unexplained);
    assert!(little.starts_with("This history cannot tell what another policy would save"), "{little}");
    assert!(little.contains("explains 10 % ("), "{little}");
    let (short, none) = recorded(59.0);
    assert!(
        short.contains("less than a minute, so that there is nothing to save") && !short.contains('%'),
        "{short}"
    );
    let (exceeded, more) = recorded(easy / 1.7);
    assert!(
        exceeded.starts_with("This history cannot tell what another policy would save")
            && exceeded.contains("the replay of EASY explains more than was waited: it comes to 170 % ("),
        "{exceeded}"
    );
    let sentence = |traces: &[Compared]| surefill_simulator::report::answer::sentence(traces).unwrap();
    for alone in [&tenth, &more, &none] {
        assert!(sentence(std::slice::from_ref(alone)).starts_with("In the replays alone: "));
    }
    assert!(!sentence(std::slice::from_ref(&half)).contains("alone"));
    let two = explained(&[recorded(easy * 2.0).1, more]).unwrap();
    assert!(two.contains("Nor can one of which it comes to more than 160 %: demo."), "{two}");
    assert!(recorded_savings(std::slice::from_ref(&half), TableStyle::Markdown).is_none());
    let three = [half, tenth, none];
    let all = explained(&three).unwrap();
    let table = recorded_savings(&three, TableStyle::Markdown).unwrap().to_string();
    let rows: Vec<Vec<String>> = table.lines().map(cells).collect();
    let share = format!("{:.0}", saved / easy * 50.0);
    assert_eq!(rows[0][..3], ["trace", "people waited", "EASY explains"]);
    assert!(rows[0][3].starts_with(&format!("{} saves", best.policy)), "{table}");
    assert_eq!(rows[2], ["demo", &span(easy * 2.0), "50 %", &span(saved), &share], "{table}");
    assert_eq!(rows[3][2..], ["10 %", "cannot tell", "-"], "{table}");
    assert_eq!(rows[4][1..], ["59 s", "-", "nothing to save", "-"], "{table}");
    assert!(
        all.contains("explains 10 to 50 % of the recorded mean waits of 2 traces (median 30 %)"),
        "{all}"
    );
    assert!(
        all.contains("cannot tell what another policy would save: demo.")
            && all.contains("below a minute: demo.")
    );
}

#[test]
fn without_easy_the_answer_is_against_the_first() {
    let (_, mut one) = compared("demo.swf");
    let easy = one.policies.remove(1);
    let waits = |index: usize| one.policies[index].mean.mean_wait_s;
    let best = (1..one.policies.len()).min_by(|&a, &b| waits(a).total_cmp(&waits(b))).unwrap();
    let change = format!("{:+.0} % against fcfs's. EASY, which", (waits(best) / waits(0) - 1.0) * 100.0);
    let sentence = surefill_simulator::report::answer::sentence(std::slice::from_ref(&one)).unwrap();
    assert!(sentence.contains(&change), "{sentence} {change}");
    one.policies = vec![easy];
    assert_eq!(surefill_simulator::report::answer::sentence(&[one]), None);
    assert_eq!(surefill_simulator::report::answer::sentence(&[]), None);
}
