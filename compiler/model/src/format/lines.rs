//! The lines that are written, and the columns of the comments behind them.

use super::tree::Remark;

/// Lines under construction.
#[derive(Default)]
pub(super) struct Lines<'t> {
    done: Vec<Line<'t>>,
    current: String,
}

struct Line<'t> {
    content: String,
    remark: Option<Remark<'t>>,
}

impl Line<'_> {
    /// The width of what stands before the comment; of a multi-line string, its last line counts.
    fn width(&self) -> usize {
        self.content
            .rsplit('\n')
            .next()
            .map_or(0, |last| last.chars().count())
    }

    /// The white space the source had, if the line were as wide there.
    fn gap(&self) -> usize {
        self.remark
            .map_or(0, |remark| remark.column.saturating_sub(self.width()))
    }
}

impl<'t> Lines<'t> {
    pub(super) fn push(&mut self, text: &str) {
        self.current.push_str(text);
    }

    /// Begins a line that stands `depth` levels in.
    pub(super) fn indent(&mut self, depth: usize) {
        self.current.push_str(&"  ".repeat(depth));
    }

    pub(super) fn end(&mut self, remark: Option<Remark<'t>>) {
        self.done.push(Line {
            content: std::mem::take(&mut self.current),
            remark,
        });
    }

    /// The whole text. Comments behind consecutive lines that shared a column in the source share one again, one or
    /// two spaces behind the widest line; any other follows after one space.
    pub(super) fn finish(self) -> String {
        let mut text = String::new();
        for group in self.done.chunk_by(share_a_column) {
            let widest = group.iter().map(Line::width).max().unwrap_or_default();
            let gap = match group {
                [_] => 1,
                _ => group
                    .iter()
                    .map(Line::gap)
                    .min()
                    .unwrap_or_default()
                    .clamp(1, 2),
            };
            for line in group {
                text.push_str(&line.content);
                if let Some(remark) = line.remark {
                    text.push_str(&" ".repeat(widest - line.width() + gap));
                    text.push_str(remark.text);
                }
                text.push('\n');
            }
        }
        text
    }
}

fn share_a_column(a: &Line<'_>, b: &Line<'_>) -> bool {
    match (a.remark, b.remark) {
        (Some(a), Some(b)) => a.column == b.column,
        _ => false,
    }
}
