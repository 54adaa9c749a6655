//! To be kept: `proof.md`, as a careful person would write it down.

use std::fmt::Write as _;

use tablewright_plan::CostOf;
use tablewright_plan::print::markdown::{self, code};
use tablewright_plan::print::{Align, Columns, thousands, units};

use super::{cost, growth, heated, percent, request, shares};
use crate::{Heat, PatternProof, Proof, READ_LIMIT, Verdict, WRITE_LIMIT};

/// What a document of a proof begins with.
pub const MARK: &str = "<!-- Made by `tablewright prove --keep`";

/// The document of a proof. `title` is what people call the model.
pub fn render(proof: &Proof, title: &str) -> String {
    let mut text = format!(
        "{MARK}, which also renews it: {} items, seed {}. -->\n\n# {}: proof\n\n",
        thousands(proof.settings.items as u64),
        proof.settings.seed,
        markdown::text(title)
    );
    text.push_str(&paragraph(proof));
    text.push_str(&reads(proof));
    text.push_str(&writes(proof));
    text.push_str(&grown(proof));
    text.push_str(&failures(proof));
    text.push_str(&heat(proof));
    let _ = write!(
        text,
        "\n## Again\n\n```sh\ntablewright prove {} --items {} --seed {}\n```\n",
        proof.model, proof.settings.items, proof.settings.seed
    );
    text
}

/// The cells every pattern has: how it ended, its name, what it asks, and the request.
fn cells(pattern: &PatternProof) -> Vec<String> {
    vec![
        mark(pattern.passes()).to_owned(),
        code(&pattern.pattern),
        markdown::text(pattern.ask.as_deref().unwrap_or_default()),
        markdown::text(&request(pattern)),
        thousands(pattern.calls),
    ]
}

fn budget(pattern: &PatternProof) -> String {
    pattern.budget.clone().unwrap_or_default()
}

fn reads(proof: &Proof) -> String {
    use Align::{Left, Right};
    let mut reads = proof.patterns.iter().filter(|one| !one.is_write).peekable();
    if reads.peek().is_none() {
        return String::new();
    }
    let refined = proof
        .patterns
        .iter()
        .any(|one| matches!(one.cost_of, CostOf::PageUnrefined { .. }));
    let mut columns = Columns::new(&[
        ("", Left),
        ("Pattern", Left),
        ("Question", Left),
        ("Request", Left),
        ("Calls", Right),
        ("Items", Right),
        ("Cost", Left),
        ("Budget", Left),
    ]);
    for pattern in reads {
        let mut cells = cells(pattern);
        cells.extend([thousands(pattern.returned), cost(pattern), budget(pattern)]);
        columns.row(cells);
    }
    let mut text = String::from(
        "\n## Reads\n\nRead units are those of one answer, one page or one whole batch, as the engine reports them: in the small table, then in the large one. \
         Of all calls whose items are as large and as many as the model declares, the costliest counts.",
    );
    if proof.patterns.iter().any(|one| one.rcu_full.is_some()) {
        text.push_str(
            " What is read from several shards, or stands among everybody's items, was also asked in tables beside these two, where every shard has a full page of items as large as declared; where that costs more, it is told as full.",
        );
    }
    if proof.has_ttl {
        text.push_str(
            " What is past its TTL was left out of every answer, and deleted before these costs were measured; as long as DynamoDB has not done that, reading over it is paid on top.",
        );
    }
    if refined {
        text.push_str(
            " A list that callers may refine is told unrefined; refined, a page of it was held to its budget for every page of items it passed over.",
        );
    }
    if proof.patterns.iter().any(|one| one.looks_at.is_some()) {
        text.push_str(
            " Where a page looks at so many items and no more, it was held to what these cost, however few of them passed.",
        );
    }
    text + "\n\n" + &columns.to_markdown()
}

fn writes(proof: &Proof) -> String {
    use Align::{Left, Right};
    let mut writes = proof.patterns.iter().filter(|one| one.is_write).peekable();
    if writes.peek().is_none() {
        return String::new();
    }
    let mut columns = Columns::new(&[
        ("", Left),
        ("Pattern", Left),
        ("Intent", Left),
        ("Request", Left),
        ("Calls", Right),
        ("Cost", Left),
        ("Of which", Left),
        ("Budget", Left),
    ]);
    for pattern in writes {
        let mut cells = cells(pattern);
        let shares = markdown::text(&shares(pattern).join(", "));
        cells.extend([cost(pattern), shares, budget(pattern)]);
        columns.row(cells);
    }
    format!(
        "\n## Writes\n\nWrite units are those of the costliest call, with every index it reaches; of a batch, for each item, which is a request of its own. Read units of a batch are those that find a page of its items, in the small table and in the large one.\n\n{}",
        columns.to_markdown()
    )
}

/// What is said of pages, where all went well.
fn whole_pages(proof: &Proof) -> &'static str {
    match proof.patterns.iter().any(|one| one.looks_at.is_some()) {
        true => {
            ": nothing was missed, nothing came twice, no page was short before it had looked at as many items as it may"
        }
        false => ": nothing was missed, nothing came twice, no page was short",
    }
}

