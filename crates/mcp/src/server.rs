//! The server: the official library's handler, one call at a time, each on a thread where it may take its time.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation,
    ListPromptsResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptArgument,
    PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, Role, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use throughline_domain::text::one_line;
use tokio::sync::Mutex;

use crate::call::Call;
use crate::catalogue::{self, Page, Ready};
use crate::opening::Opening;
use crate::stdin::Stdin;
use crate::stdout::Stdout;
use crate::{Answer, Refusal};

/// Longest line that is read; a longer one is refused, and skipped to its end.
const LINE_BYTES_MAX: usize = throughline_domain::limits::MCP_LINE_BYTES_MAX;
/// Longest focus that a person gives to a compaction, in UTF-16 units.
const FOCUS_UNITS_MAX: usize = 400;
/// How long what is being written may take once the client has hung up.
const LAST_WORK: Duration = Duration::from_secs(5);

/// Where calls are answered. Nothing is held between two of them: no file, no lock.
pub trait Desk: Send + Sync + 'static {
    /// Does what a tool is for.
    fn call(&self, call: Call) -> Result<Answer, Refusal>;
    /// A page as it stands.
    fn page(&self, page: Page) -> Result<String, Refusal>;
    /// The text of a prompt, with what the person wants to focus on.
    fn prompt(&self, prompt: Ready, focus: Option<&str>) -> Result<String, Refusal>;
}

/// Serves one client on standard input and output until it leaves. `version` is the binary's.
pub fn serve(desk: impl Desk, version: &'static str) -> Result<(), Refusal> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        // The library gives its last answers a deadline.
        .enable_time()
        .build()
        .map_err(|error| Refusal::new(format!("could not start the server: {error}")))?;
    runtime.block_on(async {
        let stdin = Stdin::of(tokio::io::stdin(), LINE_BYTES_MAX, Stdout::say);
        let pipes = AsyncRwTransport::new_server(stdin, Stdout);
        let server = Server { desk: Arc::new(desk), turn: Mutex::new(()), version };
        // A client that leaves, in whatever way, has ended the conversation: that is no failure of ours.
        if let Ok(running) = server.serve(Opening::of(pipes.with_max_line_length(LINE_BYTES_MAX))).await {
            let _ = running.waiting().await;
        }
    });
    runtime.shutdown_timeout(LAST_WORK);
    Ok(())
}

struct Server<D> {
    desk: Arc<D>,
    /// Calls are done in the order in which they came: what was recorded before a question is in its answer.
    turn: Mutex<()>,
    version: &'static str,
}

impl<D: Desk> Server<D> {
    /// Does something at the desk on a thread of its own: pings are answered meanwhile.
    async fn at_desk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&D) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let desk = Arc::clone(&self.desk);
        let _turn = self.turn.lock().await;
        tokio::task::spawn_blocking(move || work(&desk))
            .await
            .unwrap_or_else(|_| Err(Refusal::new("the call broke; `throughline doctor` may tell why")))
    }
}

