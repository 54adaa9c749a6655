//! Rows under headings, each column as wide as its widest cell.

/// On which side the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table of text. The width of a cell is the number of its characters.
#[derive(Debug, Clone)]
pub struct Columns {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// A table with these headings.
    pub fn new(headings: &[(&str, Align)]) -> Self {
        Columns {
            align: headings.iter().map(|(_, align)| *align).collect(),
            rows: vec![
                headings
                    .iter()
                    .map(|(name, _)| (*name).to_owned())
                    .collect(),
            ],
        }
    }

    /// One row more.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The headings and the rows, a line each, with two spaces between columns.
    pub fn to_text(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.align.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, (width, align)) in row.iter().zip(widths.iter().zip(&self.align)) {
                if !line.is_empty() {
                    line.push_str("  ");
                }
                line.push_str(&match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                });
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Digits with their thousands apart: `1,234,567`.
pub fn with_commas(digits: &str) -> String {
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_left_and_numbers_right() {
        let mut columns = Columns::new(&[("what", Align::Left), ("×", Align::Right)]);
        columns.row(vec![String::from("é"), String::from("10")]);
        assert_eq!(columns.to_text(), "what   ×\né     10\n");
    }
}
