//! The thesis's two means of sections 2.3 and 2.4: by how much one metric is above another.

use super::short;
use crate::studies::locality::binning::Binning;
use crate::studies::locality::sample::Attribute;
use crate::studies::locality::study::{Measurement, Study};
use surefill_simulator::base::statistics::mean;
use surefill_simulator::report::TableStyle as Style;
use surefill_simulator::report::grid::Grid;

/// A metric and the one that it is compared with.
const PAIRS: [(&str, Key, Key); 2] = [
    ("simple bins over k-means", (Attribute::Time, Binning::Simple), (Attribute::Time, Binning::Kmeans)),
    (
        "user and submit time over user",
        (Attribute::Both, Binning::Simple),
        (Attribute::User, Binning::Simple),
    ),
];

type Key = (Attribute, Binning);

/// The best f found here, the thesis's, and ours at the thesis's granularity.
fn metrics(measurement: &Measurement) -> [Option<f64>; 3] {
    let thesis = measurement.thesis.as_ref();
    [
        measurement.best.map(|best| best.point.locality),
        thesis.map(|thesis| thesis.published.locality),
        thesis.map(|thesis| thesis.measured.point.locality),
    ]
}

/// A row a pair and trace, and the mean over traces; `None` where no trace has both metrics of a pair.
pub(super) fn table(studies: &[Study], style: Style) -> Option<Grid> {
    let titles = ["f, above another f", "trace", "best here", "thesis", "at the thesis's granularity"];
    let mut table = style.table(titles.map(str::to_owned), 2);
    let mut rows = 0;
    for (name, one, other) in PAIRS {
        let mut columns: [Vec<f64>; 3] = Default::default();
        for study in studies {
            let of = |key: Key| {
                let mut all = study.measurements.iter();
                all.find(|measurement| (measurement.attribute, measurement.binning) == key).map(metrics)
            };
            let Some((one, other)) = of(one).zip(of(other)) else { continue };
            let changes = [0, 1, 2].map(|i| {
                one[i].zip(other[i]).filter(|pair| pair.1 > 0.0).map(|(one, other)| one / other - 1.0)
            });
            for (column, value) in columns.iter_mut().zip(changes) {
                column.extend(value);
            }
            table.add_row(
                [name.to_owned(), short(&study.trace).to_owned()].into_iter().chain(changes.map(percent)),
            );
            rows += 1;
        }
        if columns[0].len() > 1 {
            let means = columns.map(|column| percent(mean(column)));
            table.add_row([name.to_owned(), "mean".to_owned()].into_iter().chain(means));
        }
    }
    (rows > 0).then_some(table)
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{:+.1} %", value * 100.0))
}
