//! The file of each chart: named after its index, and unique however indexes are called.

use std::collections::BTreeMap;

use tablewright_model::Model;

/// The chart of the primary keys.
pub(crate) const MAIN: &str = "entity-chart-main.md";

/// The file of every index, table by table: `entity-chart-gsi1.md`, or with the table's name in front where two tables have an index
/// of one name.
pub(crate) fn chart_names(model: &Model) -> Vec<String> {
    let mut short = Vec::new();
    let mut long = Vec::new();
    for table in &model.tables {
        for index in &table.indexes {
            let index = plain(index.name.as_str());
            long.push(format!("{}-{index}", plain(table.name.as_str())));
            short.push(index);
        }
    }
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &short {
        *times.entry(name).or_default() += 1;
    }
    let is_free = |name: &str| name != "main" && times.get(name) == Some(&1);
    let mut taken: Vec<String> = short.iter().filter(|name| is_free(name)).cloned().collect();
    taken.push(String::from("main"));
    let mut names = Vec::new();
    for (short, long) in short.iter().zip(long) {
        let name = match is_free(short) {
            true => short.clone(),
            false => {
                let mut name = long.clone();
                let mut again = 2;
                while taken.contains(&name) {
                    name = format!("{long}-{again}");
                    again += 1;
                }
                taken.push(name.clone());
                name
            }
        };
        names.push(format!("entity-chart-{name}.md"));
    }
    names
}

/// A name that every file system takes.
fn plain(name: &str) -> String {
    let lower = name.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() || c == '_' || c == '.' => c.to_ascii_lowercase(),
        _ => '-',
    });
    lower.take(150).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tables: &[(&str, &[&str])]) -> Vec<String> {
        let mut text = String::from("[model]\nname = \"m\"\n");
        for (table, indexes) in tables {
            text.push_str(&format!("[table.\"{table}\"]\npartition_key = \"PK\"\n"));
            text.push_str(&format!("[table.\"{table}\".index]\n"));
            for index in *indexes {
                text.push_str(&format!("\"{index}\" = {{}}\n"));
            }
        }
        chart_names(&tablewright_model::parse(&text).unwrap())
    }

    #[test]
    fn a_chart_is_named_after_its_index() {
        assert_eq!(
            names(&[("a", &["GSI1", "ByName"])]),
            ["entity-chart-gsi1.md", "entity-chart-byname.md"]
        );
    }

    #[test]
    fn no_two_charts_have_one_name() {
        assert_eq!(
            names(&[("a", &["GSI1", "main"]), ("B", &["gsi1", "GSI1", "a-main"])]),
            [
                "entity-chart-a-gsi1.md",
                "entity-chart-a-main-2.md",
                "entity-chart-b-gsi1.md",
                "entity-chart-b-gsi1-2.md",
                "entity-chart-a-main.md",
            ]
        );
    }
}
