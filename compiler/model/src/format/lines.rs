//! The lines that are written, and the columns of the comments behind them.

use std::collections::BTreeMap;

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
    alone: bool,
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
            alone: false,
        });
    }

    /// Ends a line whose comment shares its column with no other, and that parts those above from those below.
    pub(super) fn end_alone(&mut self, remark: Option<Remark<'t>>) {
        self.end(remark);
        if let Some(line) = self.done.last_mut() {
            line.alone = true;
        }
    }

    /// The whole text. Comments of one paragraph that shared a column in the source share one again, one or two spaces
    /// behind the widest of their lines; any other follows after one space.
    pub(super) fn finish(self) -> String {
        let mut text = String::new();
        for paragraph in self.done.chunk_by(|a, b| !a.alone && !b.alone) {
            let columns = columns(paragraph);
            for line in paragraph {
                text.push_str(&line.content);
                if let Some(remark) = line.remark {
                    let column = columns.get(&remark.column).copied().unwrap_or_default();
                    text.push_str(&" ".repeat(column.saturating_sub(line.width()).max(1)));
                    text.push_str(remark.text);
                }
                text.push('\n');
            }
        }
        text
    }
}

/// For each column that comments of a paragraph had in the source, the one they get.
fn columns(paragraph: &[Line<'_>]) -> BTreeMap<usize, usize> {
    let mut sharing: BTreeMap<usize, Vec<&Line<'_>>> = BTreeMap::new();
    for line in paragraph {
        if let Some(remark) = line.remark {
            sharing.entry(remark.column).or_default().push(line);
        }
    }
    let column = |lines: &[&Line<'_>]| {
        let widest = lines.iter().map(|line| line.width()).max().unwrap_or(0);
        let gap = match lines {
            [_] => 1,
            _ => lines.iter().map(|line| line.gap()).min().unwrap_or(1),
        };
        widest + gap.clamp(1, 2)
    };
    sharing
        .iter()
        .map(|(source, lines)| (*source, column(lines)))
        .collect()
}
