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

    /// How wide a column is.
    pub fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.align.len())
            .map(|column| self.width(column))
            .collect()
    }

    /// The headings and the rows, a line each, with two spaces between columns. Of a row only the cells it has.
    pub fn lines(&self) -> Vec<String> {
        let widths = self.widths();
        let line = |row: &Vec<String>| {
            let mut line = String::new();
            let columns = widths.iter().zip(&self.align);
            for (position, (cell, (width, align))) in row.iter().zip(columns).enumerate() {
                if position > 0 {
                    line.push_str("  ");
                }
                line.push_str(&aligned(cell, *width, *align));
            }
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }

    /// All lines.
    pub fn to_text(&self) -> String {
        self.lines().into_iter().map(|line| line + "\n").collect()
    }

    /// As a table of Markdown, whose cells are Markdown without line ends. Columns stand under each other, unless that would only fill
    /// lines with spaces. A cell without anything would read as one that was forgotten.
    pub fn to_markdown(&self) -> String {
        let widths: Vec<usize> = self
            .widths()
            .into_iter()
            .map(|width| width.max(3))
            .collect();
        let in_line = widths.iter().map(|width| width + 3).sum::<usize>() < WIDE;
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let row = |row: &Vec<String>, empty: &str| {
            let columns = widths.iter().zip(&self.align).enumerate();
            let cells = columns.map(|(position, (width, align))| {
                let cell = row.get(position).map_or("", String::as_str);
                let cell = if cell.is_empty() { empty } else { cell };
                match in_line {
                    true => aligned(cell, *width, *align),
                    false => cell.to_owned(),
                }
            });
            line(cells.collect())
        };
        let rule = |(width, align): (&usize, &Align)| {
            let width = if in_line { *width } else { 3 };
            match align {
                Align::Left => "-".repeat(width),
                Align::Right => format!("{}:", "-".repeat(width - 1)),
            }
        };
        let mut rows = self.rows.iter();
        let mut text = rows.next().map(|head| row(head, "")).unwrap_or_default();
        text.push_str(&line(widths.iter().zip(&self.align).map(rule).collect()));
        text.extend(rows.map(|one| row(one, "–")));
        text
    }
}

/// The longest line of Markdown that is still worth aligning.
const WIDE: usize = 160;

fn aligned(cell: &str, width: usize, align: Align) -> String {
    match align {
        Align::Left => format!("{cell:<width$}"),
        Align::Right => format!("{cell:>width$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(headings: &[(&str, Align)], rows: &[&[&str]]) -> Columns {
        let mut columns = Columns::new(headings);
        for row in rows {
            columns.row(row.iter().map(|cell| (*cell).to_owned()).collect());
        }
        columns
    }

    #[test]
    fn words_stand_left_and_numbers_right() {
        let columns = table(
            &[("what", Align::Left), ("×", Align::Right)],
            &[&["é", "10"]],
        );
        assert_eq!(columns.to_text(), "what   ×\né     10\n");
        assert_eq!(
            columns.to_markdown(),
            "| what |   × |\n| ---- | --: |\n| é    |  10 |\n"
        );
    }

    #[test]
    fn columns_of_markdown_stand_under_each_other() {
        let headings = [("Name", Align::Left), ("Value", Align::Left)];
        assert_eq!(
            table(&headings, &[&["Größe", "1"], &["b"]]).to_markdown(),
            "| Name  | Value |\n| ----- | ----- |\n| Größe | 1     |\n| b     | –     |\n"
        );
    }

    #[test]
    fn a_wide_table_is_not_filled_with_spaces() {
        let headings = [("Name", Align::Left), ("Value", Align::Left)];
        let long = "x".repeat(200);
        let text = table(&headings, &[&["a", &long], &["long name", "b"]]).to_markdown();
        assert!(text.contains("| a | xxx"));
        assert!(text.ends_with("| long name | b |\n"));
    }
}
