//! The answers of [`super::site`] over HTTP: JSON for portals, a page for people.

use super::site::{AskError, Question, QueueState, Site};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Draws a site's page for people.
pub type Page = fn(&Site, &[QueueState]) -> String;

/// A site that several threads look at.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<Site>>);

impl Shared {
    /// Shares a site.
    pub fn new(site: Site) -> Shared {
        Shared(Arc::new(Mutex::new(site)))
    }

    /// Another site takes its place.
    pub fn replace(&self, site: Site) {
        *self.lock() = site;
    }

    /// Time goes on.
    pub fn advance(&self, now: i64) {
        self.lock().advance(now);
    }

    /// Whether its history has dates.
    pub fn dates(&self) -> bool {
        self.lock().dates()
    }

    fn lock(&self) -> MutexGuard<'_, Site> {
        // No question changes a site, so one that failed has left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers on this listener, with this page for people, until the program is told to end.
///
/// # Errors
/// When it cannot listen.
pub fn serve(listener: TcpListener, shared: Shared, page: Page) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        // An open connection does not keep the program from ending.
        tokio::select! {
            served = async { axum::serve(listener, router(shared, page)).await } => served,
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

fn router(shared: Shared, page: Page) -> Router {
    Router::new()
        .route("/", get(move |state| front(state, page)))
        .route("/api/queues", get(queues))
        .route("/api/wait", get(wait))
        .fallback(|| async { failure(StatusCode::NOT_FOUND, "there are /, /api/queues and /api/wait") })
        .with_state(shared)
}

fn failure(status: StatusCode, error: &str) -> Response {
    (status, Json(json!({ "error": error }))).into_response()
}

/// An answer that holds for now only.
fn fresh(answer: impl IntoResponse) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], answer).into_response()
}

async fn wait(State(shared): State<Shared>, question: Result<Query<Question>, QueryRejection>) -> Response {
    let Query(question) = match question {
        Ok(question) => question,
        Err(rejection) => return failure(StatusCode::BAD_REQUEST, &rejection.body_text()),
    };
    match shared.lock().ask(&question) {
        Ok(answer) => fresh(Json(answer)),
        Err(error @ (AskError::NoQueue(..) | AskError::NoJob(..))) => {
            failure(StatusCode::NOT_FOUND, &error.to_string())
        }
        Err(error) => failure(StatusCode::BAD_REQUEST, &error.to_string()),
    }
}

async fn queues(State(shared): State<Shared>) -> Response {
    let mut site = shared.lock();
    let (now, options) = (site.now(), *site.options());
    match site.queues() {
        Ok(queues) => fresh(Json(json!({
            "surefill": env!("CARGO_PKG_VERSION"),
            "now": now,
            "quantile": options.quantile,
            "confidence": options.confidence,
            "queues": queues,
        }))),
        Err(error) => failure(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

async fn front(State(shared): State<Shared>, page: Page) -> Response {
    // Nothing is loaded and nothing runs.
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
    let mut site = shared.lock();
    match site.queues() {
        Ok(queues) => {
            let headers = [
                (header::CONTENT_SECURITY_POLICY, POLICY),
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            ];
            fresh((headers, page(&site, &queues)))
        }
        Err(error) => failure(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}
