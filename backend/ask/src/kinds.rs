//! The kinds of problems this service has besides those of every service.

use tablewright_service::Kind;

/// All of them.
pub(crate) const KINDS: &[Kind] = &[QUOTA_EXCEEDED, BANNED, ALREADY_ANSWERED, QUESTION_OVER];

/// 403: an agent has as many open questions as it may have.
pub(crate) const QUOTA_EXCEEDED: Kind = Kind {
    slug: "quota-exceeded",
    status: 403,
    title: "The agent has too many open questions",
    about: "So many questions of an agent accept answers at a time: `detail` says how many. Wait until one is closed or has expired. Nothing was done.",
};

/// 403: a person who abused the service.
pub(crate) const BANNED: Kind = Kind {
    slug: "banned",
    status: 403,
    title: "This person answers no more questions",
    about: "An admin has looked at answers of this person and banned them. Nothing was done.",
};

/// 409: one answer each (S2-22).
pub(crate) const ALREADY_ANSWERED: Kind = Kind {
    slug: "already-answered",
    status: 409,
    title: "This person has answered this question",
    about: "A question takes one answer of each person. Nothing was done.",
};

/// 410: it accepts no answers any more (C2-7, C2-12).
pub(crate) const QUESTION_OVER: Kind = Kind {
    slug: "question-over",
    status: 410,
    title: "The question takes no more answers",
    about: "It has all the answers it needs, or its time is over: `detail` says which. Nothing was stored.",
};
