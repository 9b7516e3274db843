//! The present state, shared by the threads that answer and the one that keeps it up to date; and the page drawn of
//! it a moment ago.

use super::{Settings, View};
use crate::live::site::{QueueState, Site};
use crate::live::starts::Starts;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use surefill::error::Error as CoreError;

/// Time for which a drawn page is shown again: clients that all ask at once cost one drawing.
const KEPT: Duration = Duration::from_secs(1);

/// The present state.
pub(super) struct Known {
    pub(super) site: Site,
    /// When its history was read.
    pub(super) read: Instant,
    /// When waiting jobs start, where that is predicted.
    pub(super) starts: Option<Starts>,
    drawn: Option<Drawn>,
}

/// All queues, and the part of the page that shows them.
#[derive(Clone)]
pub(super) struct Drawn {
    at: Instant,
    pub(super) queues: Arc<[QueueState]>,
    pub(super) live: Arc<str>,
}

impl Known {
    /// The state that pages are drawn from.
    pub(super) fn view<'a>(&'a self, queues: &'a [QueueState], settings: &'a Settings) -> View<'a> {
        View {
            site: &self.site,
            name: &settings.name,
            queues,
            read: self.read.elapsed(),
            every: settings.every,
            starts: self.starts.as_ref().map(|starts| (starts, settings.since(starts.now))),
        }
    }

    /// The queues and what shows them, as they were a moment ago or anew.
    ///
    /// # Errors
    /// Those of the predictors.
    pub(super) fn drawn(
        &mut self,
        draw: fn(&View<'_>) -> String,
        settings: &Settings,
    ) -> Result<Drawn, CoreError> {
        if let Some(drawn) = self.drawn.as_ref().filter(|drawn| drawn.at.elapsed() < KEPT) {
            return Ok(drawn.clone());
        }
        let queues: Arc<[QueueState]> = self.site.queues()?.into();
        let live = draw(&self.view(&queues, settings)).into();
        let drawn = Drawn { at: Instant::now(), queues, live };
        self.drawn = Some(drawn.clone());
        Ok(drawn)
    }
}

impl Settings {
    /// Seconds since a time on this computer's clock, or on the one that stands for it; below 0 for a time to come.
    pub(super) fn since(&self, time: i64) -> i64 {
        let clock = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
        };
        self.now.unwrap_or_else(clock).saturating_sub(time)
    }
}

/// The state that several threads share.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<Known>>);

impl Shared {
    /// Shares a site whose history has just been read.
    pub fn new(site: Site, starts: Option<Starts>) -> Shared {
        Shared(Arc::new(Mutex::new(Known { site, read: Instant::now(), starts, drawn: None })))
    }

    /// Another site takes its place.
    pub fn replace(&self, site: Site) {
        let mut known = self.lock();
        (known.site, known.read, known.drawn) = (site, Instant::now(), None);
    }

    /// The starts of waiting jobs are predicted anew.
    pub fn predict(&self, starts: Starts) {
        let mut known = self.lock();
        (known.starts, known.drawn) = (Some(starts), None);
    }

    /// Time goes on, to the present that the site has by now, if that moves.
    pub fn advance(&self, present: impl FnOnce(&Site) -> Option<i64>) {
        let mut known = self.lock();
        if let Some(now) = present(&known.site).filter(|&now| now > known.site.now()) {
            known.site.advance(now);
            known.drawn = None;
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Known> {
        // No question changes a site, so one that failed has left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
