//! Bodies that are made piece by piece.

use axum::BoxError;
use axum::body::Body;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::unfold;

/// Returns a body of the pieces that `next` makes, each from the state that it left behind the one before.
pub(crate) fn in_pieces<S, F, E>(first: S, next: impl FnMut(S) -> F + Send + 'static) -> Body
where
    S: Send + 'static,
    F: Future<Output = Option<(Result<Bytes, E>, S)>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    // Fused, since a reader may ask again after the end.
    Body::from_stream(unfold(first, next).fuse())
}
