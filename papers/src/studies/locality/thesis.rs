//! Tables 2.1, 2.2 and 2.3 of Nissimov 2006: the numbers to stand beside ours. SDSC Paragon 1995 is not among them: the
//! trace could not be had.

use super::binning::{Binning, Granularity};
use super::sample::Attribute;
use serde::{Deserialize, Serialize};

const MIN: i64 = 60;
const HOUR: i64 = 60 * MIN;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;
/// The thesis's "1m".
const MONTH: i64 = 30 * DAY;

/// The thesis's best granularity for one trace, attribute and binning.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The table it stands in.
    #[serde(deserialize_with = "table")]
    pub table: Table,
    /// t_s, in seconds.
    pub slot_s: Option<i64>,
    /// t_r or N.
    #[serde(flatten)]
    pub granularity: Granularity,
    /// N.
    pub bins: u32,
    /// f, in bits.
    pub locality: f64,
}

/// A table's number. By another name than a reference's, for which serde would want a text that lives as long.
type Table = &'static str;

/// The tables.
const TABLES: [Table; 3] = ["2.1", "2.2", "2.3"];

/// Reads a table's number.
fn table<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Table, D::Error> {
    let text = String::deserialize(from)?;
    let known = TABLES.into_iter().find(|table| *table == text);
    known.ok_or_else(|| serde::de::Error::custom(format!("'{text}' is no table of the thesis")))
}

/// One trace's rows.
struct Rows {
    /// Beginning of file names of this trace.
    prefix: &'static str,
    /// Table 2.1: t_s, N, f(s, r).
    kmeans: (i64, u32, f64),
    /// Table 2.2: t_s, t_r, N, f(s, r).
    simple: (i64, f64, u32, f64),
    /// Table 2.3: t_r, N, f(u, r).
    user: (f64, u32, f64),
    /// Table 2.3: t_s, t_r, N, f((s, u), r).
    both: (i64, f64, u32, f64),
    /// Table 2.3: f(s; r|u).
    given_user: f64,
}

const ROWS: [Rows; 5] = [
    Rows {
        prefix: "SDSC-Par-1996",
        kmeans: (6 * HOUR, 22, 0.78),
        simple: (6 * HOUR, 1.49, 33, 0.85),
        user: (1.04, 332, 1.03),
        both: (WEEK, 1.2, 72, 1.47),
        given_user: 0.44,
    },
    Rows {
        prefix: "LANL-CM5",
        kmeans: (12 * HOUR, 100, 0.41),
        simple: (6 * HOUR, 1.2, 68, 0.45),
        user: (1.044, 288, 0.69),
        both: (WEEK, 1.3, 48, 0.97),
        given_user: 0.28,
    },
    Rows {
        prefix: "SDSC-SP2",
        kmeans: (2 * HOUR, 28, 0.85),
        simple: (3 * HOUR, 1.25, 59, 0.94),
        user: (1.057, 238, 1.27),
        both: (2 * WEEK, 1.18, 80, 1.52),
        given_user: 0.25,
    },
    Rows {
        prefix: "SDSC-BLUE",
        kmeans: (HOUR, 55, 0.65),
        simple: (2 * HOUR, 1.19, 77, 0.68),
        user: (1.027, 501, 1.11),
        both: (MONTH, 1.08, 174, 1.45),
        given_user: 0.34,
    },
    Rows {
        prefix: "CTC-SP2",
        kmeans: (40 * MIN, 32, 0.72),
        simple: (HOUR, 1.3, 43, 0.77),
        user: (1.06, 192, 1.22),
        both: (2 * WEEK, 1.24, 52, 1.43),
        given_user: 0.21,
    },
];

fn rows(file_name: &str) -> Option<&'static Rows> {
    ROWS.iter().find(|rows| file_name.starts_with(rows.prefix))
}

/// The thesis's best for a trace, recognised by the start of its file name without folders.
pub fn published(file_name: &str, attribute: Attribute, binning: Binning) -> Option<Published> {
    let rows = rows(file_name)?;
    let row = |table, slot_s, ratio, bins, locality| Published {
        table,
        slot_s,
        granularity: Granularity::Ratio(ratio),
        bins,
        locality,
    };
    match (attribute, binning) {
        (Attribute::Time, Binning::Kmeans) => {
            let (slot, bins, locality) = rows.kmeans;
            let granularity = Granularity::Means(bins);
            Some(Published { table: "2.1", slot_s: Some(slot), granularity, bins, locality })
        }
        (Attribute::Time, Binning::Simple) => {
            let (slot, ratio, bins, locality) = rows.simple;
            Some(row("2.2", Some(slot), ratio, bins, locality))
        }
        (Attribute::User, Binning::Simple) => {
            let (ratio, bins, locality) = rows.user;
            Some(row("2.3", None, ratio, bins, locality))
        }
        (Attribute::Both, Binning::Simple) => {
            let (slot, ratio, bins, locality) = rows.both;
            Some(row("2.3", Some(slot), ratio, bins, locality))
        }
        (Attribute::User | Attribute::Both, Binning::Kmeans) => None,
    }
}

/// The thesis's f(s; r|u), in bits.
pub fn given_user(file_name: &str) -> Option<f64> {
    rows(file_name).map(|rows| rows.given_user)
}
