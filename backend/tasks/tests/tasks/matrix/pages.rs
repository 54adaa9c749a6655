//! The parts of the page, asked by everybody.

use http::Method;
use tasks::page_parts;

use super::{Row, as_routed, part};

/// The page: whoever has no token sees where to sign in, and nothing else. The rest is as the routes say.
pub(super) fn pages() -> Vec<Row> {
    let (get, post, delete) = (Method::GET, Method::POST, Method::DELETE);
    let everybody = [200; 6];
    let known = [401, 200, 200, 200, 403, 403];
    let who_works_on_it = [401, 403, 200, 200, 403, 403];
    let admins = [401, 403, 403, 200, 403, 403];
    vec![
        part(get.clone(), "~/", "", everybody),
        part(get.clone(), "~/tasks/{task}", "", everybody),
        part(get.clone(), "~/people", "", everybody),
        part(get.clone(), "~/page/board", "", known),
        part(get.clone(), "~/page/columns/OPEN", "", admins),
        part(post.clone(), "~/page/tasks", "title=New", admins),
        part(get.clone(), "~/page/tasks/{task}", "", who_works_on_it),
        part(post.clone(), "~/page/tasks/{task}", "title=Other", admins),
        part(delete.clone(), "~/page/tasks/{task}", "", admins),
        part(get.clone(), "~/page/tasks/{task}/edit", "", admins),
        part(get.clone(), "~/page/tasks/{task}/now", "", admins),
        part(
            post.clone(),
            "~/page/tasks/{task}/status",
            "status=IN_PROGRESS",
            who_works_on_it,
        ),
        part(
            post.clone(),
            "~/page/tasks/{task}/status",
            "status=IN_PROGRESS&on=board",
            who_works_on_it,
        ),
        part(post.clone(), "~/page/tasks/{task}/close", "", admins),
        part(
            post.clone(),
            "~/page/tasks/{task}/assign",
            "user_id=free",
            admins,
        ),
        part(
            get.clone(),
            "~/page/tasks/{task}/others?who=free",
            "",
            admins,
        ),
        part(
            delete.clone(),
            "~/page/people/gone-member/email",
            "",
            admins,
        ),
        part(
            delete,
            "~/page/tasks/{task}/assignments/assigned",
            "",
            admins,
        ),
        part(
            post.clone(),
            "~/page/mail/e1/free/send",
            "",
            [401, 403, 403, 404, 403, 403],
        ),
        part(get, "~/page/people", "", admins),
        part(
            post,
            "~/page/people/free/status",
            "status=DEACTIVATED",
            admins,
        ),
    ]
}

/// No part of the page is missing either.
pub(super) fn parts_are_all_in(pages: &[Row]) {
    for (method, path) in page_parts() {
        let is_in = pages
            .iter()
            .any(|row| row.method == method && as_routed(row.path) == format!("~{path}"));
        assert!(is_in, "{method} {path} is not in the table of the page");
    }
}
