//! Bodies that are converted piece by piece.

use std::future::ready;

use axum::BoxError;
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream::{iter, once};
use futures_util::{StreamExt as _, TryStreamExt as _};

/// Returns a body of what `convert` makes of another: of its bytes, at most `most` at once, and of none at the end.
pub(crate) fn converted(
    body: Body,
    most: usize,
    mut convert: impl FnMut(Option<Bytes>) -> Result<Bytes, BoxError> + Send + 'static,
) -> Body {
    let split = move |bytes: Bytes| {
        let starts = (0..bytes.len()).step_by(most);
        iter(starts.map(move |at| bytes.slice(at..bytes.len().min(at.saturating_add(most))))).map(Some).map(Ok)
    };
    let pieces = body.into_data_stream().map_err(BoxError::from).map_ok(split).try_flatten();
    let converted = pieces.chain(once(ready(Ok(None)))).map(move |piece| piece.and_then(&mut convert));
    // Fused, since a reader may ask again after the end.
    Body::from_stream(converted.try_filter(|bytes| ready(!bytes.is_empty())).fuse())
}
