//! The answers of [`super::site`] over HTTP: JSON for programs, a page for people that keeps itself up to date.
//!
//! * [`connections`]: where to listen, and how connections are limited.
//! * `hosts`: the names by which this computer is asked.
//! * `shared`: what is known at present, and what was drawn of it a moment ago.
//! * `openapi.json`: the interface for programs, which the service also gives out.

pub mod connections;
mod hosts;
mod shared;

use super::advise::starts::Start;
use super::age::{self, Age};
use super::site::{Answer, AskError, NAMES, Question, QueueState, Site};
use super::starts::Starts;
use crate::trace::text::printable;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use connections::Listener;
use hosts::Hosts;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::Known;
use std::io;
use std::sync::Arc;
use std::time::Duration;

pub use shared::Shared;

/// The most questions of one POST.
pub const MOST_QUESTIONS: usize = 1000;
/// The longest body, in bytes.
const LONGEST_BODY: usize = 1 << 20;

/// A visitor's question about a job of their own, and the answer.
pub struct Asked {
    /// The question.
    pub question: Question,
    /// The answer, or why there is none.
    pub answer: Result<Answer, AskError>,
}

/// The state that a page for people is drawn from.
pub struct View<'a> {
    /// The site.
    pub site: &'a Site,
    /// Its name.
    pub name: &'a str,
    /// All queues.
    pub queues: &'a [QueueState],
    /// Time since the history was read.
    pub read: Duration,
    /// Seconds between two looks.
    pub every: u64,
    /// Predicted starts of waiting jobs, if there are any, and their age in seconds; below 0 for a time that this
    /// computer's clock has not reached.
    pub starts: Option<(&'a Starts, i64)>,
}

/// Draws pages for people.
#[derive(Debug, Clone, Copy)]
pub struct Pages {
    /// The part that shows the queues, which is kept up to date.
    pub live: fn(&View<'_>) -> String,
    /// The page around that part, with the visitor's own job.
    pub page: fn(&View<'_>, &str, Option<&Asked>) -> String,
    /// That part alone, for pages of others.
    pub fragment: fn(&View<'_>, &str) -> String,
}

/// Name, hosts and clock of the service.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The site's name on the page.
    pub name: String,
    /// Names of this computer in questions, beside localhost and its address.
    pub hosts: Vec<String>,
    /// Seconds between two looks of the page.
    pub every: u64,
    /// The present, where it is not what the system's clock shows.
    pub now: Option<i64>,
}

/// The state that every answer needs.
#[derive(Clone)]
struct Service {
    shared: Shared,
    pages: Pages,
    settings: Arc<Settings>,
}

impl Service {
    /// The answer to a question: of a job whose start is predicted, by that.
    fn answer(&self, question: &Question) -> Result<Answer, AskError> {
        let mut known = self.shared.lock();
        let answer = known.site.ask(question)?;
        let job = question.job.as_deref();
        let start = known.starts.as_ref().and_then(|starts| Some((starts.of(job?)?, starts.now)));
        Ok(match start {
            Some((start, at)) => answer.predicted(start, self.settings.since(at), question.within),
            None => answer,
        })
    }
}

/// Answers on this listener, with these pages for people, until the program is asked to end.
///
/// # Errors
/// When it cannot listen.
pub fn serve(listener: &Listener, shared: Shared, pages: Pages, settings: Settings) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let hosts = listener.address().map(|address| Hosts::new(address.ip(), &settings.hosts));
    let router = router(Service { shared, pages, settings: Arc::new(settings) }, hosts);
    runtime.block_on(async {
        // An open connection does not keep the program from ending.
        tokio::select! {
            served = connections::serve(listener, &router) => served,
            ended = asked_to_end() => ended,
        }
    })
}

/// Waits for the signals by which programs are ended from a terminal and by service managers.
#[cfg(unix)]
async fn asked_to_end() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn asked_to_end() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// The parameters of the paths that have any.
const PARAMETERS: [(&str, &[&str]); 2] =
    [("/api/wait", &NAMES), ("/ask", &["queue", "processors", "hours", "minutes"])];

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
        .route("/fragment", get(fragment))
        .route_layer(middleware::from_fn_with_state(service.clone(), known_parameters))
        .fallback(|| async {
            failure(
                StatusCode::NOT_FOUND,
                "there are /, /ask, /fragment, /health, /openapi.json, /api/queues, /api/wait and /api/starts",
            )
        })
        .method_not_allowed_fallback(|| async {
            failure(StatusCode::METHOD_NOT_ALLOWED, "GET everywhere, POST for /api/wait alone")
        })
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .with_state(service);
    match hosts {
        // A stranger's page cannot open a socket in the file system.
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

/// Refuses parameters that the path has not: a misspelt one would be ignored.
async fn known_parameters(State(service): State<Service>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let own = PARAMETERS.iter().find(|(own, _)| *own == path).map_or(&[][..], |(_, names)| names);
    let given = Query::<Vec<(String, String)>>::try_from_uri(request.uri());
    let given = given.map(|Query(given)| given).unwrap_or_default();
    let Some((unknown, _)) = given.into_iter().find(|(name, _)| !own.contains(&name.as_str())) else {
        return next.run(request).await;
    };
    let names = if own.is_empty() { "none".to_owned() } else { own.join(", ") };
    let error = AskError::NoParameter(printable(&unknown).into_owned(), names);
    if matches!(path, "/" | "/ask") {
        let asked = Asked { question: Question::default(), answer: Err(error) };
        return draw(&service, StatusCode::BAD_REQUEST, Some(&asked));
    }
    failure(StatusCode::BAD_REQUEST, &error.to_string())
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
    match service.answer(&question) {
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
        Err(rejection) => {
            // Every wrong question has one status, however it was asked.
            let status = match rejection.status() {
                StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
                status => status,
            };
            return failure(status, &rejection.body_text());
        }
    };
    if questions.len() > MOST_QUESTIONS {
        let error = format!("{} questions, and {MOST_QUESTIONS} at most", questions.len());
        return failure(StatusCode::PAYLOAD_TOO_LARGE, &error);
    }
    let mut answers = Vec::with_capacity(questions.len());
    for question in &questions {
        let answer = service.answer(question);
        answers.push(match answer {
            Ok(answer) => json!(answer),
            Err(error) => json!({ "error": error.to_string(), "status": status(&error).as_u16() }),
        });
        // Other clients are answered in between.
        tokio::task::yield_now().await;
    }
    fresh(Json(answers))
}

/// When every waiting job starts; whose they are is not said, as nowhere else.
async fn starts(State(service): State<Service>) -> Response {
    match &service.shared.lock().starts {
        Some(starts) => {
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
                    "note": start.note,
                })
            };
            let ago = service.settings.since(starts.now);
            fresh(Json(json!({
                "now": starts.now,
                "reported_s_ago": ago,
                "out_of_date": ago > age::LEAST,
                "starts": starts.starts.iter().map(start).collect::<Vec<_>>(),
            })))
        }
        None => failure(StatusCode::NOT_FOUND, "no starts are predicted here: see --starts"),
    }
}

