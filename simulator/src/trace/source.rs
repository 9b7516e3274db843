//! The bytes of a trace: from a file or standard input (`-`), decompressed, without a byte order mark.
//!
//! Compression is recognised by content, the first bytes: gzip (RFC 1952), xz, Zstandard (RFC 8878), bzip2; several
//! members, streams or frames one after the other are one text. A name that promises a compression which is not there
//! is an error: the file was cut or overwritten.

use super::text::printable;
use bzip2::read::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;

/// Bytes of text.
pub type Text<'a> = Box<dyn BufRead + 'a>;

/// A stream may ask its decoder for so much memory, in KB.
const MEMORY_KB: u32 = 512 * 1024;

/// The compressions, the bytes that their files begin with, and what names promise them.
const COMPRESSIONS: [(Compression, &[u8], &str); 5] = [
    (Compression::Gzip, &[0x1f, 0x8b], ".gz"),
    (Compression::Xz, &[0xfd, b'7', b'z', b'X', b'Z', 0], ".xz"),
    (Compression::Zstandard, &[0x28, 0xb5, 0x2f, 0xfd], ".zst"),
    (Compression::Zstandard, &SKIPPABLE, ".zst"),
    (Compression::Bzip2, b"BZh", ".bz2"),
];

/// First bytes of a Zstandard frame that is to be skipped; the low half of the first byte may be anything.
const SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    Gzip,
    Xz,
    Zstandard,
    Bzip2,
}

impl Compression {
    fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Xz => "xz",
            Compression::Zstandard => "zstd",
            Compression::Bzip2 => "bzip2",
        }
    }
}

/// Name of a path in messages: standard input for `-`.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        printable(&path.display().to_string()).into_owned()
    }
}

/// Opens a file, or standard input for `-`.
///
/// # Errors
/// When the file cannot be opened.
pub fn bytes(path: &Path) -> io::Result<Box<dyn Read>> {
    if path == Path::new("-") { Ok(Box::new(io::stdin())) } else { Ok(Box::new(File::open(path)?)) }
}

/// The text of a stream, and its first bytes: enough to recognise its format by, all of it if it is short. `name` is
/// only asked for what it promises.
///
/// # Errors
/// When it cannot be read, or is not compressed as its name says.
pub fn text<'a>(reader: impl Read + 'a, name: &str) -> io::Result<(Text<'a>, Vec<u8>)> {
    let mut reader = reader;
    let start = fill(&mut reader, 6)?;
    let found = COMPRESSIONS.iter().find(|(_, magic, _)| start.starts_with(magic)).map(|found| found.0);
    let promised = COMPRESSIONS.iter().find(|(.., ending)| name.ends_with(ending)).map(|found| found.0);
    if let (Some(promised), None) = (promised, found) {
        let message = match start.len() {
            0 => format!("empty, not even {} around nothing", promised.name()),
            _ => format!("not compressed by {}, as its name says", promised.name()),
        };
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let whole = BufReader::with_capacity(1 << 16, Cursor::new(start).chain(reader));
    let mut text: Box<dyn Read + 'a> = match found {
        None => Box::new(whole),
        Some(Compression::Gzip) => Box::new(MultiGzDecoder::new(whole)),
        Some(Compression::Xz) => Box::new(XzReader::new_mem_limit(whole, true, MEMORY_KB)),
        Some(Compression::Zstandard) => Box::new(Frames { source: Some(whole), frame: None }),
        Some(Compression::Bzip2) => Box::new(MultiBzDecoder::new(whole)),
    };
    if let Some(compression) = found {
        text = Box::new(Unpacked { inner: text, compression });
    }
    let mut start = fill(&mut text, 1 << 14)?;
    if start.starts_with(b"\xef\xbb\xbf") {
        start.drain(..3);
    }
    let text = BufReader::with_capacity(1 << 16, Cursor::new(start.clone()).chain(text));
    Ok((Box::new(text), start))
}

/// The first bytes of a stream, fewer only at its end.
fn fill(reader: &mut dyn Read, bytes: u64) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(bytes).read_to_end(&mut start)?;
    Ok(start)
}

/// A decoder whose errors say what they are errors of.
struct Unpacked<'a> {
    inner: Box<dyn Read + 'a>,
    compression: Compression,
}

impl Read for Unpacked<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.inner.read(into).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            kind => io::Error::new(
                kind,
                format!("{}: damaged, or it breaks off: {error}", self.compression.name()),
            ),
        })
    }
}

type Frame<R> = StreamingDecoder<Chain<Cursor<[u8; 4]>, R>, FrameDecoder>;

/// Zstandard frames one after the other; the decoder reads one, and knows none that are to be skipped.
struct Frames<R: Read> {
    /// The rest of the text, between frames.
    source: Option<R>,
    frame: Option<Frame<R>>,
}

