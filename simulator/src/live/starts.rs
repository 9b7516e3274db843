//! Files of predicted starts: what `surefill advise --json` prints, or a table with the columns of `surefill
//! start-times --jobs`. Every value is checked, and a fault is reported with its line.

pub use super::advise::starts::Starts;
use super::advise::starts::{
    Probability, Quantile, Start, checked, probability, quantiles, span, started, time,
};
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Deserializer};

/// A whole file.
#[derive(Deserialize)]
struct Document {
    #[serde(deserialize_with = "checked_time")]
    now: i64,
    starts: Vec<Start>,
}

fn checked_time<'de, D: Deserializer<'de>>(reader: D) -> Result<i64, D::Error> {
    checked(reader, time)
}

impl Starts {
    /// Reads a file of either kind.
    ///
    /// # Errors
    /// The first fault, with its line.
    pub fn read(bytes: &[u8]) -> Result<Starts> {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if matches!(first, Some(b'{' | b'[') | None) {
            Starts::of_json(bytes)
        } else {
            Starts::of_table(bytes)
        }
    }

    fn of_json(bytes: &[u8]) -> Result<Starts> {
        let Document { now, starts } = serde_json::from_slice(bytes).map_err(|error| {
            let text = error.to_string();
            let why = text.split(" at line ").next().unwrap_or_default();
            anyhow!("line {}: {why}", error.line())
        })?;
        Ok(Starts { now, starts })
    }

    /// A table with the columns `job`, `asked` (the time of the forecast, the same in all rows), `waited_so_far` and
    /// `within_at_P`; `partition`, `user` and `probability_within_S` if there are such.
    fn of_table(bytes: &[u8]) -> Result<Starts> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
        let names = reader.headers().context("line 1")?.clone();
        let columns = Columns::of(&names).context("line 1")?;
        let (mut now, mut starts) = (None, Vec::new());
        for row in reader.records() {
            let row = row?;
            let line = row.position().map_or(0, csv::Position::line);
            let (asked, start) = columns.start(&row, names.len()).with_context(|| format!("line {line}"))?;
            match now {
                Some(now) if now != asked => {
                    bail!(
                        "line {line}: asked at {asked}, and the rows before at {now}: one forecast is wanted"
                    )
                }
                _ => now = Some(asked),
            }
            starts.push(start);
        }
        let now = now.context("no row behind the names of the columns")?;
        Ok(Starts { now, starts })
    }
}

/// The places of a table's columns.
struct Columns {
    job: usize,
    asked: usize,
    waited: usize,
    partition: Option<usize>,
    user: Option<usize>,
    levels: Vec<(f64, usize)>,
    spans: Vec<(i64, usize)>,
}

impl Columns {
    fn of(names: &csv::StringRecord) -> Result<Columns> {
        let place = |name: &str| names.iter().position(|own| own.trim() == name);
        let needed = |name: &str| {
            let all = names.iter().collect::<Vec<_>>().join(", ");
            place(name).with_context(|| format!("no column {name} among {all}"))
        };
        let numbered = |front: &str| -> Vec<(String, usize)> {
            let named =
                |(place, name): (usize, &str)| Some((name.trim().strip_prefix(front)?.to_owned(), place));
            names.iter().enumerate().filter_map(named).collect()
        };
        let mut levels = Vec::new();
        for (level, place) in numbered("within_at_") {
            let level = level.parse().map_err(|_| anyhow!("within_at_{level}: no probability"))?;
            levels.push((probability(level).map_err(|why| anyhow!(why))?, place));
        }
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));
        if levels.is_empty() {
            needed("within_at_0.5")?;
        }
        let mut spans = Vec::new();
        for (within, place) in numbered("probability_within_") {
            let seconds = within.parse().map_err(|_| anyhow!("probability_within_{within}: no seconds"))?;
            spans.push((span(seconds).map_err(|why| anyhow!(why))?, place));
        }
        Ok(Columns {
            job: needed("job")?,
            asked: needed("asked")?,
            waited: needed("waited_so_far")?,
            partition: place("partition"),
            user: place("user"),
            levels,
            spans,
        })
    }

    /// The time of the forecast, and the start in a row.
    fn start(&self, row: &csv::StringRecord, columns: usize) -> Result<(i64, Start)> {
        if row.len() != columns {
            bail!("{} fields, and {columns} columns", row.len());
        }
        let text = |place: usize| row.get(place).unwrap_or_default().trim();
        let seconds = |place: usize, what: &str| -> Result<i64> {
            text(place)
                .parse()
                .map_err(|_| anyhow!("{what} is no whole number of seconds: \"{}\"", text(place)))
        };
        let fault = |why: String| anyhow!(why);
        let mut levels = Vec::new();
        // One without a prediction has empty fields.
        for &(probability, place) in self.levels.iter().filter(|(_, place)| !text(*place).is_empty()) {
            levels.push(Quantile { probability, within: seconds(place, "a quantile")? });
        }
        let mut chances = Vec::new();
        for &(within, place) in self.spans.iter().filter(|(_, place)| !text(*place).is_empty()) {
            let number = text(place).parse();
            let probability = number.map_err(|_| anyhow!("no probability: \"{}\"", text(place)))?;
            chances.push(Probability { within, probability });
        }
        let named = |place: Option<usize>| place.map(text).unwrap_or_default().to_owned();
        let start = Start {
            job: text(self.job).to_owned(),
            user: named(self.user),
            partition: named(self.partition),
            waited: span(seconds(self.waited, "the wait")?).map_err(fault)?,
            tasks: 1,
            at_once: None,
            quantiles: quantiles(levels).map_err(fault)?,
            last: Vec::new(),
            started: started(chances).map_err(fault)?,
            calibrated_by: 0,
            since: None,
            note: None,
        };
        Ok((time(seconds(self.asked, "the time of the forecast")?).map_err(fault)?, start))
    }
}
