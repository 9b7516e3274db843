//! `surefill serve`: bounds on waits over HTTP, for portals.

use super::Failure;
use super::predictor::PredictorArgs;
use crate::live::portal::{self, Shared};
use crate::report::waits::portal::page;
use anyhow::Context;
use clap::Args;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, SystemTime};

/// What ends `serve --help`.
pub(super) fn help() -> String {
    format!(
        "{}\n\nGET / is a page for people. For programs, JSON:\n\n    \
         GET /api/queues    every queue: jobs that wait, clusters of like jobs and their bounds\n    \
         GET /api/wait?queue=batch&requested=7200&processors=64&quantile=.95&confidence=.95&waited=0&within=1800\n    \
         GET /api/wait?queue=batch&job=4711\n\n\
         All of it but the queue may be left out, and the queue too where there is only one. Times are in seconds. A wrong\n\
         question is answered with status 400, or 404 for a queue or job that is not there, and {{\"error\": ...}}.\n\n\
         Only bounds at the quantile and confidence of this command follow their own misses and trim their history by them:\n\
         others come from that history and may contradict them.\n\n\
         Only this computer can connect: a portal on another one needs a proxy in front.\n\n\
         Exit status: 0 stopped by SIGINT or SIGTERM, 1 the work failed, 2 bad usage.",
        super::predictor::HISTORIES
    )
}

/// Options of `serve`.
#[derive(Debug, Args)]
pub struct Serve {
    #[command(flatten)]
    predictor: PredictorArgs,
    /// Address and port on this computer; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8750", help_heading = "Server")]
    listen: SocketAddr,
    /// Read the history again when it has changed, looking every so many seconds; 0 is never
    #[arg(long, value_name = "SECONDS", default_value_t = 30, help_heading = "Server")]
    reload: u64,
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Failure> {
        if !self.listen.ip().is_loopback() {
            return Err(Failure::Usage(format!("{} is not an address of this computer alone", self.listen)));
        }
        // A change while it is read is seen later.
        let changed = self.changed();
        let shared = Shared::new(self.predictor.site()?);
        let listener = TcpListener::bind(self.listen).with_context(|| self.listen.to_string())?;
        let address = listener.local_addr().context("local address")?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "http://{address}/")?;
        out.flush()?;
        drop(out);
        if self.reload > 0 && !self.predictor.is_stdin() {
            let shared = shared.clone();
            std::thread::spawn(move || self.keep_up(&shared, changed));
        } else if self.predictor.clock(false).is_some() {
            let shared = shared.clone();
            std::thread::spawn(move || self.keep_time(&shared));
        }
        portal::serve(listener, shared, page).context("serving")?;
        Ok(())
    }

    fn changed(&self) -> Option<SystemTime> {
        std::fs::metadata(&self.predictor.history).and_then(|data| data.modified()).ok()
    }

    /// Reads the history again whenever it has changed; as long as that fails, answers rest on the old one.
    fn keep_up(&self, shared: &Shared, mut last: Option<SystemTime>) {
        loop {
            std::thread::sleep(Duration::from_secs(self.reload));
            let changed = self.changed();
            if changed.is_some() && changed != last {
                match self.predictor.site() {
                    Ok(site) => {
                        shared.replace(site);
                        last = changed;
                    }
                    Err(Failure::Usage(error)) => eprintln!("warning: {error}"),
                    Err(Failure::Work(error)) => eprintln!("warning: {error:#}"),
                }
            }
            self.tick(shared);
        }
    }

    fn keep_time(&self, shared: &Shared) {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            self.tick(shared);
        }
    }

    fn tick(&self, shared: &Shared) {
        if let Some(now) = self.predictor.clock(shared.dates()) {
            shared.advance(now);
        }
    }
}
