//! To be kept: `proof.md`, as a careful person would write it down.

use std::fmt::Write as _;

use super::{cost, percent, thousands, units};
use crate::{Heat, PatternProof, Proof, READ_LIMIT, Verdict, WRITE_LIMIT};

/// The document of a proof. `title` is what people call the model.
pub fn render(proof: &Proof, title: &str) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "# {title}: proof\n");
    text.push_str(&paragraph(proof));
    let (reads, writes): (Vec<&PatternProof>, Vec<&PatternProof>) = proof
        .patterns
        .iter()
        .partition(|pattern| pattern.wcu.is_none() && !is_write(pattern));
    if !reads.is_empty() {
        text.push_str("\n## Reads\n\n");
        text.push_str("Read units are those of one request, or of one page, as the engine reports them: in the small table, then in the large one; of a batch, for each key. Of all calls whose items are as large and as many as the model declares, the costliest counts.\n\n");
        text.push_str("| | Pattern | Question | Request | Calls | Items | Cost | Budget |\n|---|---|---|---|--:|--:|---|---|\n");
        for pattern in reads {
            let _ = writeln!(
                text,
                "| {} | `{}` | {} | {} | {} | {} | {} | {} |",
                mark(pattern.passes()),
                pattern.pattern,
                cell(pattern.ask.as_deref().unwrap_or_default()),
                cell(&pattern.request),
                pattern.calls,
                thousands(pattern.returned),
                cost(pattern),
                pattern.budget.as_deref().unwrap_or("–"),
            );
        }
    }
    if !writes.is_empty() {
        text.push_str("\n## Writes\n\n");
        text.push_str("Write units are those of the costliest call, with every index it reaches; of a batch, for each item.\n\n");
        text.push_str("| | Pattern | Intent | Request | Calls | Cost | Of which | Budget |\n|---|---|---|---|--:|---|---|---|\n");
        for pattern in writes {
            let shares = pattern.shares.iter();
            let shares: Vec<String> = shares
                .map(|(place, used)| format!("{place} {}", units(*used)))
                .collect();
            let _ = writeln!(
                text,
                "| {} | `{}` | {} | {} | {} | {} | {} | {} |",
                mark(pattern.passes()),
                pattern.pattern,
                cell(pattern.ask.as_deref().unwrap_or_default()),
                cell(&pattern.request),
                pattern.calls,
                cost(pattern),
                cell(&shares.join(", ")),
                pattern.budget.as_deref().unwrap_or("–"),
            );
        }
    }
    text.push_str(&failures(proof));
    text.push_str(&heat(proof));
    let _ = write!(
        text,
        "\n## Again\n\n```sh\ntablewright prove {} --items {} --seed {}\n```\n",
        proof.model, proof.settings.items, proof.settings.seed
    );
    text
}

fn paragraph(proof: &Proof) -> String {
    let all = proof.patterns.len();
    let (verdict, pages, costs) = match (proof.failed(), all) {
        (0, 1) => (
            "The one access pattern is proved.".to_owned(),
            ": nothing was missed, nothing came twice, no page was short",
            " The same answer costs the same in both tables.",
        ),
        (0, _) => (
            format!("All {all} access patterns are proved."),
            ": nothing was missed, nothing came twice, no page was short",
            " The same answer costs the same in both tables.",
        ),
        (failed, _) => (format!("{failed} of {all} access patterns failed."), "", ""),
    };
    format!(
        "{verdict} Each was called with many choices of values, in a table of {} items and again in one of {}, and every answer was compared, \
         item by item and in order, with what the pattern means. Lists were walked in pages of several sizes{pages}. Writes were done, refused \
         where they must be, and every question was asked again afterwards.{costs}\n",
        thousands(proof.items_small),
        thousands(proof.items_large),
    )
}

/// A write that could not be done has no units; its request tells.
fn is_write(pattern: &PatternProof) -> bool {
    ["Put", "Update", "Delete", "TransactWrite", "BatchWrite"]
        .iter()
        .any(|word| pattern.request.starts_with(word))
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
        let _ = writeln!(text, "- `{}`: {}", pattern.pattern, cell(why));
    }
    text
}

fn heat(proof: &Proof) -> String {
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
    text.push_str("| | Place | Partitions | Busiest | Share of traffic | Reads a second | Writes a second |\n|---|---|--:|---|--:|--:|--:|\n");
    for heat in &proof.heat {
        let mark = match heat.verdict {
            Verdict::Cool => "✓",
            Verdict::Hot => "✗",
            Verdict::Unknown => "·",
        };
        let _ = writeln!(
            text,
            "| {mark} | {} | {} | `{}` | {} | {} rcu | {} wcu |",
            place(heat),
            thousands(heat.partitions),
            code(&heat.busiest),
            percent(heat.share),
            units(heat.read_units),
            units(heat.write_units),
        );
    }
    let open: Vec<&Heat> = proof
        .heat
        .iter()
        .filter(|heat| !heat.without_rate.is_empty())
        .collect();
    if !open.is_empty() {
        text.push_str("\nPatterns without a declared `rate` are counted once a second, and their places have no verdict (·):\n\n");
        for heat in open {
            let names: Vec<String> = heat
                .without_rate
                .iter()
                .map(|name| format!("`{name}`"))
                .collect();
            let _ = writeln!(text, "- {}: {}", place(heat), names.join(", "));
        }
    }
    text
}

fn place(heat: &Heat) -> String {
    match &heat.index {
        Some(index) => format!("{index} of {}", heat.table),
        None => heat.table.clone(),
    }
}

fn mark(passes: bool) -> &'static str {
    if passes { "✓" } else { "✗" }
}

/// A text within a cell: no line ends, and no bar that would end it.
fn cell(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.replace('|', "\\|").replace('<', "&lt;")
}

/// A text within backticks.
fn code(text: &str) -> String {
    cell(text).replace('`', "'").replace("&lt;", "<")
}
