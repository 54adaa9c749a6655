//! Parses the models given as arguments and prints their faults, one a line.
#![allow(clippy::print_stdout)]

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        match tablewright_model::parse(&text) {
            Ok(model) => println!(
                "{path}: {} entities, {} patterns",
                model.entities.len(),
                model.accesses.len()
            ),
            Err(faults) => {
                for fault in faults {
                    let line = text[..fault.span.start].matches('\n').count() + 1;
                    let at = text.get(fault.span.range()).unwrap_or_default();
                    println!(
                        "{path}:{line}: [{}] {} ({:?}) at `{at}`",
                        fault.rule, fault.message, fault.help
                    );
                }
            }
        }
    }
}
