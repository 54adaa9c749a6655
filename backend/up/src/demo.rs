//! Something to show: requests from a file, sent to a service as anybody could send them.

mod kept;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use jiff::civil::Date;
use serde::Deserialize;
use serde_json::Value;
use tablewright_http::Client;
use tablewright_service::DevelopmentIssuer;

pub(crate) use self::kept::Kept;
use self::words::Words;
use crate::ServicePlan;

/// How long a service may take for a request, and a token is good.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest answer that is read.
const LONGEST: usize = 1024 * 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    #[serde(default)]
    request: Vec<Request>,
    /// What is shown when everything is ready, by whose it is.
    #[serde(default)]
    show: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Somebody of the tokens of the service.
    r#as: Option<String>,
    /// Or with what else it is signed.
    bearer: Option<String>,
    /// A method and a path.
    send: String,
    body: Option<Value>,
    /// The name by which its answer is known to those that follow.
    keep: Option<String>,
}

/// Sends what stands in a file. What is to be shown of the answers, by whose it is.
pub(crate) async fn send(
    path: &Path,
    service: &ServicePlan,
    issuer: &DevelopmentIssuer,
) -> Result<BTreeMap<String, String>, String> {
    let text = fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let script: Script =
        toml::from_str(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    let client = Client::new(PATIENCE, LONGEST);
    let today = jiff::Zoned::now().date();
    let mut words = Words::new(today);
    for (number, request) in script.request.iter().enumerate() {
        let answer = ask(&client, service, issuer, &words, number, request, today)
            .await
            .map_err(|why| {
                format!(
                    "request {} of {}, `{}`: {why}",
                    number + 1,
                    path.display(),
                    request.send
                )
            })?;
        if let Some(name) = &request.keep {
            words.keep(name, answer);
        }
    }
    let shown = script.show.iter();
    shown
        .map(|(who, what)| Ok((who.clone(), words.fill(what)?)))
        .collect()
}

async fn ask(
    client: &Client,
    service: &ServicePlan,
    issuer: &DevelopmentIssuer,
    words: &Words,
    number: usize,
    request: &Request,
    today: Date,
) -> Result<Value, String> {
    let (method, path) = request
        .send
        .split_once(' ')
        .filter(|(_, path)| path.starts_with('/'))
        .ok_or("`send` is a method and a path, as `POST /api/v1/tasks`")?;
    let url = format!("{}{}", service.url(), words.fill(path)?);
    let body = match &request.body {
        Some(body) => words.fill_all(body)?.to_string().into_bytes(),
        None => Vec::new(),
    };
    let bearer = match (&request.r#as, &request.bearer) {
        (Some(sub), None) => {
            let token = service.tokens.iter().find(|token| token.sub == *sub);
            let token = token.ok_or_else(|| format!("nobody of `tokens` is `{sub}`"))?;
            Some(issuer.token(&token.person(), PATIENCE))
        }
        (None, Some(bearer)) => Some(words.fill(bearer)?),
        (None, None) => None,
        (Some(_), Some(_)) => return Err(String::from("it is signed by `as` or by `bearer`")),
    };
    let bearer = bearer.map(|bearer| format!("Bearer {bearer}"));
    // Sent again after it was cut off, it has its effect once.
    let key = format!("demo-{today}-{number}");
    let mut headers = vec![("idempotency-key", key.as_str())];
    if !body.is_empty() {
        headers.push(("content-type", "application/json"));
    }
    if let Some(bearer) = &bearer {
        headers.push(("authorization", bearer));
    }
    let answer = client.request(method, &url, &headers, body).await;
    let answer = answer.map_err(|why| why.to_string())?;
    if !(200..300).contains(&answer.status) {
        let body = String::from_utf8_lossy(&answer.body);
        return Err(format!("{}: {body}", answer.status));
    }
    // 204 has none.
    Ok(serde_json::from_slice(&answer.body).unwrap_or(Value::Null))
}
