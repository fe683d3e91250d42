//! TLS: whose certificate is believed, and how closely it is looked at.

use std::net::TcpStream;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, Error as TlsError,
    RootCertStore, SignatureScheme, StreamOwned,
};

use crate::address::{Address, TlsMode};
use crate::authorities;
use crate::error::Error;
use crate::stream::Stream;

/// Shakes hands over a connection whose other side has agreed to TLS.
pub(crate) fn wrap(address: &Address, host: &str, mut tcp: TcpStream) -> Result<Stream, Error> {
    let failure = |why: String| Error::Tls { server: address.server(), why };
    let name =
        ServerName::try_from(host.to_owned()).map_err(|_| failure(format!("`{host}` is no host name")))?;
    let config = config(address).map_err(failure)?;
    let mut session =
        ClientConnection::new(Arc::new(config), name).map_err(|error| failure(error.to_string()))?;
    while session.is_handshaking() {
        if let Err(error) = session.complete_io(&mut tcp) {
            return Err(match error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>()) {
                Some(inner) => failure(words(inner)),
                None => Error::Unreachable { server: address.server(), why: error.to_string() },
            });
        }
    }
    Ok(Stream::Tls(Box::new(StreamOwned::new(session, tcp))))
}

fn words(error: &TlsError) -> String {
    match error {
        TlsError::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            "its certificate was signed by nobody who is believed here".to_owned()
        }
        TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "its certificate is made out to another host".to_owned(),
        TlsError::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "its certificate has expired".to_owned()
        }
        other => other.to_string(),
    }
}

fn config(address: &Address) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let look = match address.tls {
        TlsMode::Disable | TlsMode::Prefer | TlsMode::Require => None,
        TlsMode::VerifyCa | TlsMode::VerifyFull => {
            let roots = Arc::new(roots(address)?);
            let look = WebPkiServerVerifier::builder_with_provider(roots, provider.clone()).build();
            Some(look.map_err(|error| error.to_string())?)
        }
    };
    let verifier = Verifier { look, by_name: address.tls == TlsMode::VerifyFull, provider: provider.clone() };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(config)
}

/// The authorities: those of the file in the address alone, else those of this machine, else the ones that browsers believe.
fn roots(address: &Address) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = address.root_certificates.as_deref() {
        let found = authorities::in_file(file)
            .map_err(|error| format!("could not read {}: {error}", file.display()))?;
        let (added, _) = roots.add_parsable_certificates(found);
        if added == 0 {
            return Err(format!("{} holds no certificate in PEM form", file.display()));
        }
        return Ok(roots);
    }
    let (added, _) = roots.add_parsable_certificates(authorities::believed(&address.named_authorities));
    if added == 0 {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    Ok(roots)
}

/// Looks at a certificate as closely as the mode asks: not at all, at who signed it, or also at its name.
#[derive(Debug)]
struct Verifier {
    look: Option<Arc<WebPkiServerVerifier>>,
    by_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let Some(look) = &self.look else { return Ok(ServerCertVerified::assertion()) };
        match look.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last: whoever gets there was signed by somebody we believe.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.by_name => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