impl<D: Desk> ServerHandler for Server<D> {
    fn get_info(&self) -> ServerConfig {
        let offered =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(offered)
            .with_server_info(Implementation::new("throughline", self.version))
            .with_instructions(catalogue::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = Call::read(&request.name, request.arguments.unwrap_or_default()).ok_or_else(|| {
            ErrorData::invalid_params(format!("there is no tool `{}`", one_line(&request.name, 60)), None)
        })?;
        let answer = match call {
            Ok(call) => self.at_desk(move |desk| desk.call(call)).await,
            Err(refusal) => Err(refusal),
        };
        Ok(match answer {
            Ok(answer) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = answer.structured;
                result.into()
            }
            Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.shown())]).into(),
        })
    }

    /// What the library cannot make out: a method that nobody offers, or one of ours without what it needs.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = one_line(&request.method, 60);
        Err(match request.method.as_str() {
            "tools/call" | "prompts/get" | "resources/read" => {
                ErrorData::invalid_params(format!("`params` do not fit `{method}`"), None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
        })
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let page = |page: Page| {
            Resource::new(page.address(), page.name())
                .with_description(page.about())
                .with_mime_type(page.mime_type())
        };
        Ok(ListResourcesResult::with_all_items(Page::ALL.map(page).to_vec()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = Page::ALL.into_iter().find(|page| page.address() == request.uri);
        let page = found.ok_or_else(|| {
            let what = format!("there is no resource `{}`", one_line(&request.uri, 120));
            ErrorData::resource_not_found(what, None)
        })?;
        let text = self.at_desk(move |desk| desk.page(page)).await.map_err(|refusal| failed(&refusal))?;
        let contents = ResourceContents::text(text, page.address()).with_mime_type(page.mime_type());
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(Ready::ALL.map(offered).to_vec()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let found = Ready::ALL.into_iter().find(|prompt| prompt.name() == request.name);
        let prompt = found.ok_or_else(|| {
            ErrorData::invalid_params(format!("there is no prompt `{}`", one_line(&request.name, 60)), None)
        })?;
        let focus = request.arguments.unwrap_or_default().remove("focus");
        let focus = focus.as_ref().and_then(Value::as_str).map(|focus| one_line(focus, FOCUS_UNITS_MAX));
        let text = self
            .at_desk(move |desk| desk.prompt(prompt, focus.as_deref().filter(|focus| !focus.is_empty())))
            .await
            .map_err(|refusal| failed(&refusal))?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(prompt.about()).into())
    }
}

fn failed(refusal: &Refusal) -> ErrorData {
    ErrorData::internal_error(refusal.shown(), None)
}

fn offered(prompt: Ready) -> Prompt {
    let arguments = (prompt == Ready::Compaction)
        .then(|| vec![PromptArgument::new("focus").with_description("what the summary should dwell on")]);
    Prompt::new(prompt.name(), Some(prompt.about()), arguments)
}

fn tools() -> Vec<Tool> {
    catalogue::tools()
        .into_iter()
        .map(|entry| {
            let schema = entry.schema.as_object().cloned().unwrap_or_default();
            let tool = Tool::new(entry.name, entry.about, schema);
            if entry.reads_only {
                tool.with_annotations(ToolAnnotations::new().read_only(true))
            } else {
                tool
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;
    use throughline_domain::text::utf16_len;

    /// What the tool list may cost a session, in tokens.
    const TOOL_LIST_TOKENS_MAX: usize = 1_200;

    #[test]
    fn the_tool_list_stays_cheap() {
        let list = serde_json::to_string(&ListToolsResult::with_all_items(tools())).unwrap();
        let tokens = (utf16_len(&list) + utf16_len(catalogue::INSTRUCTIONS)).div_ceil(4);
        assert!(tokens <= TOOL_LIST_TOKENS_MAX, "{tokens} tokens: {list}");
        // Far less would mean that the list is not the one that is sent.
        assert!(tokens > TOOL_LIST_TOKENS_MAX / 3, "{tokens} tokens: {list}");
    }

    #[test]
    fn every_tool_in_the_list_can_be_called_with_what_its_schema_names() {
        for entry in catalogue::tools() {
            let properties = entry.schema["properties"].as_object().unwrap();
            // A recall searches or opens; `id` has its own test.
            let given: Map<String, Value> = properties
                .iter()
                .filter(|(name, _)| entry.name != "recall" || *name != "id")
                .map(|(name, schema)| {
                    let value = match (&schema["enum"][0], schema["type"].as_str()) {
                        (Value::String(first), _) => first.clone().into(),
                        (_, Some("boolean")) => true.into(),
                        (_, Some("integer")) => 1.into(),
                        _ => "words".into(),
                    };
                    (name.clone(), value)
                })
                .collect();
            let read = Call::read(entry.name, given).expect(entry.name);
            assert!(read.is_ok(), "{}: {read:?}", entry.name);
        }
    }
}
