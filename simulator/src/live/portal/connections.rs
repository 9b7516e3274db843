//! Connections: who may connect, how many at a time, and for how long.
//!
//! A connection that does not say its question in time is closed, and when all places are taken the oldest one gives
//! way. So half-open connections, however many, lock nobody out: an answer takes milliseconds.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::AbortHandle;

/// Connections at a time.
pub const MOST: usize = 256;
/// The request line and the headers have to arrive within this time, also of a further request.
pub const HEADERS_WITHIN: Duration = Duration::from_secs(10);
/// No connection is open for longer.
pub const LONGEST: Duration = Duration::from_secs(60);
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
    /// Listens. A socket in the file system that nobody listens on any more gives way.
    ///
    /// # Errors
    /// Those of the system; [`io::ErrorKind::AddrInUse`] where somebody listens, or something else lies there.
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

    /// How a client reaches it.
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

/// Those that are open, the oldest first.
#[derive(Default)]
struct Open(VecDeque<AbortHandle>);

impl Open {
    fn serve<S>(&mut self, stream: S, router: &Router)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.0.retain(|connection| !connection.is_finished());
        while self.0.len() >= MOST {
            if let Some(oldest) = self.0.pop_front() {
                oldest.abort();
            }
        }
        let service = TowerToHyperService::new(router.clone());
        let served = tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADERS_WITHIN)
                .serve_connection(TokioIo::new(stream), service);
            // Who goes away, or asks for nonsense, has been answered as far as that is possible.
            let _ = tokio::time::timeout(LONGEST, connection).await;
        });
        self.0.push_back(served.abort_handle());
    }
}

/// Serves until the program ends.
///
/// # Errors
/// When the runtime cannot listen.
pub async fn serve(listener: &Listener, router: &Router) -> io::Result<()> {
    let mut open = Open::default();
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
