//! A generated file that is not what it should be: the first line that differs says most.

/// One finding on a few lines.
pub(super) fn told(path: &str, stored: Option<&[u8]>, text: &str, command: &str) -> String {
    let help = format!("  help: run `{command}`\n");
    let Some(stored) = stored else {
        return format!("{path} is not there\n{help}");
    };
    let stored = String::from_utf8_lossy(stored);
    let line = |text: &str, at: usize| match text.split('\n').nth(at) {
        Some(line) => line.to_owned(),
        None => String::from("(the file ends)"),
    };
    let at = first_difference(&stored, text);
    format!(
        "{path} is out of date from line {}\n  - {}\n  + {}\n{help}",
        at + 1,
        line(&stored, at),
        line(text, at)
    )
}

/// The line that differs, from 0.
fn first_difference(one: &str, other: &str) -> usize {
    let lines = one.split('\n').zip(other.split('\n'));
    lines.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GENERATE: &str = "tablewright generate";

    #[test]
    fn the_first_line_that_differs_is_shown() {
        assert_eq!(
            told(
                "a.rs",
                Some(b"one\ntwo\nthree\n"),
                "one\n2\nthree\n",
                GENERATE
            ),
            "a.rs is out of date from line 2\n  - two\n  + 2\n  help: run `tablewright generate`\n"
        );
        assert_eq!(
            told("a.rs", Some(b"one\n"), "one\ntwo\n", GENERATE),
            "a.rs is out of date from line 2\n  - \n  + two\n  help: run `tablewright generate`\n"
        );
        assert_eq!(
            told("a.rs", Some(b"one"), "one\n", GENERATE),
            "a.rs is out of date from line 2\n  - (the file ends)\n  + \n  help: run `tablewright generate`\n"
        );
        assert!(told("a.rs", None, "one\n", GENERATE).starts_with("a.rs is not there\n"));
        assert!(told("a.rs", Some(b"\xff"), "one\n", GENERATE).contains("line 1"));
    }
}
