//! What was said as one whole response, for a client that does not stream.

use toolglot_json::Value;

use super::write::ResponsesWriter;
use crate::port::{Client, ProtocolWriter};
use crate::response_event::ResponseEvent;

/// Returns the body of a response: what the last event of a stream would hold.
pub(crate) fn whole(said: &[ResponseEvent], client: &Client) -> Value {
    let mut writer = ResponsesWriter::new(client.clone());
    let mut events = Vec::new();
    for said in said {
        writer.write(said, &mut events);
        events.clear();
    }
    serde_json::from_str(&writer.body()).unwrap_or_default()
}
