//! tmp
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let model = tablewright_model::parse(&text).unwrap();
    match tablewright_emit::rust::module(&model, &path) {
        Ok(text) => print!("{text}"),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1)
        }
    }
}
