//! Mermaid, as far as it is used.

/// Every diagram of a document, held against the part of Mermaid's grammar that is used; `cargo xtask diagrams` asks Mermaid itself.
pub(crate) fn diagrams_parse(text: &str) -> usize {
    let mut count = 0;
    for block in text.split("```mermaid\n").skip(1) {
        let diagram = block.split("\n```").next().unwrap_or_default();
        assert!(diagram.len() < 50_000, "{} characters", diagram.len());
        assert!(diagram.matches("-->").count() < 500, "too many arrows");
        count += 1;
        let mut lines = diagram.lines();
        let kind = lines.next().unwrap_or_default();
        for line in lines {
            let bare = without_quoted(line.trim());
            let fine = match kind {
                "erDiagram" => er_line(&bare),
                "flowchart LR" => flow_line(&bare),
                other => panic!("{other}"),
            };
            assert!(fine, "{kind}: {line}");
        }
    }
    count
}

/// Quoted text as `Q`: what stands in quotes has no quote, no bracket of HTML but those of the breaks, and ends on its line.
fn without_quoted(line: &str) -> String {
    let pieces: Vec<&str> = line.split('"').collect();
    assert!(pieces.len() % 2 == 1, "an open quote: {line}");
    for quoted in pieces.iter().skip(1).step_by(2) {
        let plain = quoted
            .replace("<br/>", "")
            .replace("<b>", "")
            .replace("</b>", "");
        assert!(!plain.contains(['<', '>', '`', '\\', '|', '%']), "{line}");
    }
    let mut bare = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        bare.push_str(if at % 2 == 0 { piece } else { "Q" });
    }
    bare
}

fn is_word(word: &str) -> bool {
    let marks = ["pk", "fk", "uk"].contains(&word.to_lowercase().as_str());
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && !marks && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn er_line(bare: &str) -> bool {
    let words: Vec<&str> = bare.split(' ').collect();
    match words.as_slice() {
        ["Q"] | ["}"] | ["Q", "{"] | ["direction", "LR"] => true,
        ["Q", "||--o|" | "||--o{" | "}o--o{", "Q", ":", "Q"] => true,
        [kind, name, rest @ ..] => {
            is_word(kind)
                && is_word(name)
                && matches!(rest, [] | ["PK" | "UK"] | ["Q"] | ["PK" | "UK", "Q"])
        }
        _ => false,
    }
}

fn flow_line(bare: &str) -> bool {
    let words: Vec<&str> = bare.split(' ').collect();
    let is_node = |word: &str| word.strip_suffix("[Q]").is_some_and(is_word);
    match words.as_slice() {
        ["end"] => true,
        ["subgraph", node] => is_node(node),
        [node] => is_node(node),
        [from, "--", "Q", "-->", to] => is_word(from) && is_word(to),
        _ => false,
    }
}
