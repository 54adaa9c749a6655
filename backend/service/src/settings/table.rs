//! Every setting of the kit, once: its name, its form, its default, and what it is for. The page of documentation is held against it.

use std::fmt::Write as _;

/// A setting: what can be said in the environment or in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Its name in a file; in the environment it is `TABLEWRIGHT_` and the name in capitals.
    pub name: &'static str,
    /// What its values look like.
    pub form: &'static str,
    /// What holds when nothing is said, for people to read.
    pub default: &'static str,
    /// Whether its value is never shown.
    pub secret: bool,
    /// What it does.
    pub about: &'static str,
    /// What says whether a value can be used, where that can be said of the value alone.
    pub check: Check,
    /// Whether it is told why a secret cannot be used: then its check says nothing of its value.
    pub is_explained: bool,
}

/// What says why a value cannot be used, if it cannot.
type Judge = fn(&str) -> Result<(), String>;

/// What says whether a value can be used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Check(pub(crate) Option<Judge>);

impl Check {
    /// It is looked at when it is used.
    pub const NONE: Check = Check(None);
}

/// Two settings are one by what they say of themselves.
impl PartialEq for Check {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Check {}

impl Setting {
    /// One whose value may be shown.
    pub const fn plain(
        name: &'static str,
        form: &'static str,
        default: &'static str,
        about: &'static str,
    ) -> Self {
        Setting {
            name,
            form,
            default,
            secret: false,
            about,
            check: Check::NONE,
            is_explained: false,
        }
    }

    /// The same, whose value is looked at when the service starts: what cannot be used is told together with all else that cannot.
    pub const fn checked(self, check: fn(&str) -> Result<(), String>) -> Self {
        Setting {
            check: Check(Some(check)),
            ..self
        }
    }

    /// The same, for a secret whose check says nothing of its value: then it is told why it cannot be used.
    pub const fn explained(self) -> Self {
        Setting {
            is_explained: true,
            ..self
        }
    }

    /// Why a value cannot be used, without the value where it is secret.
    pub(crate) fn told(&self, why: String) -> String {
        match self.secret && !self.is_explained {
            true => format!("it is not {}", self.form),
            false => why,
        }
    }

