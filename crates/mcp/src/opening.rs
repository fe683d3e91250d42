//! The opening: a client that talks before it has introduced itself is heard, not hung up on.

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// A transport that leaves out what cannot be answered before the first request. The library would end the server over
/// a notification that comes too early.
pub(crate) struct Opening<T> {
    inner: T,
    is_open: bool,
}

impl<T> Opening<T> {
    pub(crate) fn of(inner: T) -> Self {
        Self { inner, is_open: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Opening<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.inner.receive().await?;
            let opens = matches!(&message, JsonRpcMessage::Request(it) if opens(&it.request));
            self.is_open |= opens;
            if self.is_open || matches!(message, JsonRpcMessage::Request(_)) {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

/// Whether a request begins the conversation: a greeting, or a call that brings its own version along. Others are
/// refused, and a look at what there is leaves the choice open.
fn opens(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) => false,
        other => other.get_meta().protocol_version().is_some(),
    }
}
