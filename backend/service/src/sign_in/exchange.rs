//! A code becomes tokens, at the issuer. Nothing of either is logged.

use std::fmt;

use serde::Deserialize;

use crate::auth::Fetcher;
use crate::problem::{Kind, Problem};

/// The longest code, and the longest address of a page.
const LONGEST: usize = 8 * 1024;

/// The longest explanation of an issuer that is passed on.
const LONGEST_EXPLANATION: usize = 300;

/// What a page hands over when its person is back from the issuer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Handed {
    code: String,
    /// What the challenge was made of, which only the browser knows that began.
    code_verifier: String,
    /// Where the issuer sent the person. Only the issuer reads it, and compares it with what it was told before.
    redirect_uri: String,
}

/// What an issuer gives.
#[derive(Deserialize)]
pub(super) struct Tokens {
    pub(super) id_token: Option<String>,
    pub(super) access_token: Option<String>,
}

/// Why an issuer gives nothing, after RFC 6749.
#[derive(Deserialize)]
struct Refusal {
    error: String,
    error_description: Option<String>,
}

impl Handed {
    /// What is sent to the issuer.
    pub(super) fn form(&self, client: &str) -> Result<String, Problem> {
        let visible = |text: &str| {
            (1..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
        };
        let is_verifier = (43..=128).contains(&self.code_verifier.len())
            && self
                .code_verifier
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
        let mut wrong = Vec::new();
        if !visible(&self.code) {
            wrong.push(("code", "it is what the issuer gave, in visible characters"));
        }
        if !is_verifier {
            wrong.push((
                "code_verifier",
                "it has 43 to 128 letters, digits and `-._~`",
            ));
        }
        if !visible(&self.redirect_uri) {
            wrong.push(("redirect_uri", "it is the address of the page"));
        }
        if !wrong.is_empty() {
            let problem = Problem::new(Kind::INVALID);
            return Err(wrong.into_iter().fold(problem, |problem, (field, reason)| {
                problem.field(field, reason)
            }));
        }
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("client_id", client)
            .append_pair("code", &self.code)
            .append_pair("code_verifier", &self.code_verifier)
            .append_pair("redirect_uri", &self.redirect_uri);
        Ok(form.finish())
    }
}

/// Asks the issuer for the tokens of a code.
pub(super) async fn exchange(
    fetcher: &Fetcher,
    endpoint: &str,
    form: String,
) -> Result<Tokens, Problem> {
    let answer = fetcher.post(endpoint, form).await.map_err(|why| {
        unavailable("the issuer cannot be reached: sign in again later").cause(why)
    })?;
    match answer.status {
        200..300 => serde_json::from_slice(&answer.body)
            // What serde says may quote what was sent.
            .map_err(|_| {
                not_understood("the answer of the token endpoint is not what it should be")
            }),
        400..500 => match serde_json::from_slice(&answer.body) {
            Ok(refusal) => Err(refused(&refusal)),
            Err(_) => Err(not_understood(format!(
                "the token endpoint answers with {} and no reason",
                answer.status
            ))),
        },
        status => Err(not_understood(format!(
            "the token endpoint answers with {status}"
        ))),
    }
}

/// The issuer answered, and nobody knows what.
pub(super) fn not_understood(cause: impl fmt::Display) -> Problem {
    unavailable("the answer of the issuer cannot be understood: sign in again later").cause(cause)
}

fn unavailable(detail: &str) -> Problem {
    let wait = std::time::Duration::from_secs(2);
    Problem::new(Kind::UNAVAILABLE)
        .retry_after(wait)
        .detail(detail)
}

fn refused(refusal: &Refusal) -> Problem {
    let ours = "the issuer refuses the client of this service: its settings must be corrected";
    let words = match refusal.error.as_str() {
        "invalid_grant" => {
            "the code of the issuer has expired, was used before, or is not for this page"
        }
        "invalid_client" | "unauthorized_client" | "unsupported_grant_type" => ours,
        "invalid_scope" => "the issuer does not give what the page asks for",
        _ => "the issuer refuses the code",
    };
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let known = refusal.error.len() <= 64 && refusal.error.bytes().all(is_word);
    // The explanation is for the person. The log has the word alone: an explanation might quote the code.
    let explained = refusal.error_description.as_deref().unwrap_or_default();
    let explained: String = explained
        .chars()
        .filter(|letter| !letter.is_control())
        .take(LONGEST_EXPLANATION)
        .collect();
    let detail = match explained.is_empty() {
        true => words.to_owned(),
        false => format!("{words} (“{explained}”)"),
    };
    Problem::new(Kind::SIGN_IN_REFUSED)
        .detail(detail)
        .cause(match known {
            true => format!("the issuer says {}", refusal.error),
            false => String::from("the issuer says something else"),
        })
}
