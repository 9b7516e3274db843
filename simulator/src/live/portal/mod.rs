//! The answers of [`super::site`] over HTTP: JSON for programs, a page for people that keeps itself up to date.
//!
//! * [`connections`]: where to listen, and how connections are limited.
//! * `openapi.json`: the interface for programs, which the service also tells.
//!
//! Only names that are this computer's, or that are allowed by name, are answered: a page of another site whose name is
//! made to lead here (DNS rebinding) gets nothing.

pub mod connections;

use super::advise::forecast::{Start, Starts};
use super::site::{Answer, AskError, Question, QueueState, Site};
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use connections::Listener;
use serde::Deserialize;
use serde_json::json;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The most questions of one POST.
pub const MOST_QUESTIONS: usize = 1000;
/// The longest body, in bytes.
const LONGEST_BODY: usize = 1 << 20;

/// What a visitor asked about a job of the own, and the answer.
pub struct Asked {
    /// The question.
    pub question: Question,
    /// The answer, or why there is none.
    pub answer: Result<Answer, AskError>,
}

/// What a page for people is drawn from.
pub struct View<'a> {
    /// The site.
    pub site: &'a Site,
    /// Its name.
    pub name: &'a str,
    /// All queues.
    pub queues: &'a [QueueState],
    /// How long ago the history was read.
    pub read: Duration,
    /// Seconds between two looks.
    pub every: u64,
    /// The visitor's own job.
    pub asked: Option<&'a Asked>,
    /// When waiting jobs start, where that is foretold, and how long ago that was.
    pub starts: Option<(&'a Starts, Duration)>,
}

/// Draws a page for people.
pub type Page = fn(&View<'_>) -> String;

/// How the service presents itself.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The site's name on the page.
    pub name: String,
    /// Names of this computer in questions, beside localhost and its address.
    pub hosts: Vec<String>,
    /// Seconds between two looks of the page.
    pub every: u64,
}

/// What is known at present.
struct Known {
    site: Site,
    /// When its history was read.
    read: Instant,
    /// When waiting jobs start, where that is foretold, and when it was.
    starts: Option<Foretold>,
}

/// When waiting jobs start, and when that was said, by the system's clock: Slurm's may be another one.
pub type Foretold = (Starts, SystemTime);

/// How long ago that was; none for what seems to come from the future.
fn ago(told: SystemTime) -> Duration {
    told.elapsed().unwrap_or_default()
}

/// What several threads look at.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<Known>>);

impl Shared {
    /// Shares a site whose history has just been read.
    pub fn new(site: Site, starts: Option<Foretold>) -> Shared {
        Shared(Arc::new(Mutex::new(Known { site, read: Instant::now(), starts })))
    }

    /// Another site takes its place.
    pub fn replace(&self, site: Site) {
        let mut known = self.lock();
        (known.site, known.read) = (site, Instant::now());
    }

    /// The starts of waiting jobs are foretold anew.
    pub fn foretell(&self, foretold: Foretold) {
        self.lock().starts = Some(foretold);
    }

    /// Time goes on.
    pub fn advance(&self, now: i64) {
        self.lock().site.advance(now);
    }

    /// Whether its history has dates.
    pub fn dates(&self) -> bool {
        self.lock().site.dates()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // No question changes a site, so one that failed has left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What every answer needs.
#[derive(Clone)]
struct Service {
    shared: Shared,
    page: Page,
    settings: Arc<Settings>,
}

/// Answers on this listener, with this page for people, until the program is told to end.
///
/// # Errors
/// When it cannot listen.
pub fn serve(listener: &Listener, shared: Shared, page: Page, settings: Settings) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let hosts = listener.address().map(|address| Hosts::new(address.ip(), &settings.hosts));
    let router = router(Service { shared, page, settings: Arc::new(settings) }, hosts);
    runtime.block_on(async {
        // An open connection does not keep the program from ending.
        tokio::select! {
            served = connections::serve(listener, &router) => served,
            ended = told_to_end() => ended,
        }
    })
}

/// Waits for the signals by which programs are ended from a terminal and by service managers.
#[cfg(unix)]
async fn told_to_end() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn told_to_end() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// The names by which this computer is asked.
struct Hosts(Vec<String>);

impl Hosts {
    fn new(address: IpAddr, more: &[String]) -> Hosts {
        let address = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let own = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into_iter().chain([address]);
        Hosts(own.chain(more.iter().map(|name| name.to_ascii_lowercase())).collect())
    }

