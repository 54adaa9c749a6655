//! Tables whose source can be read: columns stand under each other, unless that would only fill lines with spaces.

/// The longest line that is still worth aligning.
const WIDE: usize = 160;

/// A table. Cells are Markdown without line ends.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = header
        .iter()
        .enumerate()
        .map(|(column, name)| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            let cells = cells.map(|cell| cell.chars().count());
            cells.chain([name.chars().count(), 3]).max().unwrap_or(3)
        })
        .collect();
    let aligned = widths.iter().map(|width| width + 3).sum::<usize>() < WIDE;
    let line = |cells: Vec<&str>| {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| match aligned {
                true => format!("{cell:<width$}"),
                false => (*cell).to_owned(),
            })
            .collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(header.to_vec());
    let rules: Vec<String> = widths
        .iter()
        .map(|width| "-".repeat(if aligned { *width } else { 3 }))
        .collect();
    text.push_str(&line(rules.iter().map(String::as_str).collect()));
    for row in rows {
        // A cell that holds nothing would read as one that was forgotten.
        let cells = header.iter().enumerate().map(|(column, _)| {
            let cell = row.get(column).map_or("", String::as_str);
            if cell.is_empty() { "–" } else { cell }
        });
        text.push_str(&line(cells.collect()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other() {
        let rows = vec![
            vec![String::from("Größe"), String::from("1")],
            vec![String::from("b")],
        ];
        assert_eq!(
            table(&["Name", "Value"], &rows),
            "| Name  | Value |\n| ----- | ----- |\n| Größe | 1     |\n| b     | –     |\n"
        );
    }

    #[test]
    fn a_wide_table_is_not_filled_with_spaces() {
        let rows = vec![
            vec![String::from("a"), "x".repeat(200)],
            vec![String::from("long name"), String::from("b")],
        ];
        let text = table(&["Name", "Value"], &rows);
        assert!(text.contains("| a | xxx"));
        assert!(text.ends_with("| long name | b |\n"));
    }
}
