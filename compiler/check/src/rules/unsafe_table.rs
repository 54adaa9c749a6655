//! A table without recovery or deletion protection.

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "unsafe-table",
    code: "O16",
    severity: Warning,
    group: Operation,
    summary: "a table without point-in-time recovery or deletion protection",
    why: "Without recovery a bad deployment that writes over items cannot be undone; without deletion protection one renamed resource in a template
deletes the table with everything in it. Both are found out on the day they are needed.

Leave both settings out: recovery and protection are on unless a model says otherwise. For a table of throw-away data, allow this rule with
that reason.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, table) in context.model.tables.iter().enumerate() {
        let settings = [
            (
                table.recovery,
                "recovery",
                "has no point-in-time recovery: what a faulty release overwrites cannot be brought back",
            ),
            (
                table.deletion_protection,
                "deletion_protection",
                "can be deleted by one request, or by one renamed resource of a deployment",
            ),
        ];
        for (setting, key, hurts) in settings {
            let (false, Some(said)) = (setting.value, setting.said) else {
                continue;
            };
            let diagnostic = RULE
                .at(said, format!("the table `{}` {hurts}", table.name))
                .label("switched off")
                .help(format!("{key} = true, which is the default"))
                .fix("switch it on", said, "true");
            found.report(&[Subject::Table(position)], diagnostic);
        }
    }
}
