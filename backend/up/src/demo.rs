//! Something to show: requests from a file, sent to a service as anybody could send them.

mod begun;
mod kept;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tablewright_http::Client;
use tablewright_service::DevelopmentIssuer;

use self::begun::Begun;
pub(crate) use self::begun::note;
pub(crate) use self::kept::Kept;
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

/// Sends what stands in a file, from where the run that is noted was interrupted. What is to be shown of the answers, by whose it is.
pub(crate) async fn send(
    path: &Path,
    service: &ServicePlan,
    issuer: &DevelopmentIssuer,
    note: &Path,
) -> Result<BTreeMap<String, String>, String> {
    let text = fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let script: Script =
        toml::from_str(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    let client = Client::new(PATIENCE, LONGEST);
    let noted = |begun: &Begun| {
        let written = begun.write(note);
        written.map_err(|why| format!("{}: {why}", note.display()))
    };
    let mut begun = Begun::read(note);
    // Before the first request: what it is known by must be known after it was cut off.
    noted(&begun)?;
    for request in script.request.iter().skip(begun.answered) {
        let answer = ask(&client, service, issuer, &begun, request)
            .await
            .map_err(|why| {
                format!(
                    "request {} of {}, `{}`: {why}",
                    begun.answered + 1,
                    path.display(),
                    request.send
                )
            })?;
        if let Some(name) = &request.keep {
            begun.words.keep(name, answer);
        }
        begun.answered += 1;
        noted(&begun)?;
    }
    let shown = script.show.iter();
    shown
        .map(|(who, what)| Ok((who.clone(), begun.words.fill(what)?)))
        .collect()
}

async fn ask(
    client: &Client,
    service: &ServicePlan,
    issuer: &DevelopmentIssuer,
    begun: &Begun,
    request: &Request,
) -> Result<Value, String> {
    let words = &begun.words;
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
    let key = begun.key();
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
