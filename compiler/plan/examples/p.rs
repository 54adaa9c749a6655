fn main() {
    for p in std::env::args().skip(1) {
        let t = std::fs::read_to_string(&p).unwrap();
        match tablewright_model::parse(&t) {
            Ok(m) => {
                for pl in tablewright_plan::plan(&m) {
                    println!("{}", pl.to_text(&m));
                }
            }
            Err(e) => println!("{e:#?}"),
        }
    }
}
