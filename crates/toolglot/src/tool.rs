//! The tools a caller declares, compiled once per list.

use std::sync::Arc;

use crate::schema::Schema;

/// One declared tool.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// The name as declared.
    pub(crate) name: String,
    /// The parameters' schema; `None` if the tool declares none, so that anything goes.
    pub(crate) schema: Option<Schema>,
}

/// A list of declared tools; cheap to clone, compiled once.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    list: Arc<[Tool]>,
}
