//! Bodies that are compressed: those of clients, and those of servers that compress without being asked.

use std::io::{Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use flate2::{read, write};
use http::{HeaderMap, header};
use http_body::Frame;
use toolglot_wire::Fault;

use crate::error::ProxyError;

/// The codings that are read.
#[derive(Clone, Copy)]
enum Coding {
    Gzip,
    Deflate,
}

/// Returns a body's coding; nothing if it has none.
fn coding(headers: &HeaderMap) -> Option<Result<Coding, String>> {
    let name = headers.get(header::CONTENT_ENCODING)?.to_str().unwrap_or("?").trim().to_ascii_lowercase();
    match name.as_str() {
        "" | "identity" => None,
        "gzip" | "x-gzip" => Some(Ok(Coding::Gzip)),
        "deflate" => Some(Ok(Coding::Deflate)),
        _ => Some(Err(name)),
    }
}

/// Returns a client's body as it was before it was compressed, up to so many bytes.
pub(crate) fn inflated(headers: &HeaderMap, body: Bytes, most: usize) -> Result<Bytes, Fault> {
    let coding = match coding(headers) {
        None => return Ok(body),
        Some(Err(name)) => {
            let message =
                format!("unsupported `content-encoding: {name}`; send the body as it is, or with `gzip` or `deflate`");
            return Err(ProxyError::MediaType.because(message));
        }
        Some(Ok(coding)) => coding,
    };
    let (mut plain, limit) = (Vec::new(), most as u64 + 1);
    let read = match coding {
        Coding::Gzip => read::MultiGzDecoder::new(&body[..]).take(limit).read_to_end(&mut plain),
        Coding::Deflate => read::ZlibDecoder::new(&body[..]).take(limit).read_to_end(&mut plain),
    };
    read.map_err(|error| ProxyError::BodyRead.because(format!("the compressed request cannot be read: {error}")))?;
    if plain.len() > most {
        let message = format!("the request is larger than {most} bytes once it is not compressed (`limits.body`)");
        return Err(ProxyError::Body.because(message));
    }
    Ok(plain.into())
}

/// Returns a server's answer as it was before it was compressed; other codings than `gzip` and `deflate` stay.
pub(crate) fn readable(response: Response) -> Response {
    let Some(Ok(coding)) = coding(response.headers()) else { return response };
    let (mut head, body) = response.into_parts();
    head.headers.remove(header::CONTENT_ENCODING);
    head.headers.remove(header::CONTENT_LENGTH);
    let inflater = match coding {
        Coding::Gzip => Inflater::Gzip(Box::new(write::MultiGzDecoder::new(Vec::new()))),
        Coding::Deflate => Inflater::Deflate(Box::new(write::ZlibDecoder::new(Vec::new()))),
    };
    Response::from_parts(head, Body::new(InflatedBody { body, left: Bytes::new(), inflater, is_over: false }))
}

/// What turns compressed bytes into plain ones as they come.
enum Inflater {
    Gzip(Box<write::MultiGzDecoder<Vec<u8>>>),
    Deflate(Box<write::ZlibDecoder<Vec<u8>>>),
}

impl Inflater {
    /// Takes bytes; returns what can be said of them now, so that a stream streams.
    fn push(&mut self, bytes: &[u8]) -> std::io::Result<Bytes> {
        let out = match self {
            Self::Gzip(decoder) => {
                decoder.write_all(bytes)?;
                decoder.flush()?;
                decoder.get_mut()
            }
            Self::Deflate(decoder) => {
                decoder.write_all(bytes)?;
                decoder.flush()?;
                decoder.get_mut()
            }
        };
        Ok(std::mem::take(out).into())
    }

    fn finish(&mut self) -> std::io::Result<Bytes> {
        let out = match self {
            Self::Gzip(decoder) => {
                decoder.try_finish()?;
                decoder.get_mut()
            }
            Self::Deflate(decoder) => {
                decoder.try_finish()?;
                decoder.get_mut()
            }
        };
        Ok(std::mem::take(out).into())
    }
}

/// Compressed bytes that are inflated at once. Some become a thousand times as many: with this, a server that sends such
/// bytes makes the proxy hold a megabyte, whatever the size of its pieces.
const PIECE: usize = 1 << 10;

/// A body whose bytes are inflated as they are asked for.
struct InflatedBody {
    body: Body,
    /// Compressed bytes that have arrived.
    left: Bytes,
    inflater: Inflater,
    is_over: bool,
}

impl http_body::Body for InflatedBody {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = self.get_mut();
        while !this.is_over {
            let bytes = if this.left.is_empty() {
                match ready!(Pin::new(&mut this.body).poll_frame(cx)) {
                    Some(Ok(frame)) => {
                        this.left = frame.into_data().unwrap_or_default();
                        continue;
                    }
                    Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                    None => {
                        this.is_over = true;
                        this.inflater.finish()?
                    }
                }
            } else {
                let piece = this.left.split_to(this.left.len().min(PIECE));
                this.inflater.push(&piece)?
            };
            if !bytes.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
        }
        Poll::Ready(None)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn bytes_that_become_many_come_in_pieces() {
        let plain = vec![b'a'; 8 << 20];
        let mut packed = write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&plain).unwrap();
        let mut response = Response::new(Body::from(packed.finish().unwrap()));
        response.headers_mut().insert(header::CONTENT_ENCODING, "gzip".parse().unwrap());
        let mut body = readable(response).into_body();
        let mut sizes = Vec::new();
        while let Some(frame) = body.frame().await {
            sizes.push(frame.unwrap().into_data().unwrap().len());
        }
        assert_eq!(sizes.iter().sum::<usize>(), plain.len());
        assert!(sizes.iter().all(|size| *size <= 2 << 20), "{sizes:?}");
    }
}