    /// One whose value is never shown.
    pub const fn secret(
        name: &'static str,
        form: &'static str,
        default: &'static str,
        about: &'static str,
    ) -> Self {
        Setting {
            secret: true,
            ..Setting::plain(name, form, default, about)
        }
    }
}

/// The settings every service has.
pub const KIT: &[Setting] = &[
    Setting::plain(
        "host",
        "an IP address",
        "127.0.0.1",
        "Where to listen. Other addresses than loopback need an `issuer`.",
    ),
    Setting::plain(
        "port",
        "0 to 65535",
        "the service's own",
        "Where to listen; 0 is any free port. The variable `PORT` is obeyed before all else.",
    ),
    Setting::plain(
        "endpoint",
        "`embedded:DIR`, `temporary`, `aws`, an address",
        "embedded:.tablewright",
        "Where the tables are, see [DynamoDB on your machine](local.md).",
    ),
    Setting::plain(
        "table_prefix",
        "letters, digits, `_`, `-`, `.`",
        "none",
        "What the names of the tables begin with, to keep environments apart.",
    ),
    Setting::secret(
        "cursor_secret",
        "16 characters or more",
        "one for each process",
        "Seals the cursors of pages. Processes that serve the same callers need the same.",
    ),
    Setting::plain(
        "issuer",
        "an `https` address",
        "the development issuer",
        "Who signs the tokens: the claim `iss`. For Cognito `https://cognito-idp.REGION.amazonaws.com/POOL`.",
    ),
    Setting::plain(
        "jwks_url",
        "an `https` address",
        "`issuer` + `/.well-known/jwks.json`",
        "Where the issuer publishes its keys. Plain `http` on loopback only.",
    ),
    Setting::plain(
        "audience",
        "a list",
        "needed with `issuer`",
        "For whom tokens must be: one of these is in `aud`, or is the `client_id` of a token without `aud`, as Cognito's access tokens are.",
    ),
    Setting::plain(
        "sign_in_client",
        "the id of a public client",
        "none: pages ask for a token",
        "As whom pages send people to the `issuer` to sign in, see [Signing in](#signing-in).",
    ),
    Setting::plain(
        "algorithm",
        "`RS256`, `ES256`, `EdDSA`",
        "RS256",
        "The one algorithm tokens are signed with.",
    ),
    Setting::plain(
        "leeway",
        "up to `5m`",
        "30s",
        "How far the clocks of issuer and service may be apart.",
    ),
    Setting::plain(
        "jwks_refresh",
        "`10s` to `24h`",
        "15m",
        "How often the keys of the issuer are read again. An unknown key id leads to it at once, at most every 10 seconds.",
    ),
    Setting::plain(
        "issuer_keys",
        "a folder",
        "that of the embedded engine, else .tablewright",
        "Where the development issuer keeps its key, in `issuer.key`.",
    ),
    Setting::plain(
        "cors_origins",
        "a list of origins, or `*`",
        "none",
        "Which web pages may call the service from a browser.",
    ),
    Setting::plain(
        "body_limit",
        "`1 KB` to `16 MB`",
        "256 KB",
        "The longest body of a request.",
    ),
    Setting::plain(
        "header_limit",
        "`1 KB` to `64 KB`",
        "16 KB",
        "The longest headers of a request, all together with its address.",
    ),
    Setting::plain(
        "idle_timeout",
        "`100ms` to `15m`",
        "75s",
        "How long a connection may wait for the next request, its headers included. Proxies must be less patient.",
    ),
    Setting::plain(
        "body_timeout",
        "`100ms` to `5m`",
        "10s",
        "How long the body of a request may take to arrive.",
    ),
    Setting::plain(
        "request_timeout",
        "`100ms` to `15m`",
        "30s",
        "How long a request may take in all.",
    ),
    Setting::plain(
        "shutdown_delay",
        "up to `5m`",
        "0s",
        "How long to go on as before after the signal to end, while `/health/ready` says no already.",
    ),
    Setting::plain(
        "shutdown_timeout",
        "up to `15m`",
        "25s",
        "How long requests that were accepted may take to end after that.",
    ),
    Setting::plain(
        "end_with_input",
        "`true`, `false`",
        "false",
        "Whether the end of its standard input tells the service to end, as a signal does: for whoever starts it as a part of something greater.",
    ),
    Setting::plain(
        "max_connections",
        "1 to 1000000",
        "4096",
        "How many connections are open at once; others wait to be accepted.",
    ),
    Setting::plain(
        "rate",
        "requests a second, 0 for no limit",
        "50",
        "How often one caller may ask, or one address without a token, in each process.",
    ),
    Setting::plain(
        "burst",
        "1 to 1000000",
        "100",
        "How many requests one caller may make at once, before `rate` holds.",
    ),
    Setting::plain(
        "forwarded_hops",
        "0 to 10",
        "0",
        "How many proxies stand before the service: so many entries of `X-Forwarded-For`, from its end, are believed.",
    ),
    Setting::plain(
        "log",
        "`error`, `warn`, `info`, `debug`, `trace`, also by crate: `info,tablewright=debug`",
        "info",
        "What is logged.",
    ),
    Setting::plain(
        "log_format",
        "`json`, `text`, `auto`",
        "auto",
        "One JSON object a line, or text for people; `auto` is text on a terminal.",
    ),
    Setting::plain(
        "metrics_address",
        "an address and a port, as `127.0.0.1:9102`",
        "none",
        "Where a process that only follows changes shows `/metrics` and `/health/live`. One that serves shows them where it serves.",
    ),
    Setting::secret(
        "metrics_token",
        "16 characters or more",
        "none",
        "What must be sent as bearer token to read `/metrics`. Without it everybody may.",
    ),
];

/// The rows of a Markdown table of settings, as the documentation shows it.
pub fn markdown(settings: &[Setting]) -> String {
    let mut text = String::from("| Setting | Values | Default | |\n|---|---|---|---|\n");
    for setting in settings {
        let Setting {
            name,
            form,
            default,
            about,
            secret,
            check: _,
            is_explained: _,
        } = setting;
        let kept = if *secret { " Never shown." } else { "" };
        writeln!(text, "| `{name}` | {form} | {default} | {about}{kept} |")
            .expect("a string takes all that is written to it");
    }
    text
}