impl<R: Read> Frames<R> {
    /// Begins the next frame; `false` at the end.
    fn next(&mut self) -> io::Result<bool> {
        let Some(mut source) = self.source.take() else { return Ok(false) };
        let start = fill(&mut source, 4)?;
        if start.is_empty() {
            return Ok(false);
        }
        let magic: [u8; 4] = start.try_into().map_err(|_| io::Error::from(io::ErrorKind::UnexpectedEof))?;
        if magic[0] & 0xf0 == SKIPPABLE[0] && magic[1..] == SKIPPABLE[1..] {
            let mut length = [0; 4];
            source.read_exact(&mut length)?;
            let length = u64::from(u32::from_le_bytes(length));
            if io::copy(&mut source.by_ref().take(length), &mut io::sink())? < length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.source = Some(source);
            return Ok(true);
        }
        let frame = StreamingDecoder::new(Cursor::new(magic).chain(source));
        let damaged =
            |error: FrameDecoderError| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
        self.frame = Some(frame.map_err(damaged)?);
        Ok(true)
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(frame) = &mut self.frame {
                let count = frame.read(buffer)?;
                if count > 0 {
                    return Ok(count);
                }
                self.source = self.frame.take().map(|frame| frame.into_inner().into_inner().1);
            }
            if !self.next()? {
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::io::Write;

    fn read(bytes: &[u8], name: &str) -> io::Result<String> {
        let (mut text, start) = text(Cursor::new(bytes.to_vec()), name)?;
        let mut whole = String::new();
        text.read_to_string(&mut whole)?;
        assert!(whole.as_bytes().starts_with(&start));
        Ok(whole)
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2(text: &str) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &str) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
    }

    /// Output of `printf 'one two three\n' | xz` (xz 5.4).
    const XZ: &[u8] = &[
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x16,
        0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x0d, 0x6f, 0x6e, 0x65, 0x20, 0x74, 0x77, 0x6f,
        0x20, 0x74, 0x68, 0x72, 0x65, 0x65, 0x0a, 0x00, 0x00, 0x00, 0xc1, 0x93, 0xa4, 0xbf, 0xda, 0x48, 0x61,
        0xe5, 0x00, 0x01, 0x26, 0x0e, 0x08, 0x1b, 0xe0, 0x04, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00,
        0x00, 0x04, 0x59, 0x5a,
    ];

    #[test]
    fn compressions_are_recognised_by_content() {
        let long = "one two three\n".repeat(10_000);
        for encode in [gzip, bzip2, zstd] {
            assert_eq!(read(&encode(&long), "pipe").unwrap(), long);
            let several = [encode("one "), encode("two "), encode("three")].concat();
            assert_eq!(read(&several, "pipe").unwrap(), "one two three");
            let whole = encode(&long);
            assert!(read(&whole[..whole.len() - 5], "pipe").is_err());
            assert_eq!(read(&encode("\u{feff}text"), "pipe").unwrap(), "text");
        }
        assert_eq!(read(XZ, "pipe").unwrap(), "one two three\n");
        assert_eq!(read(&[XZ, XZ].concat(), "pipe").unwrap(), "one two three\n".repeat(2));
        assert!(read(&XZ[..XZ.len() - 5], "pipe").is_err());
        assert_eq!(read("\u{feff}text".as_bytes(), "pipe").unwrap(), "text");
        assert_eq!(read(b"", "pipe").unwrap(), "");
    }

    #[test]
    fn skippable_frames_are_skipped() {
        let skipped = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let whole = [&zstd("a")[..], &skipped, &zstd("b")].concat();
        assert_eq!(read(&whole, "pipe").unwrap(), "ab");
        let first = [&[0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0][..], &zstd("b")].concat();
        assert_eq!(read(&first, "pipe").unwrap(), "b");
        assert!(read(&[&zstd("a")[..], &skipped[..9]].concat(), "pipe").is_err());
    }

    #[test]
    fn names_promise() {
        for (name, compression) in [("t.gz", "gzip"), ("t.xz", "xz"), ("t.zst", "zstd"), ("t.bz2", "bzip2")] {
            let error = read(b"text", name).unwrap_err().to_string();
            assert_eq!(error, format!("not compressed by {compression}, as its name says"));
        }
        // Another compression than promised is recognised all the same.
        assert_eq!(read(&zstd("text"), "t.gz").unwrap(), "text");
    }

    proptest! {
        #[test]
        fn any_bytes_end(start in 0usize..5, bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let magic = COMPRESSIONS.get(start).map_or(&b""[..], |compression| compression.1);
            let _ = text(Cursor::new([magic, &bytes].concat()), "pipe")
                .and_then(|(text, _)| io::copy(&mut text.take(1 << 24), &mut io::sink()));
        }
    }
}
