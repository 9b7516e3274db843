//! Ended jobs to learn from, of a file in any format that is read.

use super::file;
use super::source::Source;
use crate::cli::Failure;
use crate::live::advise::past::{self, History};
use crate::live::advise::read::{Listing, Past};
use crate::trace::remarks::remarks;
use anyhow::Context;
use jiff::tz::TimeZone;
use std::path::Path;

/// Reads them; what the importer remarks is among the remarks. Dates that name no zone are of this one, unless the
/// options say another.
///
/// # Errors
/// A file that cannot be read, or of which too much is lost.
pub fn ended(path: &Path, source: &Source, zone: Option<TimeZone>) -> Result<Listing<Past>, Failure> {
    file::reads(path).map_err(|error| Failure::Usage(format!("{error:#}")))?;
    let name = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| name.clone())?;
    let mut reading = source.reading();
    reading.clock.zone = reading.clock.zone.or(zone);
    let History { mut listing, imported } = past::read(&bytes, &name, &reading)?;
    if let Some(mut trace) = imported {
        source.enough(&name, listing.found.len(), &trace.problems)?;
        // Wrong lines are said as those of every listing are.
        trace.problems.clear();
        let imported = remarks(&trace, true).into_iter().map(|remark| format!("{name}: {remark}"));
        listing.remarks = imported.chain(listing.remarks).collect();
    }
    Ok(listing)
}
