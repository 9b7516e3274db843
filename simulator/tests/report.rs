//! Pages and tables of real replays: well-formed, self-contained, escaped, and with the numbers in them.

use std::num::NonZeroU64;
use std::path::Path;
use surefill_simulator::base::papers::published;
use surefill_simulator::replay::policy::{Criterion, PolicyOptions};
use surefill_simulator::replay::run::{Options, Run, Summary, run};
use surefill_simulator::report::{Compared, TableStyle, View, page, section, waits};
use surefill_simulator::trace::swf::{Strictness, open};
use surefill_simulator::trace::workload::{Rules, Workload};

const POLICIES: [&str; 5] = ["fcfs", "easy", "easy++", "prob:user", "prob:hmm"];

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
        let options = Options { choice: choice.parse().unwrap(), policy: policy.clone(), rules };
        let run = run(name, &workload, &options, 0, NonZeroU64::new(seeds).unwrap(), &|_| ()).unwrap();
        let summary = Summary::new(&run, &workload, &options);
        (run, summary)
    };
    POLICIES.iter().map(one).collect()
}

/// The page as XML: HTML leaves `meta` open.
fn xml(page: &str) -> String {
    let page = page.strip_prefix("<!DOCTYPE html>").expect("a document type");
    let mut xml = String::new();
    for (i, part) in page.split("<meta ").enumerate() {
        let part = if i == 0 { part.to_owned() } else { format!("<meta {}", part.replacen('>', "/>", 1)) };
        xml += &part;
    }
    xml
}

#[test]
fn a_page_stands_alone_and_holds_the_numbers() {
    let runs = runs("demo.swf", 2, Criterion::Probability);
    let page = page("Policies compared", &[section(&runs, None), section(&runs[1..2], None)]);
    let xml = xml(&page);
    let document = roxmltree::Document::parse(&xml).expect("well-formed");
    let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
    assert_eq!((count("section"), count("h2"), count("footer")), (2, 2, 1));
    // Three figures, and two where nothing was predicted.
    assert_eq!(count("figure"), 5);
    for role in document.descendants().filter(|node| node.attribute("role") == Some("img")) {
        assert!(role.attribute("aria-label").is_some_and(|label| label.len() > 50));
        assert!(role.descendants().any(|node| node.tag_name().name() == "svg"));
    }
    for node in document.descendants() {
        assert!(["src", "href"].iter().all(|name| node.attribute(*name).is_none()));
        assert!(!["script", "link", "img", "image"].contains(&node.tag_name().name()));
    }
    assert!(!page.contains("url(") && !page.contains("@import"));

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
    let page = page(name, &[section(&runs(name, 1, Criterion::Probability), None)]);
    assert!(!page.contains("<script"));
    let xml = xml(&page);
    let document = roxmltree::Document::parse(&xml).expect("well-formed");
    let titles =
        document.descendants().filter(|node| ["title", "h1", "h2"].contains(&node.tag_name().name()));
    assert_eq!(titles.filter_map(|node| node.text()).collect::<Vec<_>>(), [name; 3]);
}

#[test]
fn every_criterion_has_its_diagram() {
    for (criterion, axis) in [
        (Criterion::Probability, "probability of a delay [%]"),
        (Criterion::Seconds, "mean predicted delay [s]"),
        (Criterion::Relative, "[% of the head job"),
    ] {
        let page = page("t", &[section(&runs("demo.swf", 1, criterion), None)]);
        assert!(page.contains(axis), "{axis}");
        roxmltree::Document::parse(&xml(&page)).expect("well-formed");
    }
}

#[test]
fn nothing_to_show_is_no_crash() {
    roxmltree::Document::parse(&xml(&page("", &[]))).expect("well-formed");
    roxmltree::Document::parse(&xml(&page("", &[section(&[], None)]))).expect("well-formed");
    let (mut run, mut summary) = runs("demo.swf", 1, Criterion::Probability).remove(1);
    run.first.jobs.clear();
    summary.calibration.clear();
    roxmltree::Document::parse(&xml(&page("", &[section(&[(run, summary)], None)]))).expect("well-formed");
}

#[test]
fn tables_compare_with_easy_and_the_paper() {
    let summaries: Vec<Summary> =
        runs("KTH-SP2-1996-2.swf", 2, Criterion::Probability).into_iter().map(|run| run.1).collect();
    let (easy, prob) = (summaries[1].mean, summaries[3].mean);
    let name = "KTH-SP2-1996-2.swf";
    let compared = Compared { trace: name.into(), policies: summaries, published: published(name) };
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
    assert!(View::Waits.table(&[], TableStyle::Markdown).is_none());
}
