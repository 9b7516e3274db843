//! `surefill serve`: bounds on waits over HTTP, for portals.

use super::Failure;
use super::predictor::{PredictorArgs, predicted};
use crate::live::portal::connections::{Listener, Place};
use crate::live::portal::{self, Settings, Shared};
use crate::report::portal::PAGES;
use anyhow::Context;
use clap::Args;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Text at the end of `serve --help`.
pub(super) fn help() -> String {
    format!(
        "{}\n\nA browser shows a page for people at /; /fragment is its part with the queues, without html and head, for a page of\n\
         others such as a widget of Open OnDemand. For programs there is JSON:\n\n  \
         * GET /api/queues    every queue: jobs that wait, clusters of like jobs and their bounds\n  \
         * GET /api/wait      one question, of queue, requested, processors, quantile, confidence, waited, within and \
         start_by; or of queue and job, as below: a job whose start is predicted (--starts) has that answer everywhere\n  \
         * GET /api/starts    when every waiting job starts, the queue played forward (--starts)\n  \
         * POST /api/wait     many such questions as a JSON list, answered in their order; at most 1,000\n  \
         * GET /health        that it serves, how old the history is, and whether that is out of date\n  \
         * GET /openapi.json  all of this for programs that write clients\n\n    \
         /api/wait?queue=batch&requested=2h&processors=64&within=30min\n    \
         /api/wait?queue=batch&job=4711\n    \
         /api/wait?queue=batch&requested=2h&processors=64&quantile=0.75&start_by=2026-12-01T08:00:00\n\n\
         All of it but the queue may be left out, and the queue too where there is only one. Spans and times are written as on\n\
         the command line; answers are in seconds. A wrong question is answered with status 400, also one with a parameter\n\
         that there is not, or 404 for a queue or job that is not there, and {{\"error\": ...}};\n\
         what is no HTTP, or too long for it, with a status alone.\n\n\
         Bounds at the quantile and confidence of this command follow their own misses by width and requested time, and with\n\
         --no-visible trim the history by them. Order statistics for other quantiles follow misses of their own, all jobs\n\
         together; none is below the one for a lower quantile that the page shows.\n\n\
         Only this computer can connect: a portal on another one needs a proxy in front. Questions to another name than\n\
         localhost or the address are refused with status 421 (a stranger's page may make its own name lead here); --host\n\
         allows the name that a proxy passes on. A connection has one question. 256 are open at a time; for further ones\n\
         the one gives way that has sent or taken nothing for longest. One is closed when its headers have not arrived in\n\
         10 seconds, when the client has taken nothing of the answer for 10 seconds, and after 30 seconds in all.\n\n\
         A unit for systemd is docs/surefill-serve.service of the sources.\n\n\
         Exit status: 0 stopped by SIGINT or SIGTERM, 1 the work failed, 2 bad usage.",
        super::predictor::HISTORIES
    )
}

/// Options of `serve`.
#[derive(Debug, Args)]
pub struct Serve {
    #[command(flatten)]
    predictor: PredictorArgs,
    /// Address and port on this computer, port 0 is any free one; or unix:PATH, a socket in the file system, whose
    /// folder's permissions say who may connect
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8750", value_parser = place, help_heading = "Server")]
    listen: Place,
    /// A further name of this computer that questions may be asked by, as behind a proxy; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    host: Vec<String>,
    /// The site's name on the page
    #[arg(long, value_name = "NAME", default_value = "", help_heading = "Server")]
    site: String,
    /// The page looks for news after each of these spans of time
    #[arg(long, value_name = "SECONDS", default_value_t = 15, help_heading = "Server",
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    refresh: u64,
    /// When every waiting job starts, the queue played forward: what "surefill advise --json" prints, or a table with
    /// the columns of "surefill start-times --jobs" for one time; read again when
    /// it has changed. Its own time says how old it is. A timer may make it: surefill advise --json > new && mv new
    /// starts.json
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    starts: Option<PathBuf>,
    /// Read history and starts again when they have changed, looking after each of these spans of time; 0 is never
    #[arg(long, value_name = "SECONDS", default_value_t = 30, help_heading = "Server")]
    reload: u64,
}

fn place(text: &str) -> Result<Place, String> {
    #[cfg(unix)]
    if let Some(path) = text.strip_prefix("unix:") {
        return if path.is_empty() {
            Err("unix: without a path".to_owned())
        } else {
            Ok(Place::Path(path.into()))
        };
    }
    text.parse::<SocketAddr>().map(Place::Address).map_err(|error| error.to_string())
}

/// When a file was changed, where that is known.
fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// Reads a file again if it has changed; a warning where that fails.
fn again<T>(
    last: &mut Option<SystemTime>,
    now: Option<SystemTime>,
    read: impl FnOnce() -> Result<T, Failure>,
    take: impl FnOnce(T),
) {
    if now.is_none() || now == *last {
        return;
    }
    match read() {
        Ok(found) => {
            take(found);
            *last = now;
        }
        Err(Failure::Usage(error)) => eprintln!("warning: {error}"),
        Err(Failure::Work(error)) => eprintln!("warning: {error:#}"),
    }
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Failure> {
        if let Place::Address(address) = &self.listen
            && !address.ip().is_loopback()
        {
            return Err(Failure::Usage(format!("{address} is not an address of this computer alone")));
        }
        // A change while it is read is seen later.
        let changed = [changed(&self.predictor.history), self.starts.as_deref().and_then(changed)];
        let starts = self.starts.as_deref().map(predicted).transpose()?;
        let shared = Shared::new(self.predictor.site()?, starts);
        let listener = Listener::new(&self.listen).with_context(|| format!("{:?}", self.listen))?;
        let url = listener.url().context("local address")?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{url}")?;
        out.flush()?;
        drop(out);
        let settings = Settings {
            name: self.site.clone(),
            hosts: self.host.clone(),
            every: self.refresh,
            now: self.predictor.fixed(),
        };
        let kept = shared.clone();
        std::thread::spawn(move || self.keep_up(&kept, changed));
        portal::serve(&listener, shared, PAGES, settings).context("serving")?;
        Ok(())
    }

    /// Moves the present on every second, and reads the files again whenever they have changed, which is looked at from
    /// time to time; as long as reading fails, answers rest on the old ones.
    fn keep_up(&self, shared: &Shared, [mut last, mut last_starts]: [Option<SystemTime>; 2]) {
        let reload = (self.reload > 0).then(|| Duration::from_secs(self.reload));
        let mut looked = Instant::now();
        loop {
            std::thread::sleep(Duration::from_secs(1));
            self.tick(shared);
            if reload.is_none_or(|every| looked.elapsed() < every) {
                continue;
            }
            looked = Instant::now();
            if let Some(path) = &self.starts {
                again(&mut last_starts, changed(path), || predicted(path), |starts| shared.predict(starts));
            }
            if !self.predictor.is_stdin() {
                let now = changed(&self.predictor.history);
                again(&mut last, now, || self.predictor.site(), |site| shared.replace(site));
            }
            self.tick(shared);
        }
    }

    fn tick(&self, shared: &Shared) {
        shared.advance(|site| self.predictor.clock(site));
    }
}
