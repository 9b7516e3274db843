//! Connections: who may connect, how many at a time, and for how long.
//!
//! A connection has one question and one answer. It is closed when its headers have not arrived in time, when the
//! client has not taken anything of the answer for a while, and when question and answer together take too long.
//! When all places are taken, the connection that has sent or taken nothing for the longest time gives way. So
//! clients that do not send or do not read, however many, do not lock the others out.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::AbortHandle;
use tokio::time::{Sleep, sleep};

/// Connections at a time.
pub const MOST: usize = 256;
/// The request line and the headers have to arrive within this time.
pub const HEADERS_WITHIN: Duration = Duration::from_secs(10);
/// A client has to take a further part of the answer within this time.
pub const PART_WITHIN: Duration = Duration::from_secs(10);
/// Question and answer take no longer than this together.
pub const LONGEST: Duration = Duration::from_secs(30);
/// After a connection that could not be accepted, as when no file descriptors are left.
const PAUSE: Duration = Duration::from_millis(100);

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// An address of this computer.
    Address(SocketAddr),
    /// A socket in the file system, whose permissions say who may connect.
    #[cfg(unix)]
    Path(PathBuf),
}

/// A socket that listens.
pub enum Listener {
    /// On an address.
    Tcp(std::net::TcpListener),
    /// In the file system, where it is removed at the end.
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixListener, PathBuf),
}

impl Listener {
    /// Listens. A socket in the file system on which no process listens any more gives way.
    ///
    /// # Errors
    /// Those of the system; [`io::ErrorKind::AddrInUse`] where a process listens, or something else lies there.
    pub fn new(place: &Place) -> io::Result<Listener> {
        match place {
            Place::Address(address) => Ok(Listener::Tcp(std::net::TcpListener::bind(address)?)),
            #[cfg(unix)]
            Place::Path(path) => {
                use std::os::unix::fs::FileTypeExt;
                use std::os::unix::net::{UnixListener, UnixStream};
                let socket = std::fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_socket());
                if socket && UnixStream::connect(path).is_err() {
                    std::fs::remove_file(path)?;
                }
                Ok(Listener::Unix(UnixListener::bind(path)?, path.clone()))
            }
        }
    }

    /// The address under which a client reaches it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn url(&self) -> io::Result<String> {
        match self {
            Listener::Tcp(listener) => Ok(format!("http://{}/", listener.local_addr()?)),
            #[cfg(unix)]
            Listener::Unix(_, path) => Ok(format!("unix:{}", path.display())),
        }
    }

    /// The address, where it has one.
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Listener::Tcp(listener) => listener.local_addr().ok(),
            #[cfg(unix)]
            Listener::Unix(..) => None,
        }
    }
}

#[cfg(unix)]
impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            // It may have been removed by others.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// When a client last sent or took something, in milliseconds since the service began.
#[derive(Debug, Clone)]
struct Progress {
    begun: Instant,
    last: Arc<AtomicU64>,
}

impl Progress {
    fn new(begun: Instant) -> Progress {
        let progress = Progress { begun, last: Arc::default() };
        progress.note();
        progress
    }

    fn note(&self) {
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }

    fn last(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }
}

/// A stream whose progress is noted, and that fails when the client takes nothing for so long.
struct Timed<S> {
    inner: S,
    part_within: Duration,
    progress: Progress,
    /// Runs while the client takes nothing.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = ready!(Pin::new(&mut self.inner).poll_read(context, into));
        if into.filled().len() > before {
            self.progress.note();
        }
        Poll::Ready(read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        if written.is_ready() {
            self.progress.note();
            self.stuck = None;
            return written;
        }
        let within = self.part_within;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(within)));
        ready!(stuck.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    // A socket is flushed at once, whatever its client takes.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

/// The connections that are open.
struct Open {
    begun: Instant,
    connections: Vec<(AbortHandle, Progress)>,
}

impl Open {
    fn new() -> Open {
        Open { begun: Instant::now(), connections: Vec::with_capacity(MOST) }
    }

    /// Makes room for one more: the slowest give way.
    fn make_room(&mut self) {
        self.connections.retain(|(connection, _)| !connection.is_finished());
        while self.connections.len() >= MOST {
            let slowest = (0..self.connections.len()).min_by_key(|&place| self.connections[place].1.last());
            let Some(slowest) = slowest else { return };
            self.connections.remove(slowest).0.abort();
        }
    }

    fn serve<S>(&mut self, stream: S, router: &Router)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.make_room();
        let service = TowerToHyperService::new(router.clone());
        let progress = Progress::new(self.begun);
        let stream =
            Timed { inner: stream, part_within: PART_WITHIN, progress: progress.clone(), stuck: None };
        let served = tokio::spawn(async move {
            // A client that sent question after question without reading would have the work of all of them done.
            let connection = http1::Builder::new()
                .keep_alive(false)
                .timer(TokioTimer::new())
                .header_read_timeout(HEADERS_WITHIN)
                .serve_connection(TokioIo::new(stream), service);
            // A client that goes away, or asks for nonsense, has been answered as far as that is possible.
            let _ = tokio::time::timeout(LONGEST, connection).await;
        });
        self.connections.push((served.abort_handle(), progress));
    }
}

/// Serves until the program ends.
///
/// # Errors
/// When the runtime cannot listen.
pub async fn serve(listener: &Listener, router: &Router) -> io::Result<()> {
    let mut open = Open::new();
    match listener {
        Listener::Tcp(listener) => {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener.try_clone()?)?;
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => open.serve(stream, router),
                    Err(_) => tokio::time::sleep(PAUSE).await,
                }
            }
        }
        #[cfg(unix)]
        Listener::Unix(listener, _) => {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::UnixListener::from_std(listener.try_clone()?)?;
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => open.serve(stream, router),
                    Err(_) => tokio::time::sleep(PAUSE).await,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client that takes a byte, and then nothing.
    struct Stuck(bool);

    impl AsyncWrite for Stuck {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
            if std::mem::replace(&mut self.0, true) { Poll::Pending } else { Poll::Ready(Ok(1)) }
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn a_client_that_takes_nothing_is_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let part_within = Duration::from_millis(30);
        let progress = Progress::new(Instant::now());
        let mut timed = Timed { inner: Stuck(false), part_within, progress, stuck: None };
        let mut write = || {
            runtime.block_on(std::future::poll_fn(|context| Pin::new(&mut timed).poll_write(context, b"ab")))
        };
        assert_eq!(write().unwrap(), 1);
        let begun = Instant::now();
        assert_eq!(write().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(begun.elapsed() >= part_within);
    }

    #[test]
    fn the_slowest_connection_gives_way() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut open = Open::new();
        let tasks: Vec<_> = (0..MOST as u64)
            .map(|place| {
                let task = runtime.spawn(std::future::pending::<()>());
                let progress = Progress::new(open.begun);
                progress.last.store(if place == 7 { 1 } else { 2 + place }, Ordering::Relaxed);
                open.connections.push((task.abort_handle(), progress));
                task
            })
            .collect();
        open.make_room();
        runtime.block_on(tokio::task::yield_now());
        let given_way: Vec<usize> = (0..MOST).filter(|&place| tasks[place].is_finished()).collect();
        assert_eq!((open.connections.len(), given_way), (MOST - 1, vec![7]));
    }
}
