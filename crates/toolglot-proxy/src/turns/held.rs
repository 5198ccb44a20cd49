//! Sends requests with a grammar, and without it if the server rejects it.

use axum::response::Response;
use toolglot_wire::{Exchange, Fault};

use super::{TurnAsked, TurnJob};
use crate::config::setting::Mode;
use crate::prompting;

/// Why a request is resent without its grammar.
const WITHOUT: &str = "the server rejected the grammar; the answer is checked instead";

impl TurnJob<'_> {
    /// Reads the request in the form that the server accepts; the tools are in the prompt also if it does not accept a grammar
    /// with tools.
    pub(super) async fn read_as_taken(&self, asked: &mut TurnAsked<'_>, prompted: bool) -> Result<Exchange, Fault> {
        let mut exchange = self.read(asked, prompted, true).await?;
        if exchange.wants_prompt() && asked.route.settings.mode.value == Mode::Auto {
            exchange = self.read(asked, true, true).await?;
        } else if exchange.wants_prompt() {
            asked.record.notes.push(prompting::HOLD_ADVICE.to_owned());
        }
        Ok(exchange)
    }

    /// Sends the request, and again without its grammar if the server rejects it; `prompted` says whether the tools are then
    /// in the prompt.
    pub(super) async fn send_as_held(
        &self,
        asked: &mut TurnAsked<'_>,
        exchange: &mut Exchange,
        prompted: bool,
    ) -> Result<Response, Fault> {
        let server = &asked.route.server;
        for fault in server.refusals(&asked.record.model) {
            exchange.amend_early(&fault);
        }
        if exchange.is_held() {
            let response = asked.target.send(exchange.upstream_body().into()).await?;
            if !matches!(response.status().as_u16(), 400 | 422) {
                return Ok(response);
            }
            *exchange = self.read(asked, prompted, false).await?;
            asked.record.retry = Some(WITHOUT);
            for fault in server.refusals(&asked.record.model) {
                exchange.amend_early(&fault);
            }
        }
        let body = if exchange.is_untouched() && asked.route.model.is_none() {
            self.body.clone()
        } else {
            exchange.upstream_body().into()
        };
        let response = asked.target.send_in_form(exchange, asked.record, body).await?;
        // A request that succeeded in yet another form was not rejected for its grammar.
        if response.status().is_success() && asked.record.retry == Some(WITHOUT) {
            server.without_grammar.remember(&asked.record.model);
        }
        Ok(response)
    }
}
