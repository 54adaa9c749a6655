//! The kinds of problems there are. Their names are part of the API and do not change.

/// A kind of problem: its `type`, its status, its title, and what a caller can do.
///
/// A service may add its own, and names them to [`Service::problems`](crate::Service::problems) so that they are documented:
///
/// ```
/// use tablewright_service::{Kind, Problem};
///
/// const TOO_LATE: Kind = Kind {
///     slug: "too-late",
///     status: 409,
///     title: "The question is closed",
///     about: "Answers are taken until a question is closed.",
/// };
/// assert_eq!(Problem::new(TOO_LATE).status(), 409);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The last part of its `type`, `/problems/…`.
    pub slug: &'static str,
    /// The status of the response.
    pub status: u16,
    /// What it is, the same each time.
    pub title: &'static str,
    /// Why it happens, and what a caller can do.
    pub about: &'static str,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $status:literal, $slug:literal, $title:literal, $about:literal;)*) => {
        impl Kind {
            $(
                $(#[doc = $doc])*
                pub const $name: Kind = Kind { slug: $slug, status: $status, title: $title, about: $about };
            )*

            /// All kinds of the kit, by status.
            pub const ALL: &'static [Kind] = &[$(Kind::$name),*];
        }
    };
}

kinds! {
    /// 400: the request cannot be read.
    MALFORMED = 400, "malformed", "The request cannot be read",
        "The body is not JSON, or a value in the path, the query or a header is none of its kind. `errors` says which. Send another request.";
    /// 400: a cursor that is none of this query.
    BAD_CURSOR = 400, "bad-cursor", "The cursor does not belong to this query",
        "A cursor is good for the query and the caller it was given to, and cannot be changed. Begin again without one.";
    /// 401: nobody knows who asks.
    UNAUTHENTICATED = 401, "unauthenticated", "A valid token is needed",
        "The request has no token, or one that is not accepted: `detail` says why. Sign in again.";
    /// 403: the caller may not.
    FORBIDDEN = 403, "forbidden", "The caller may not do this",
        "The token is good, and its bearer has no right to this.";
    /// 403: the issuer did not sign a person in.
    SIGN_IN_REFUSED = 403, "sign-in-refused", "Signing in was refused",
        "The issuer took the code of a page for none, or gave a token that the service does not accept: `detail` says which. Sign in again.";
    /// 404: nothing is there.
    NOT_FOUND = 404, "not-found", "There is no such thing",
        "There is nothing at this address, or nothing that the caller may see.";
    /// 405: another method is meant.
    METHOD_NOT_ALLOWED = 405, "method-not-allowed", "The address does not take this method",
        "The header `Allow` names the methods it takes.";
    /// 408: the request did not arrive in time.
    TOO_SLOW = 408, "too-slow", "The request took too long to arrive",
        "The body did not arrive in time. Nothing was done. Send it again.";
    /// 409: another writer was faster.
    CONFLICT = 409, "conflict", "Another request changed it at the same time",
        "Nothing was done. Read it again, and decide again; what reads nothing, as what makes something new, is sent again after `Retry-After`, where there is one.";
    /// 409: it is there already.
    EXISTS = 409, "exists", "It is there already",
        "Nothing was done. What is there was not changed.";
    /// 409: a value another has.
    TAKEN = 409, "taken", "The value is taken",
        "Another one has this value, and it must not occur twice: `errors` says which. Nothing was done.";
    /// 409: its state does not allow this.
    REFUSED = 409, "refused", "Its state does not allow this",
        "It is there, and does not meet the condition of the request. Nothing was done.";
    /// 412: it is not as `If-Match` says.
    PRECONDITION_FAILED = 412, "precondition-failed", "It has changed",
        "Its `ETag` is none of those in `If-Match`, or one of those in `If-None-Match`. Nothing was done. Read it again, and decide again.";
    /// 413: the body is too long.
    TOO_LARGE = 413, "too-large", "The body is too long",
        "Nothing was done. `detail` says how long it may be.";
    /// 414: the address is too long.
    ADDRESS_TOO_LONG = 414, "address-too-long", "The address is too long",
        "Send a shorter query. What is long belongs into a body.";
    /// 415: the body is of another type.
    UNSUPPORTED_MEDIA_TYPE = 415, "unsupported-media-type", "The body must be JSON",
        "Send `Content-Type: application/json`, the text in UTF-8 and not compressed.";
    /// 422: the values are not allowed.
    INVALID = 422, "invalid", "Some values are not allowed",
        "`errors` names each field and the reason. Nothing was done.";
    /// 422: the idempotency key belongs to another request.
    KEY_REUSED = 422, "key-reused", "The idempotency key was used for another request",
        "The caller has sent this key to this route before, with another address, version or body. Nothing was done. Take a new key.";
    /// 429: the caller asks too often.
    RATE_LIMITED = 429, "rate-limited", "Too many requests",
        "`Retry-After` says in how many seconds to ask again, `RateLimit` how many requests are left.";
    /// 431: the headers are too long.
    HEADERS_TOO_LARGE = 431, "headers-too-large", "The headers are too long",
        "Send fewer or shorter headers.";
    /// 500: our mistake.
    INTERNAL = 500, "internal", "Something went wrong on our side",
        "It was logged, with the `request_id`. Whether something was done is not known; a request with an idempotency key can be sent again.";
    /// 503: something the service needs is away.
    UNAVAILABLE = 503, "unavailable", "The service cannot answer at the moment",
        "Something it needs cannot be reached. Nothing was done. `Retry-After` says when to ask again.";
    /// 503: the tables take no more.
    OVERLOADED = 503, "overloaded", "The service has too much to do at the moment",
        "Nothing was done. `Retry-After` says when to ask again.";
    /// 503: the answer took too long.
    TIMEOUT = 503, "timeout", "The answer took too long",
        "Whether something was done is not known; a request with an idempotency key can be sent again.";
    /// 503: nobody knows whether it was done.
    UNCERTAIN = 503, "uncertain", "It is not known whether it was done",
        "The answer of the database was lost. A request with an idempotency key can be sent again; otherwise look before.";
}

impl Kind {
    /// Its `type`, a reference to its page.
    pub fn uri(&self) -> String {
        if self.slug.is_empty() {
            return String::from("about:blank");
        }
        format!("/problems/{}", self.slug)
    }

    /// The kind that says no more than its status, if there is one.
    pub(crate) fn of_status(status: u16) -> Option<Kind> {
        let mut kinds = Kind::ALL.iter();
        kinds.find(|kind| kind.status == status).copied()
    }

    /// What is only known by its status.
    pub(crate) const UNNAMED: Kind = Kind {
        slug: "",
        status: 500,
        title: "The request was refused",
        about: "",
    };
}
