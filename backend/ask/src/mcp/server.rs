//! The tools, called by a client.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tablewright::Uuid;

use super::answers::{Answers, Question};
use super::arguments::{AskHuman, CheckAnswers};
use super::service::{Failure, Service};
use super::tools::{self, ASK, CHECK};

/// What a client speaks to.
#[derive(Debug)]
pub(super) struct Server {
    service: Service,
}

impl Server {
    pub(super) fn new(service: Service) -> Self {
        Server { service }
    }

    async fn ask(&self, arguments: JsonObject, context: &Context) -> Result<Answers, Failure> {
        let AskHuman { question, wait } = AskHuman::of(arguments)?;
        let asked = self.service.submit(&question).await?;
        let read = self.read(asked.question_id, wait, context).await;
        Ok(read.unwrap_or_else(|failure| Answers::unread(asked, &failure.to_string())))
    }

    async fn check(&self, arguments: JsonObject, context: &Context) -> Result<Answers, Failure> {
        let (question, wait) = CheckAnswers::of(arguments)?;
        self.read(question, wait, context).await
    }

    async fn read(
        &self,
        question: Uuid,
        wait: Duration,
        context: &Context,
    ) -> Result<Answers, Failure> {
        let told = |waited: u64, found: Question| async move {
            tell(context, waited, wait, found.progress()).await;
        };
        let question = self.service.answers(question, wait, told).await?;
        Ok(Answers::from(question))
    }
}

type Context = RequestContext<RoleServer>;

/// Clients that asked to hear of progress wait longer than others.
async fn tell(context: &Context, waited: u64, wait: Duration, message: String) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    let progress = ProgressNotificationParam::new(token, waited as f64)
        .with_total(wait.as_secs_f64())
        .with_message(message);
    // A client that does not hear it hears the answer.
    let _ = context.peer.notify_progress(progress).await;
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let about = Implementation::new("ask-a-human", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(about.with_title("Ask-a-Human"))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let called = async {
            match request.name.as_ref() {
                ASK => Ok(self.ask(arguments, &context).await),
                CHECK => Ok(self.check(arguments, &context).await),
                other => Err(ErrorData::invalid_params(
                    format!("there is no tool `{other}`"),
                    None,
                )),
            }
        };
        let done = tokio::select! {
            called = called => called?,
            () = context.ct.cancelled() => Err(Failure::Cancelled),
        };
        // What went wrong is for the model to read, which a fault of the protocol is not.
        let told = match done {
            Ok(answers) => serde_json::to_value(answers)
                .map(CallToolResult::structured)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
            Err(failure) => CallToolResult::error(vec![ContentBlock::text(failure.to_string())]),
        };
        Ok(told.into())
    }
}
