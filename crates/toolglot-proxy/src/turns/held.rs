//! Requests whose answers the server holds to a grammar: sent with it, and without it to a server that refuses it.

use axum::response::Response;
use toolglot_wire::{Exchange, Fault};

use super::{TurnAsked, TurnJob};
use crate::config::setting::Mode;
use crate::prompting;
use crate::record::Record;

/// Why a request is sent once more without a grammar.
const WITHOUT: &str = "the server refused the grammar; the answer is checked instead";

impl TurnJob<'_> {
    /// Reads the request in the form that the server takes: with the tools in the prompt, also where it takes no grammar beside
    /// tools.
    pub(super) async fn read_as_taken(
        &self,
        record: &mut Record,
        asked: &TurnAsked<'_>,
        prompted: bool,
    ) -> Result<Exchange, Fault> {
        let mut exchange = self.read(record, asked, prompted, true).await?;
        if exchange.wants_prompt() && asked.route.mode == Mode::Auto {
            exchange = self.read(record, asked, true, true).await?;
        } else if exchange.wants_prompt() {
            record.notes.push(prompting::HOLD_ADVICE.to_owned());
        }
        Ok(exchange)
    }

    /// Sends the request, and without its grammar if the server refuses it with one; `prompted` says whether the tools are in
    /// the prompt then, too.
    pub(super) async fn send_as_held(
        &self,
        record: &mut Record,
        asked: &TurnAsked<'_>,
        exchange: &mut Exchange,
        prompted: bool,
    ) -> Result<Response, Fault> {
        let server = &asked.route.server;
        for fault in server.refusals(&record.model) {
            exchange.amend_early(&fault);
        }
        if exchange.is_held() {
            let response = asked.target.send(exchange.upstream_body().into()).await?;
            if !matches!(response.status().as_u16(), 400 | 422) {
                return Ok(response);
            }
            *exchange = self.read(record, asked, prompted, false).await?;
            record.retry = Some(WITHOUT);
            for fault in server.refusals(&record.model) {
                exchange.amend_early(&fault);
            }
        }
        let body = if exchange.is_untouched() && asked.route.model.is_none() {
            self.body.clone()
        } else {
            exchange.upstream_body().into()
        };
        let response = asked.target.send_in_form(exchange, record, body).await?;
        // What passed in another form yet was not refused for its grammar.
        if response.status().is_success() && record.retry == Some(WITHOUT) {
            server.without_grammar.remember(&record.model);
        }
        Ok(response)
    }
}
