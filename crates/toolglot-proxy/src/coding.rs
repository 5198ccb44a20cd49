//! Compressed bodies of clients, and of servers that compress without being asked.

use std::io::{self, Read, Write};

use axum::response::Response;
use bytes::Bytes;
use flate2::{read, write};
use http::{HeaderMap, header};
use toolglot_wire::Fault;

use crate::error::ProxyError;
use crate::pieces::converted;

/// The supported content codings.
#[derive(Clone, Copy)]
enum Coding {
    Gzip,
    Deflate,
}

/// Returns a body's coding, if any; the name of an unsupported one as an error.
fn coding(headers: &HeaderMap) -> Option<Result<Coding, String>> {
    let name = headers.get(header::CONTENT_ENCODING)?.to_str().unwrap_or("?").trim().to_ascii_lowercase();
    match name.as_str() {
        "" | "identity" => None,
        "gzip" | "x-gzip" => Some(Ok(Coding::Gzip)),
        "deflate" => Some(Ok(Coding::Deflate)),
        _ => Some(Err(name)),
    }
}

/// Decompresses a client's body, up to this many bytes.
pub(crate) fn inflated(headers: &HeaderMap, body: Bytes, most: usize) -> Result<Bytes, Fault> {
    let coding = match coding(headers) {
        None => return Ok(body),
        Some(Err(name)) => {
            let message = format!(
                "unsupported `content-encoding: {name}`; send the body uncompressed, or use `gzip` or `deflate`"
            );
            return Err(ProxyError::MEDIA_TYPE.because(message));
        }
        Some(Ok(coding)) => coding,
    };
    let (mut plain, limit) = (Vec::new(), most as u64 + 1);
    let read = match coding {
        Coding::Gzip => read::MultiGzDecoder::new(&body[..]).take(limit).read_to_end(&mut plain),
        Coding::Deflate => read::ZlibDecoder::new(&body[..]).take(limit).read_to_end(&mut plain),
    };
    read.map_err(|error| ProxyError::BODY_READ.because(format!("cannot decompress the request: {error}")))?;
    if plain.len() > most {
        let message = format!("the decompressed request is larger than {most} bytes (`limits.body`)");
        return Err(ProxyError::BODY.because(message));
    }
    Ok(plain.into())
}

/// Decompresses a server's answer; codings other than `gzip` and `deflate` are kept.
pub(crate) fn readable(response: Response) -> Response {
    let Some(Ok(coding)) = coding(response.headers()) else { return response };
    let (mut head, body) = response.into_parts();
    head.headers.remove(header::CONTENT_ENCODING);
    head.headers.remove(header::CONTENT_LENGTH);
    let mut inflater = match coding {
        Coding::Gzip => Inflater::Gzip(Box::new(write::MultiGzDecoder::new(Vec::new()))),
        Coding::Deflate => Inflater::Deflate(Box::new(write::ZlibDecoder::new(Vec::new()))),
    };
    let inflated = converted(body, PIECE, move |piece| match piece {
        Some(piece) => Ok(inflater.push(&piece)?),
        None => Ok(inflater.finish()?),
    });
    Response::from_parts(head, inflated)
}

/// A streaming decompressor.
enum Inflater {
    Gzip(Box<write::MultiGzDecoder<Vec<u8>>>),
    Deflate(Box<write::ZlibDecoder<Vec<u8>>>),
}

impl Inflater {
    /// Returns the bytes that can be decompressed so far.
    fn push(&mut self, bytes: &[u8]) -> io::Result<Bytes> {
        let decoder: &mut dyn Write = match self {
            Self::Gzip(decoder) => decoder,
            Self::Deflate(decoder) => decoder,
        };
        decoder.write_all(bytes)?;
        decoder.flush()?;
        Ok(self.take())
    }

    fn finish(&mut self) -> io::Result<Bytes> {
        match self {
            Self::Gzip(decoder) => decoder.try_finish()?,
            Self::Deflate(decoder) => decoder.try_finish()?,
        }
        Ok(self.take())
    }

    fn take(&mut self) -> Bytes {
        let out = match self {
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
        };
        std::mem::take(out).into()
    }
}

/// Compressed bytes that are decompressed at once. They may expand a thousandfold, so this bounds what the proxy holds
/// to a megabyte, whatever the server sends.
const PIECE: usize = 1 << 10;

#[cfg(test)]
mod tests {
    use axum::body::Body;
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
