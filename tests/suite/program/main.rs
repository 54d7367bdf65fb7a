//! Serves the operations of a mode, and sends instances to them.
//!
//! `tests/suite` copies this file into the target folder, next to the generated `modes.rs`, and compiles it there.
//!
//! The argument is the name of the mode. Each line of standard input is the path of an operation, a tab, and a JSON
//! text. For each line, the program prints the status of the response, and whether the slow path finds no violation.

mod modes;

use std::{
    collections::HashMap,
    env,
    error::Error,
    io::{self, Read, Write},
};

use axum::{Router, body::Body};
use openapi_crates_runtime::{
    codec::JsonReader,
    server::{Service, http::Request},
    table::Operation,
    validation::{Position, Violations, walk},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Every request with an index divisible by this number is also sent over a socket.
const SOCKET_INTERVAL: usize = 100;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The service of a mode, and its operations.
pub struct Mounted {
    service: Service,
    operations: &'static [&'static [&'static Operation]],
}

/// Implements the server of each mode. Every operation responds with 204 to a valid request.
#[macro_export]
macro_rules! modes {
    ($($mode:ident $server:ident $validation:ident { $($operation:ident $input:ident,)* })*) => {
        /// Mounts all operations of a mode.
        pub fn mount(mode: &str) -> $crate::Result<$crate::Mounted> {
            match mode {
                $(stringify!($mode) => $mode::mount(),)*
                _ => Err(format!("unknown mode: {mode}").into()),
            }
        }

        $(mod $mode {
            use std::sync::Arc;

            use openapi_crates_runtime::{server::{Context, Failure}, types::NoError};
            use $server::{Server, groups::GroupsApi, models::groups::*};

            struct Groups;

            impl GroupsApi for Groups {
                $(async fn $operation(&self, _: Context<()>, _: $input) -> Result<(), Failure<NoError>> {
                    Ok(())
                })*
            }

            pub fn mount() -> $crate::Result<$crate::Mounted> {
                let service = Server::builder().groups(Arc::new(Groups)).build()?;
                Ok($crate::Mounted { service, operations: $validation::OPERATIONS })
            }
        })*
    };
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mode = env::args().nth(1).ok_or("missing argument: the name of a mode")?;
    let Mounted { service, operations } = modes::mount(&mode)?;
    let operations: HashMap<&str, &'static Operation> =
        operations.iter().copied().flatten().map(|operation| (operation.path, *operation)).collect();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let app = Router::new().fallback_service(service.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });

    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let mut output = String::new();
    for (index, line) in input.lines().enumerate() {
        let (path, instance) = line.split_once('\t').ok_or("a line has no tab")?;
        let status = in_process(&service, path, instance).await?;
        if index % SOCKET_INTERVAL == 0 {
            let other = over_loopback(&address, path, instance).await?;
            if other != status {
                return Err(
                    format!("{path}: {status} in the process, {other} over a socket: {instance}").into()
                );
            }
        }
        let operation = operations.get(path).ok_or_else(|| format!("no operation has the path {path}"))?;
        output.push_str(&format!("{status} {}\n", walked(operation, instance)?));
    }
    io::stdout().write_all(output.as_bytes())?;
    Ok(())
}

/// Calls the service and returns the status of the response.
async fn in_process(service: &Service, path: &str, instance: &str) -> Result<u16> {
    let request = Request::post(path)
        .header("content-type", "application/json")
        .body(Body::from(instance.to_owned()))?;
    Ok(service.handle(request).await?.status().as_u16())
}

/// Sends a request over a socket and returns the status of the response.
async fn over_loopback(address: &str, path: &str, instance: &str) -> Result<u16> {
    let mut stream = TcpStream::connect(address).await?;
    let length = instance.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{instance}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    let status = response.split(' ').nth(1).ok_or("the response has no status")?;
    Ok(status.parse()?)
}

/// Returns whether the slow path finds no violation.
fn walked(operation: &'static Operation, instance: &str) -> Result<bool> {
    let content = operation.body.as_ref().and_then(|body| body.contents.first());
    let schema = content.ok_or("the operation has no body")?.schema;
    let mut violations = Violations::new();
    let mut reader = JsonReader::strict(instance.as_bytes());
    let read = walk(schema, &mut reader, &Position::body(), &mut violations).and_then(|()| reader.finish());
    Ok(read.is_ok() && violations.is_empty())
}
