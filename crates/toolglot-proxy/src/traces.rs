//! Sends a span for each request to a collector, as OTLP/JSON over HTTP.
//!
//! Spans continue the client's trace if the request has a `traceparent`, which is also passed on to the model server.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{HeaderExtractor, HeaderInjector, HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tokio::runtime::Handle;
use toolglot_json::Value;

use crate::tls;

/// The exporter of spans.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    propagator: TraceContextPropagator,
}

/// The span of one request.
pub(crate) struct RequestSpan(opentelemetry_sdk::trace::Span);

/// Timeout for sending the last spans at shutdown.
const PATIENCE: Duration = Duration::from_secs(2);

/// The names of log fields in OpenTelemetry's conventions; other fields get the prefix `toolglot.`.
const KNOWN: [(&str, &str); 7] = [
    ("method", "http.request.method"),
    ("path", "url.path"),
    ("status", "http.response.status_code"),
    ("model", "gen_ai.request.model"),
    ("input_tokens", "gen_ai.usage.input_tokens"),
    ("output_tokens", "gen_ai.usage.output_tokens"),
    ("error", "error.message"),
];

impl Traces {
    /// Prepares to send spans to a collector; headers, service name and sampling are set by OpenTelemetry's environment
    /// variables.
    pub(crate) fn open(url: &str) -> Result<Self, String> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Sender::new()?)
            .with_protocol(Protocol::HttpJson)
            .with_endpoint(format!("{}/v1/traces", url.trim_end_matches('/')))
            .build()
            .map_err(|error| format!("{error}; use the URL of a collector, such as `http://localhost:4318`"))?;
        let resource = Resource::builder();
        let resource = match std::env::var_os("OTEL_SERVICE_NAME") {
            Some(_) => resource,
            None => resource.with_service_name("toolglot"),
        };
        let provider =
            SdkTracerProvider::builder().with_resource(resource.build()).with_batch_exporter(exporter).build();
        let tracer = provider.tracer("toolglot");
        Ok(Self { provider, tracer, propagator: TraceContextPropagator::new() })
    }

    /// Begins the span of a request, and sets it in the headers for the model server.
    pub(crate) fn begin(&self, name: &str, headers: &mut HeaderMap) -> RequestSpan {
        let caller = self.propagator.extract_with_context(&Context::new(), &HeaderExtractor(headers));
        let span = self.tracer.span_builder(name.to_owned()).with_kind(SpanKind::Server);
        let span = span.start_with_context(&self.tracer, &caller);
        let own = caller.with_remote_span_context(span.span_context().clone());
        self.propagator.inject_context(&own, &mut HeaderInjector(headers));
        RequestSpan(span)
    }

    /// Sends the remaining spans within the timeout.
    pub(crate) fn flush(&self) {
        // Spans that cannot be sent are lost.
        let _ = self.provider.shutdown_with_timeout(PATIENCE);
    }
}

impl Drop for Traces {
    /// Sends the last spans in a separate thread, since the last request with old settings drops them.
    fn drop(&mut self) {
        let provider = self.provider.clone();
        std::thread::spawn(move || provider.shutdown_with_timeout(PATIENCE));
    }
}

impl RequestSpan {
    /// Ends the span with the details of the request.
    pub(crate) fn end<'a>(mut self, is_error: bool, details: impl IntoIterator<Item = (&'a str, Value)>) {
        for (name, value) in details {
            let known = KNOWN.iter().find(|(ours, _)| *ours == name);
            let key = known.map_or_else(|| format!("toolglot.{name}"), |(_, theirs)| (*theirs).to_owned());
            if let Some(value) = attribute(value) {
                self.0.set_attribute(KeyValue::new(key, value));
            }
        }
        if is_error {
            self.0.set_status(Status::error(""));
        }
        self.0.end();
    }
}

fn attribute(value: Value) -> Option<opentelemetry::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(is) => is.into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64()?.into(),
        },
        Value::String(text) => text.into(),
        list => list.to_string().into(),
    })
}

/// Sends on the proxy's runtime, since spans are collected in a thread without one.
#[derive(Debug)]
struct Sender {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// None if settings are only checked.
    runtime: Option<Handle>,
}

impl Sender {
    fn new() -> Result<Self, String> {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        let tls = tls::outgoing(true, None)?;
        let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let client = Client::builder(TokioExecutor::new()).build(https.wrap_connector(http));
        Ok(Self { client, runtime: Handle::try_current().ok() })
    }
}

impl HttpClient for Sender {
    fn send_bytes<'s, 'f>(
        &'s self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            let runtime = self.runtime.as_ref().ok_or("settings are only checked")?;
            let asked = self.client.request(request.map(Full::new));
            let answer = runtime.spawn(async move {
                let (parts, body) = asked.await?.into_parts();
                let body = body.collect().await?.to_bytes();
                Ok::<_, HttpError>(Response::from_parts(parts, body))
            });
            answer.await?
        })
    }
}