    /// Whether a request's host is one of them, on whatever port.
    fn know(&self, host: Option<&HeaderValue>) -> bool {
        let Some(authority) = host.and_then(|host| host.to_str().ok()?.parse::<Authority>().ok()) else {
            return false;
        };
        // The name, and a port that is a number or none: no user before the name.
        let port = authority.as_str().strip_prefix(authority.host());
        let plain = port.is_some_and(|port| {
            port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
        });
        plain && self.0.contains(&authority.host().to_ascii_lowercase())
    }
}

fn router(service: Service, hosts: Option<Hosts>) -> Router {
    let routes = Router::new()
        .route("/", get(front))
        .route("/ask", get(ask))
        .route("/live.js", get(script))
        .route("/health", get(health))
        .route("/openapi.json", get(openapi))
        .route("/api/queues", get(queues))
        .route("/api/wait", get(wait).post(waits))
        .route("/api/starts", get(starts))
        .fallback(|| async {
            failure(
                StatusCode::NOT_FOUND,
                "there are /, /ask, /health, /openapi.json, /api/queues, /api/wait and /api/starts",
            )
        })
        .method_not_allowed_fallback(|| async {
            failure(StatusCode::METHOD_NOT_ALLOWED, "GET everywhere, POST for /api/wait alone")
        })
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .with_state(service);
    match hosts {
        // Who may open a socket in the file system is no stranger's page.
        None => routes,
        Some(hosts) => {
            let hosts = Arc::new(hosts);
            routes.layer(middleware::from_fn(move |request: Request, next: Next| {
                let known = hosts.know(request.headers().get(header::HOST));
                async move {
                    if known {
                        next.run(request).await
                    } else {
                        failure(StatusCode::MISDIRECTED_REQUEST, "this service has another name: see --host")
                    }
                }
            }))
        }
    }
}

fn failure(status: StatusCode, error: &str) -> Response {
    (status, Json(json!({ "error": error }))).into_response()
}

/// An answer that holds for now only.
fn fresh(answer: impl IntoResponse) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], answer).into_response()
}

fn status(error: &AskError) -> StatusCode {
    match error {
        AskError::NoQueue(..) | AskError::NoJob(..) => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    }
}

async fn wait(State(service): State<Service>, question: Result<Query<Question>, QueryRejection>) -> Response {
    let Query(question) = match question {
        Ok(question) => question,
        Err(rejection) => return failure(StatusCode::BAD_REQUEST, &rejection.body_text()),
    };
    match service.shared.lock().site.ask(&question) {
        Ok(answer) => fresh(Json(answer)),
        Err(error) => failure(status(&error), &error.to_string()),
    }
}

/// Many questions at once: each has its own answer or error, in their order.
async fn waits(
    State(service): State<Service>,
    questions: Result<Json<Vec<Question>>, JsonRejection>,
) -> Response {
    let Json(questions) = match questions {
        Ok(questions) => questions,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    if questions.len() > MOST_QUESTIONS {
        let error = format!("{} questions, and {MOST_QUESTIONS} at most", questions.len());
        return failure(StatusCode::PAYLOAD_TOO_LARGE, &error);
    }
    let site = &mut service.shared.lock().site;
    let answers: Vec<serde_json::Value> = questions
        .iter()
        .map(|question| match site.ask(question) {
            Ok(answer) => json!(answer),
            Err(error) => json!({ "error": error.to_string(), "status": status(&error).as_u16() }),
        })
        .collect();
    fresh(Json(answers))
}

/// When every waiting job starts; whose they are is not said, as nowhere else.
async fn starts(State(service): State<Service>) -> Response {
    match &service.shared.lock().starts {
        Some((starts, told)) => {
            let start = |start: &Start| {
                json!({
                    "job": start.job,
                    "partition": start.partition,
                    "waited": start.waited,
                    "tasks": start.tasks,
                    "at_once": start.at_once,
                    "quantiles": start.quantiles,
                    "last": start.last,
                    "started": start.started,
                    "calibrated_by": start.calibrated_by,
                })
            };
            fresh(Json(json!({
                "now": starts.now,
                "told_s_ago": ago(*told).as_secs(),
                "starts": starts.starts.iter().map(start).collect::<Vec<_>>(),
            })))
        }
        None => failure(StatusCode::NOT_FOUND, "no starts are foretold here: see --starts"),
    }
}

async fn queues(State(service): State<Service>) -> Response {
    let Known { site, read, .. } = &mut *service.shared.lock();
    let (now, last, options) = (site.now(), site.last(), *site.options());
    match site.queues() {
        Ok(queues) => fresh(Json(json!({
            "surefill": env!("CARGO_PKG_VERSION"),
            "site": service.settings.name,
            "now": now,
            "history": { "last": last, "read_s_ago": read.elapsed().as_secs() },
            "quantile": options.quantile,
            "confidence": options.confidence,
            "queues": queues,
        }))),
        Err(error) => failure(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

async fn health(State(service): State<Service>) -> Response {
    let Known { site, read, .. } = &*service.shared.lock();
    fresh(Json(json!({
        "status": "ok",
        "surefill": env!("CARGO_PKG_VERSION"),
        "now": site.now(),
        "history": { "last": site.last(), "read_s_ago": read.elapsed().as_secs() },
    })))
}

async fn openapi() -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, include_str!("openapi.json")).into_response()
}

async fn script() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];
    (kind, include_str!("live.js")).into_response()
}

