//! `tablewright local`: a DynamoDB endpoint for every SDK and tool.

use std::io;

use tablewright_local::{Engine, serve};
use tokio::net::TcpListener;

use crate::Outcome;
use crate::arguments::LocalArguments;
use crate::error::{Failure, shown};
use crate::output::Output;
use crate::signals;

pub(crate) fn run(arguments: &LocalArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::Server)?;
    runtime.block_on(listen(arguments, output))?;
    Ok(Outcome::Clean)
}

async fn listen(arguments: &LocalArguments, output: &mut Output) -> Result<(), Failure> {
    // From the first moment, so that nobody who stops it early leaves it half started.
    let stopped = signals::stop().map_err(Failure::Server)?;
    let listener = bind(&arguments.host, arguments.port).await?;
    let address = listener.local_addr().map_err(Failure::Server)?;
    let engine = match arguments.temporary {
        true => Engine::temporary(),
        false => Engine::open(&arguments.data),
    }
    .map_err(Failure::Data)?;
    engine.start_upkeep();
    let data = match arguments.temporary {
        true => String::from("a folder that goes with it"),
        false => shown(&arguments.data),
    };
    output.print(&format!(
        "\
{} is at http://{address}, its data in {data}

  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_REGION=us-east-1
  aws dynamodb list-tables --endpoint-url http://{address}

Ctrl-C stops it.
",
        output.bold("DynamoDB")
    ))?;
    serve(engine, listener, stopped)
        .await
        .map_err(Failure::Server)
}

async fn bind(host: &str, port: u16) -> Result<TcpListener, Failure> {
    TcpListener::bind((host, port)).await.map_err(|why| {
        let address = format!("{host}:{port}");
        match why.kind() {
            io::ErrorKind::AddrInUse => Failure::AddressInUse { address },
            _ => Failure::CannotListen { address, why },
        }
    })
}
