//! What was said as one whole response, for a client that does not stream.

use serde_json::Value;

use super::write::Writer;
use crate::port::{Client, Write};
use crate::said::Said;

/// Returns the body of a response: what the last event of a stream would hold.
pub(crate) fn whole(said: &[Said], client: &Client) -> Value {
    let mut writer = Writer::new(client.clone());
    let mut events = Vec::new();
    for said in said {
        writer.write(said, &mut events);
        events.clear();
    }
    serde_json::from_str(&writer.body()).unwrap_or_default()
}