/// Age of the history, and the time at which it was read.
#[derive(Serialize)]
struct History {
    #[serde(flatten)]
    age: Age,
    read_s_ago: u64,
}

impl History {
    fn of(known: &Known) -> History {
        History { age: known.site.age(), read_s_ago: known.read.elapsed().as_secs() }
    }
}

async fn queues(State(service): State<Service>) -> Response {
    let known = &mut *service.shared.lock();
    match known.drawn(service.pages.live, &service.settings) {
        Ok(drawn) => fresh(Json(json!({
            "surefill": env!("CARGO_PKG_VERSION"),
            "site": service.settings.name,
            "now": known.site.now(),
            "history": History::of(known),
            "quantile": known.site.options().quantile,
            "confidence": known.site.options().confidence,
            "queues": *drawn.queues,
        }))),
        Err(error) => failure(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

async fn health(State(service): State<Service>) -> Response {
    let known = &*service.shared.lock();
    let history = History::of(known);
    fresh(Json(json!({
        "status": if history.age.out_of_date { "out-of-date" } else { "ok" },
        "surefill": env!("CARGO_PKG_VERSION"),
        "now": known.site.now(),
        "history": history,
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

/// The fields of the page's form; they may have been typed by hand, and those left out are 0.
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
    page_of(service, status, |pages, view, live| (pages.page)(view, live, asked))
}

/// The queues alone, for a page of others.
async fn fragment(State(service): State<Service>) -> Response {
    page_of(&service, StatusCode::OK, |pages, view, live| (pages.fragment)(view, live))
}

/// Draws something around the part that shows the queues.
fn page_of(
    service: &Service,
    status: StatusCode,
    around: impl FnOnce(&Pages, &View<'_>, &str) -> String,
) -> Response {
    // Only what this service gives out is loaded, run or asked.
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; \
                          img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    let known = &mut *service.shared.lock();
    let drawn = match known.drawn(service.pages.live, &service.settings) {
        Ok(drawn) => drawn,
        Err(error) => return failure(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    };
    let page = around(&service.pages, &known.view(&drawn.queues, &service.settings), &drawn.live);
    let headers =
        [(header::CONTENT_SECURITY_POLICY, POLICY), (header::CONTENT_TYPE, "text/html; charset=utf-8")];
    fresh((status, headers, page))
}
