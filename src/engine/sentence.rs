//! A reason in words, the same for every shell.

use super::delayed::Delayed;
use super::digits::{write_digits, write_number};
use super::job::Why;
use super::reason::Reason;
use crate::backfill::Criterion;
use core::fmt;

/// The names of things in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names<'a> {
    /// Name of the units of a pool.
    pub units: &'a str,
    /// Name of the job [`Reason::head`]; empty for "job" and its number.
    pub head: &'a str,
}

impl Default for Names<'_> {
    /// "processors", and jobs by their numbers.
    fn default() -> Self {
        Names { units: "processors", head: "" }
    }
}

/// The seconds of a minute, an hour and a day.
const MINUTE: u64 = 60;
const HOUR: u64 = 3600;
const DAY: u64 = 86_400;

/// A sentence in the making.
struct Sentence<'s, W> {
    reason: &'s Reason,
    names: &'s Names<'s>,
    out: &'s mut W,
}

impl<W: fmt::Write> Sentence<'_, W> {
    fn text(&mut self, parts: &[&str]) -> fmt::Result {
        parts.iter().try_for_each(|part| self.out.write_str(part))
    }

    fn number(&mut self, number: u64) -> fmt::Result {
        write_digits(self.out, number, 1)
    }

    /// A span of time in its two largest units, rounded down: "2 h 10 min", "40 s".
    fn span(&mut self, seconds: i64) -> fmt::Result {
        let seconds = seconds.max(0) as u64;
        let (large, unit, rest, smaller) = match seconds {
            DAY.. => (seconds / DAY, " d", seconds % DAY / HOUR, " h"),
            HOUR.. => (seconds / HOUR, " h", seconds % HOUR / MINUTE, " min"),
            MINUTE.. => (seconds / MINUTE, " min", 0, ""),
            _ => (seconds, " s", 0, ""),
        };
        self.number(large)?;
        self.text(&[unit])?;
        if rest > 0 {
            self.text(&[" "])?;
            self.number(rest)?;
            self.text(&[smaller])?;
        }
        Ok(())
    }

    /// An amount of waiting with one digit behind the point: "3.1 h", "12.0 min".
    fn amount(&mut self, seconds: u64) -> fmt::Result {
        let (unit, name) = match seconds {
            DAY.. => (DAY, " d"),
            HOUR.. => (HOUR, " h"),
            MINUTE.. => (MINUTE, " min"),
            _ => {
                self.number(seconds)?;
                return self.text(&[" s"]);
            }
        };
        let tenths = seconds.saturating_mul(10).saturating_add(unit / 2) / unit;
        self.number(tenths / 10)?;
        self.text(&["."])?;
        self.number(tenths % 10)?;
        self.text(&[name])
    }

    /// Time until something comes.
    fn within(&mut self, when: i64) -> fmt::Result {
        self.span(when.saturating_sub(self.reason.now))
    }

    fn head(&mut self) -> fmt::Result {
        if self.names.head.is_empty() {
            self.text(&["job "])?;
            if self.reason.head < 0 {
                self.text(&["-"])?;
            }
            return self.number(self.reason.head.unsigned_abs());
        }
        self.text(&[self.names.head])
    }

    /// The time until its start: as it was reported to people, so that they hear one answer, else as it is planned.
    fn starts(&mut self, planned: &str) -> fmt::Result {
        let &Reason { now, start, expected, .. } = self.reason;
        let (how, start) = match expected.filter(|&expected| expected > now) {
            Some(expected) => ("expected in ", Some(expected)),
            None => ("planned in ", start),
        };
        match start {
            Some(start) => {
                self.text(&[how])?;
                self.within(start)
            }
            None => self.text(&[planned]),
        }
    }

    /// Adds the start behind another sentence.
    fn and_planned(&mut self) -> fmt::Result {
        let &Reason { now, start, expected, .. } = self.reason;
        if start.max(expected).is_none_or(|start| start <= now) {
            return Ok(());
        }
        self.text(&["; "])?;
        self.starts("")
    }

    fn no_room(&mut self) -> fmt::Result {
        let &Reason { idle, units, wanted, .. } = self.reason;
        self.text(&["no room: "])?;
        self.number(idle.into())?;
        self.text(&[" of "])?;
        self.number(units.into())?;
        let are = if idle == 1 { " is idle" } else { " are idle" };
        self.text(&[" ", self.names.units, are])?;
        if wanted > idle {
            self.text(&[", it wants "])?;
            return self.number(wanted.into());
        }
        self.text(&[", but not as it wants them"])
    }

    fn later(&mut self) -> fmt::Result {
        self.starts("planned for later")?;
        // Where others would gain as well, it waits only for a job that must not be delayed.
        let Some(price) = self.reason.price.filter(|price| price.others >= 0) else {
            if self.reason.head == 0 {
                return self.text(&[": starting it now would cost others more"]);
            }
            self.text(&[": what is idle is kept for "])?;
            return self.head();
        };
        self.text(&[": starting it now would cost others "])?;
        self.amount(price.others.unsigned_abs())?;
        self.text(&[" of waiting and save it "])?;
        self.amount(price.saved.into())
    }

    fn refused(&mut self) -> fmt::Result {
        self.text(&["refused by the manager"])?;
        match self.reason.until {
            Some(until) => {
                self.text(&[": offered again in "])?;
                self.within(until)?;
            }
            None => self.text(&[": offered again when its limit, size, request or queue changes"])?,
        }
        self.and_planned()
    }

    fn guarded(&mut self) -> fmt::Result {
        if self.reason.head == 0 {
            return self.text(&["starting it now could delay others that must not be delayed"]);
        }
        self.text(&["starting it now could delay "])?;
        self.head()?;
        self.text(&[", which must not be delayed"])?;
        self.and_planned()
    }

    /// A delay beyond the allowed one, with as many digits as it takes to tell them apart; then the allowed one. Both
    /// are rounded down, so that the first is never said to be more than it is.
    fn beyond(&mut self, delayed: &Delayed, scale: f64, unit: &str, by: &str) -> fmt::Result {
        let most = 1e12;
        let allowed = libm::round((delayed.allowed * scale).clamp(0.0, most) * 1e9) / 1e9;
        let delay = (delayed.delay * scale).clamp(0.0, most);
        let (mut said, mut power, mut more) = (allowed, 1.0, delay > allowed && !delayed.at_least);
        for _ in 0..10 {
            let rounded = libm::trunc(delay * power) / power;
            if rounded > allowed {
                (said, more) = (rounded, false);
                break;
            }
            if rounded == allowed && delayed.at_least {
                break;
            }
            power *= 10.0;
        }
        self.text(&[if more { "more than " } else { "" }])?;
        write_number(self.out, said)?;
        self.text(&[unit, by, if delayed.at_least { " or more" } else { "" }, "; less than "])?;
        write_number(self.out, allowed)?;
        self.text(&[unit, " is allowed"])
    }

    fn delays(&mut self) -> fmt::Result {
        let Some(delayed) = self.reason.delayed else { return self.guarded() };
        self.text(&["starting it now would delay "])?;
        if self.reason.head == 0 {
            self.text(&["the first in line"])?;
        } else {
            self.head()?;
        }
        match delayed.criterion {
            Criterion::Probability | Criterion::Bound => {
                self.text(&[" with probability "])?;
                self.beyond(&delayed, 100.0, " %", "")
            }
            Criterion::Seconds => {
                self.text(&[" by "])?;
                self.beyond(&delayed, 1.0, " s", " on average")
            }
            Criterion::Relative => {
                self.text(&[" by "])?;
                self.beyond(&delayed, 100.0, " %", " of its remaining wait on average")
            }
        }
    }

    fn first(&mut self) -> fmt::Result {
        self.text(&["first in line, "])?;
        self.no_room()?;
        self.and_planned()?;
        let Some(latest) = self.reason.by_limits.filter(|&latest| latest > self.reason.now) else {
            return Ok(());
        };
        self.text(&["; by the time limits of those that run in "])?;
        self.within(latest)
    }

    fn never(&mut self) -> fmt::Result {
        let &Reason { wanted, units, .. } = self.reason;
        if wanted > units {
            self.text(&["never: it wants "])?;
            self.number(wanted.into())?;
            self.text(&[" ", self.names.units, ", there are "])?;
            return self.number(units.into());
        }
        self.text(&["never: there are no nodes such as it wants"])
    }

    /// Writes a sentence with the end of the reason.
    fn until(&mut self, said: &str, comes: &str) -> fmt::Result {
        self.text(&[said])?;
        let Some(until) = self.reason.until.filter(|&until| until > self.reason.now) else { return Ok(()) };
        self.text(&[comes])?;
        self.within(until)
    }

    fn write(&mut self) -> fmt::Result {
        match self.reason.why {
            Why::Unknown => self.text(&["not decided yet"]),
            Why::InOrder | Why::Planned | Why::ByLimits | Why::ByDelay => self.text(&["starts now"]),
            Why::NoRoom => {
                self.no_room()?;
                self.and_planned()
            }
            Why::Head => self.first(),
            Why::Later => self.later(),
            Why::Guarded => self.guarded(),
            Why::Delays => self.delays(),
            Why::Refused => self.refused(),
            Why::Inconsistent => {
                self.text(&["jobs hold more than there is: nobody passes the first in line"])?;
                self.and_planned()
            }
            Why::Never => self.never(),
            Why::NodesOut => self.text(&["what it needs is out of service"]),
            Why::Reserved => self.until("reservations keep it off its nodes", ": its own begins in "),
            Why::Licences => {
                self.text(&["the licences that it wants are in use, or are fewer than it wants"])?;
                self.and_planned()
            }
            Why::Depth => self.text(&["what is idle goes to those before it"]),
            Why::Hold => self.text(&["held by the manager"]),
            Why::Dependency => self.text(&["held by the manager: dependency"]),
            Why::Begin => self.until("its begin time has not come", ": it does in "),
            Why::Limit => self.text(&["held by the manager: a limit"]),
            Why::Deadline => self.text(&["held by the manager: its deadline"]),
            Why::QueueClosed => self.text(&["held by the manager: its queue is closed"]),
            Why::Other => self.text(&["held by the manager: another reason"]),
            Why::Array => self.text(&["held by the manager: enough tasks of its array run"]),
        }
    }
}

impl Reason {
    /// Writes the reason as one sentence without a full stop, such as "planned in 2 h 10 min: starting it now would
    /// cost others 3.1 h of waiting and save it 2.2 h". Spans are those from [`Reason::now`] on.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, names: &Names<'_>, out: &mut impl fmt::Write) -> fmt::Result {
        Sentence { reason: self, names, out }.write()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(&Names::default(), f)
    }
}
