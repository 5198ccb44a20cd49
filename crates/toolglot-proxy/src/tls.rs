//! TLS to clients and to model servers.

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use crate::config::{Config, ConfigError};

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// Returns the TLS acceptor, if the settings have a certificate.
pub(crate) fn incoming(config: &Config) -> Result<Option<TlsAcceptor>, ConfigError> {
    let (cert, key) = match (&config.server.tls_cert, &config.server.tls_key) {
        (None, None) => return Ok(None),
        (Some(cert), Some(key)) => (cert, key),
        (Some(_), None) => return Err(config.wrong("tls_cert", "`tls_cert` requires `tls_key`; set both")),
        (None, Some(_)) => return Err(config.wrong("tls_key", "`tls_key` requires `tls_cert`; set both")),
    };
    let chain = certificates(cert).map_err(|message| config.wrong("tls_cert", message))?;
    let key = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| config.wrong("tls_key", format!("cannot read `{}`: {error}", key.display())))?;
    let mut tls = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .and_then(|tls| tls.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| config.wrong("tls_cert", format!("invalid certificate or key: {error}")))?;
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(tls))))
}

/// Returns the TLS settings for model servers: the system's certificate authorities and a custom one.
pub(crate) fn outgoing(needed: bool, ca: Option<&Path>) -> Result<ClientConfig, String> {
    // The system's authorities are hundreds of files on some systems; plain HTTP does not wait for them.
    let mut roots = RootCertStore::empty();
    if needed {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    if let Some(path) = ca {
        let (added, _) = roots.add_parsable_certificates(certificates(path)?);
        if added == 0 {
            return Err(format!("`{}` contains no PEM certificate", path.display()));
        }
    }
    let tls = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
    Ok(tls.map_err(|error| error.to_string())?.with_root_certificates(roots).with_no_client_auth())
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    read.map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}