/// What the page's form sends; it may have been typed by hand, and what is left out is 0.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Form {
    queue: Option<String>,
    processors: String,
    hours: String,
    minutes: String,
}

impl Form {
    fn question(&self) -> (Question, Option<AskError>) {
        let mut wrong = None;
        let mut number = |text: &str, what: &'static str| match text.trim() {
            "" => 0,
            text => text.parse::<u32>().unwrap_or_else(|_| {
                wrong.get_or_insert(AskError::OutOfRange(what));
                0
            }),
        };
        let processors = number(&self.processors, "the number of processors is");
        let (hours, minutes) =
            (number(&self.hours, "the hours are"), number(&self.minutes, "the minutes are"));
        let requested = 3600 * i64::from(hours) + 60 * i64::from(minutes);
        (Question { queue: self.queue.clone(), requested, processors, ..Question::default() }, wrong)
    }
}

async fn ask(State(service): State<Service>, form: Result<Query<Form>, QueryRejection>) -> Response {
    // A query that cannot be read, as with bytes that are no text, asks for nothing.
    let (question, wrong) = form.map(|Query(form)| form).unwrap_or_default().question();
    let answer = match wrong {
        Some(wrong) => Err(wrong),
        None => service.shared.lock().site.ask(&question),
    };
    let status = answer.as_ref().err().map_or(StatusCode::OK, status);
    draw(&service, status, Some(&Asked { question, answer }))
}

async fn front(State(service): State<Service>) -> Response {
    draw(&service, StatusCode::OK, None)
}

fn draw(service: &Service, status: StatusCode, asked: Option<&Asked>) -> Response {
    // Only what this service gives out is loaded, run or asked.
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; \
                          form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    let Known { site, read, starts } = &mut *service.shared.lock();
    let queues = match site.queues() {
        Ok(queues) => queues,
        Err(error) => return failure(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    };
    let view = View {
        site,
        name: &service.settings.name,
        queues: &queues,
        read: read.elapsed(),
        every: service.settings.every,
        asked,
        starts: starts.as_ref().map(|(starts, told)| (starts, ago(*told))),
    };
    let headers =
        [(header::CONTENT_SECURITY_POLICY, POLICY), (header::CONTENT_TYPE, "text/html; charset=utf-8")];
    fresh((status, headers, (service.page)(&view)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_known() {
        let hosts = Hosts::new(IpAddr::from([127, 0, 0, 2]), &["Portal.example".to_owned()]);
        let know = |host: &'static str| hosts.know(Some(&HeaderValue::from_static(host)));
        for host in
            ["localhost", "LOCALHOST:8750", "127.0.0.1:1", "[::1]:80", "127.0.0.2", "portal.Example:443"]
        {
            assert!(know(host), "{host}");
        }
        for host in ["", "evil.example", "localhost.evil.example", "127.0.0.3", "::1", "localhost:x", "a@b/c"]
        {
            assert!(!know(host), "{host}");
        }
        assert!(!hosts.know(None));
    }
}
