//! The kinds of problems this service has besides those of every service.

use tablewright_service::Kind;

/// All of them.
pub(crate) const KINDS: &[Kind] = &[DEACTIVATED, ADDRESS_REFUSED, NOT_ASSIGNABLE];

/// 403: the caller was deactivated (C1-17).
pub(crate) const DEACTIVATED: Kind = Kind {
    slug: "deactivated",
    status: 403,
    title: "The caller was deactivated",
    about: "An admin has deactivated this user. No token helps until an admin activates them again.",
};

/// 403: the caller cannot be known by their address.
pub(crate) const ADDRESS_REFUSED: Kind = Kind {
    slug: "address-refused",
    status: 403,
    title: "The caller's e-mail address is not accepted",
    about: "A person is known by an e-mail address that the issuer has verified whose domain is permitted, and to which mail can be sent: `detail` says what is missing.",
};

/// 400: nobody to assign a task to (S1-29).
pub(crate) const NOT_ASSIGNABLE: Kind = Kind {
    slug: "not-assignable",
    status: 400,
    title: "The task cannot be assigned to this user",
    about: "There is no such user, or they are not active: `detail` says which. Nothing was done.",
};
