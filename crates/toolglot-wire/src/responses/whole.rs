//! Writes a whole response, for a client that does not stream.

use toolglot_json::Value;

use super::write::ResponsesWriter;
use crate::port::{Client, ProtocolWriter};
use crate::response_event::ResponseEvent;

/// Returns the body of a response: the response in the last event of a stream.
pub(crate) fn whole(events: &[ResponseEvent], client: &Client) -> Value {
    let mut writer = ResponsesWriter::new(client.clone());
    let mut stream = Vec::new();
    for event in events {
        writer.write(event, &mut stream);
        stream.clear();
    }
    serde_json::from_str(&writer.body()).unwrap_or_default()
}
