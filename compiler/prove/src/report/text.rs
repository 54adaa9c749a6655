//! For people at a terminal: a line for each pattern, and why it failed.

use std::fmt::Write as _;

use tablewright_plan::print::{Align, Columns, thousands, units};

use super::{cost, growth, heated, patterns, percent, request, shares};
use crate::{Heat, PatternProof, Proof, READ_LIMIT, Verdict, WRITE_LIMIT};

/// How the text is to look.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Colours, by ANSI escape codes.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
}

const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";
const BOLD: &str = "1";
const DIM: &str = "2";

impl Look {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// A proof as a table, with what is wrong below what it is wrong of, and a line that sums it up.
pub fn render(proof: &Proof, look: Look) -> String {
    let mut text = format!(
        "{}  {} items, then {}, seed {}\n\n",
        look.paint(BOLD, &proof.model),
        thousands(proof.items_small),
        thousands(proof.items_large),
        proof.settings.seed
    );
    for few in &proof.few {
        let told = format!("{}.", few.told());
        for line in wrapped(&told, look.width.max(60)) {
            let _ = writeln!(text, "{}", look.paint(DIM, &line));
        }
    }
    if !proof.few.is_empty() {
        text.push('\n');
    }
    let rows: Vec<Row> = proof.patterns.iter().map(row).collect();
    let heat: Vec<Row> = proof.heat.iter().map(heat_row).collect();
    let tables = [
        (["pattern", "request", "cost", "budget"], rows),
        (["busiest partition", "its key", "share", "a second"], heat),
    ];
    // Both stand under each other, so they are measured together.
    let mut columns = Columns::new(&[("", Align::Left); 4]);
    for (head, rows) in &tables {
        columns.row(cells(" ", head.map(str::to_owned)));
        for row in rows {
            columns.row(cells(row.mark.sign(), row.columns.clone()));
        }
    }
    let mut lines = columns.lines().into_iter().skip(1);
    let indent = 2 + columns.width(0);
    for (position, (_, rows)) in tables.iter().enumerate() {
        let head = lines.next().unwrap_or_default();
        if position > 0 && rows.is_empty() {
            break;
        }
        if position > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", look.paint(DIM, &head));
        for (row, line) in rows.iter().zip(&mut lines) {
            text.push_str(&row.rendered(&line, indent, look));
        }
    }
    let _ = writeln!(text, "\n{}", summary(proof, look));
    text
}

/// One line for all of it.
pub fn summary(proof: &Proof, look: Look) -> String {
    let all = proof.patterns.len();
    let hot = proof
        .heat
        .iter()
        .filter(|heat| heat.verdict == Verdict::Hot);
    let hot: Vec<String> = hot.map(heated).collect();
    let mut told = match proof.failed() {
        0 if all == 0 => format!(
            "{} has no pattern, so there is nothing to prove",
            proof.model
        ),
        0 => format!("{} of {} proved", patterns(all), proof.model),
        failed => format!("{failed} of {} of {} failed", patterns(all), proof.model),
    };
    if !hot.is_empty() {
        told.push_str(&format!("; {} too hot", hot.join(", ")));
    }
    look.paint(if proof.passes() { GREEN } else { RED }, &told)
}

/// A line of the table, and what is said below it.
struct Row {
    mark: Mark,
    columns: [String; 4],
    below: Option<String>,
    why: Option<String>,
}

#[derive(Clone, Copy)]
enum Mark {
    Good,
    Bad,
    Open,
}

impl Mark {
    fn sign(self) -> &'static str {
        match self {
            Mark::Good => "✓",
            Mark::Bad => "✗",
            Mark::Open => "·",
        }
    }
}

/// The cells of a row, with its mark before the first.
fn cells(mark: &str, columns: [String; 4]) -> Vec<String> {
    let [first, rest @ ..] = columns;
    std::iter::once(format!("{mark} {first}"))
        .chain(rest)
        .collect()
}

fn row(pattern: &PatternProof) -> Row {
    let shares = shares(pattern);
    Row {
        mark: if pattern.passes() {
            Mark::Good
        } else {
            Mark::Bad
        },
        columns: [
            pattern.pattern.clone(),
            request(pattern),
            cost(pattern),
            pattern.budget.clone().unwrap_or_default(),
        ],
        below: match shares.len() {
            0 | 1 => growth::below(pattern),
            _ => Some(shares.join(", ")),
        },
        why: pattern.why.clone(),
    }
}

fn heat_row(heat: &Heat) -> Row {
    let used = format!(
        "{} rcu, {} wcu",
        units(heat.read_units),
        units(heat.write_units)
    );
    let rates = (!heat.without_rate.is_empty()).then(|| {
        format!(
            "without a rate, and counted once a second: {}",
            heat.without_rate.join(", ")
        )
    });
    let why = (heat.verdict == Verdict::Hot).then(|| {
        format!(
            "one partition gives {} rcu and takes {} wcu a second, and no more",
            units(READ_LIMIT),
            units(WRITE_LIMIT)
        )
    });
    Row {
        mark: match heat.verdict {
            Verdict::Cool => Mark::Good,
            Verdict::Hot => Mark::Bad,
            Verdict::Unknown => Mark::Open,
        },
        columns: [
            heated(heat),
            printable(&heat.busiest),
            percent(heat.share),
            used,
        ],
        below: rates,
        why,
    }
}

/// A key without characters that would move a terminal, and not longer than a column.
fn printable(key: &str) -> String {
    let shown: String = key
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    match shown.char_indices().nth(36) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

impl Row {
    /// Its line with the mark in colour, and what is said below it.
    fn rendered(&self, line: &str, indent: usize, look: Look) -> String {
        let code = match self.mark {
            Mark::Good => GREEN,
            Mark::Bad => RED,
            Mark::Open => YELLOW,
        };
        let sign = self.mark.sign();
        let rest = line.strip_prefix(sign).unwrap_or(line);
        let mut text = format!("{}{rest}\n", look.paint(code, sign));
        let wide = look.width.max(60);
        if let Some(below) = &self.below {
            for line in wrapped(below, wide.saturating_sub(indent).max(30)) {
                let _ = writeln!(text, "{:indent$}{}", "", look.paint(DIM, &line));
            }
        }
        if let Some(why) = &self.why {
            for line in wrapped(why, wide - 4) {
                let _ = writeln!(text, "    {}", look.paint(RED, &line));
            }
        }
        text
    }
}

/// A sentence in lines of at most so many characters, broken at spaces.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let fits = line.chars().count() + 1 + word.chars().count() <= width;
        if !line.is_empty() && !fits {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    let clean = |line: String| -> String {
        line.chars()
            .map(|c| if c.is_control() { '\u{fffd}' } else { c })
            .collect()
    };
    lines.into_iter().map(clean).collect()
}