fn paragraph(proof: &Proof) -> String {
    let all = proof.patterns.len();
    let (verdict, pages, costs) = match (proof.failed(), all) {
        (0, 1) => (
            "The one access pattern is proved.".to_owned(),
            whole_pages(proof),
            costs(proof),
        ),
        (0, _) => (
            format!("All {all} access patterns are proved."),
            whole_pages(proof),
            costs(proof),
        ),
        (failed, _) => (
            format!("{failed} of {all} access patterns failed."),
            "",
            String::new(),
        ),
    };
    format!(
        "{verdict} Each was called with many choices of values, in a table of {} items and again in one of {}, and every answer was compared, \
         item by item and in order, with what the pattern means. Lists were walked in pages of several sizes{pages}. Writes were done, refused \
         where they must be, and every question was asked again afterwards.{costs}{}\n",
        thousands(proof.items_small),
        thousands(proof.items_large),
        few(proof),
    )
}

/// What there is less of than there was to be.
fn few(proof: &Proof) -> String {
    let few = proof.few.iter();
    let few: Vec<String> = few.map(|few| markdown::text(&few.told())).collect();
    match few.as_slice() {
        [] => String::new(),
        few => format!(" Fewer were made than were to be: {}.", few.join("; ")),
    }
}

/// What can be said of all costs in both tables.
fn costs(proof: &Proof) -> String {
    let grew = proof.patterns.iter().filter(|one| !one.growth.is_empty());
    let more = match grew.count() {
        0 => {
            return " The same answer costs no more in the large table.".to_owned();
        }
        1 => "One pattern is".to_owned(),
        several => format!("{several} patterns are"),
    };
    format!(
        " Whatever is about the same items costs no more in the large table. {more} about more of them in the large one, and [cost more there](#what-costs-more-in-the-large-table)."
    )
}

/// Every pattern that costs more in the large table, with what excuses it.
fn grown(proof: &Proof) -> String {
    let grew = proof.patterns.iter();
    let mut grew = grew.filter(|one| !one.growth.is_empty()).peekable();
    if grew.peek().is_none() {
        return String::new();
    }
    let mut text = String::from(
        "\n## What costs more in the large table\n\nThese are about more items there. For each reason the dearest call is told, in the small table and in the large one.\n\n",
    );
    for pattern in grew {
        let told: Vec<String> = pattern
            .growth
            .iter()
            .map(|growth| {
                let reason = markdown::text(&growth::reason(growth));
                format!("{}: {reason}", growth::from_to(growth))
            })
            .collect();
        let _ = writeln!(text, "- {}, {}.", code(&pattern.pattern), told.join("; "));
    }
    text
}

fn failures(proof: &Proof) -> String {
    let failed: Vec<&PatternProof> = proof
        .patterns
        .iter()
        .filter(|pattern| !pattern.passes())
        .collect();
    if failed.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n## What failed\n\n");
    for pattern in failed {
        let why = pattern.why.as_deref().unwrap_or_default();
        let _ = writeln!(
            text,
            "- {}: {}",
            code(&pattern.pattern),
            markdown::text(why)
        );
    }
    text
}

fn heat(proof: &Proof) -> String {
    use Align::{Left, Right};
    if proof.heat.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n## Heat\n\n");
    let _ = writeln!(
        text,
        "One partition gives at most {} read units and takes {} write units a second. This is the busiest partition of every table and index at the \
         declared rates, if traffic follows the data.\n",
        thousands(READ_LIMIT as u64),
        thousands(WRITE_LIMIT as u64)
    );
    let mut columns = Columns::new(&[
        ("", Left),
        ("Place", Left),
        ("Partitions", Right),
        ("Busiest", Left),
        ("Share of traffic", Right),
        ("Reads a second", Right),
        ("Writes a second", Right),
    ]);
    for heat in &proof.heat {
        let mark = match heat.verdict {
            Verdict::Cool => "✓",
            Verdict::Hot => "✗",
            Verdict::Unknown => "·",
        };
        columns.row(vec![
            mark.to_owned(),
            markdown::text(&heated(heat)),
            thousands(heat.partitions),
            code(&heat.busiest),
            percent(heat.share),
            format!("{} rcu", units(heat.read_units)),
            format!("{} wcu", units(heat.write_units)),
        ]);
    }
    text.push_str(&columns.to_markdown());
    let open: Vec<&Heat> = proof
        .heat
        .iter()
        .filter(|heat| !heat.without_rate.is_empty())
        .collect();
    if !open.is_empty() {
        text.push_str("\nPatterns without a declared `rate` are counted once a second, and their places have no verdict (·):\n\n");
        for heat in open {
            let names: Vec<String> = heat.without_rate.iter().map(|name| code(name)).collect();
            let place = markdown::text(&heated(heat));
            let _ = writeln!(text, "- {place}: {}", names.join(", "));
        }
    }
    text
}

fn mark(passes: bool) -> &'static str {
    if passes { "✓" } else { "✗" }
}
