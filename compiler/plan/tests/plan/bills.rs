//! What a design costs a month.

use tablewright_model::{Model, parse};
use tablewright_plan::bill::{Bill, Comparison, MONTH, Prices, lend_load};
use tablewright_plan::{Answer, plan};

use crate::documents::model;

const MODELS: [&str; 4] = ["todo", "tasks", "ask", "accounts"];

fn bill(model: &Model) -> Bill {
    Bill::of(model, &plan(model), &Prices::built_in())
}

/// A table of so many items that is scanned once a second, and asked by key once a second.
fn scanned(items: u64) -> Model {
    parse(&format!(
        "[model]\nname = 'log'\n\
         [table.log]\npartition_key = 'PK'\nsort_key = 'SK'\ntype = 'Type'\n\
         [entity.Line]\ntable = 'log'\nkey = {{ partition = 'DAY#{{day}}', sort = 'LINE#{{line_id}}' }}\n\
         [entity.Line.fields]\nday = 'date'\nline_id = 'ulid'\n\
         [entity.Line.facts]\nitems = {items}\nsize = '1 KB'\n\
         [access.count]\ncount = 'Line'\nby = ['day']\nrequest = 'Scan'\nrate = 1\n\
         [access.line]\nget = 'Line'\nby = ['day', 'line_id']\nrate = 1\n"
    ))
    .expect("it is a model")
}

// S0-51
#[test]
fn every_pattern_of_the_models_has_a_price() {
    for name in MODELS {
        let model = model(name);
        let bill = bill(&model);
        assert_eq!(bill.lacks(), Vec::<String>::new(), "{name}");
        for pattern in &bill.patterns {
            let month = pattern.a_month().unwrap();
            assert!(month.reads + month.writes > 0.0, "{}", pattern.pattern);
        }
    }
}

/// The bill takes a write apart by tables and indexes; together the parts are what the plan says, but for the first count of an item.
#[test]
fn the_parts_of_a_write_are_its_cost() {
    for name in MODELS {
        let model = model(name);
        let plans = plan(&model);
        let bill = Bill::of(&model, &plans, &Prices::built_in());
        for ((one, planned), access) in bill.patterns.iter().zip(&plans).zip(&model.accesses) {
            if let Answer::Write(write) = &planned.answer {
                let items = if write.each {
                    access.returns.unwrap()
                } else {
                    1
                };
                let whole = write.cost.units.unwrap() * items as f64;
                assert_eq!(one.units().unwrap().writes, whole, "{name} {}", one.pattern);
            }
        }
    }
}

#[test]
fn what_patterns_pay_is_what_places_use() {
    for name in MODELS {
        let bill = bill(&model(name));
        let patterns: f64 = bill
            .patterns
            .iter()
            .map(|pattern| bill.prices.on_demand(pattern.a_month().unwrap()))
            .sum();
        assert!((patterns - bill.requests()).abs() < 0.01, "{name}");
    }
}

#[test]
fn a_scan_grows_with_the_table_and_a_get_does_not() {
    let (small, large) = (bill(&scanned(1_000)), bill(&scanned(1_000_000)));
    let of = |bill: &Bill, pattern: usize| bill.patterns[pattern].units().unwrap().reads;
    assert_eq!(of(&small, 0), 125.0);
    assert_eq!(of(&large, 0), 125_000.0);
    assert_eq!(of(&small, 1), of(&large, 1));
}

#[test]
fn money_is_units_times_price() {
    let bill = bill(&scanned(1_000));
    let million = 125.5 * MONTH / 1e6;
    assert!((bill.requests() - million * 0.125).abs() < 1e-9);
    // A thousand items of a kilobyte, kept and recoverable.
    let gigabytes = 1_024_000.0 / 1_073_741_824.0;
    assert!((bill.storage() - gigabytes * 0.45).abs() < 1e-9);
}

#[test]
fn what_is_not_declared_is_asked_for() {
    let model = parse(
        "[model]\nname = 'log'\n\
         [table.log]\npartition_key = 'PK'\n\
         [entity.Line]\ntable = 'log'\nkey = { partition = 'LINE#{line_id}' }\n\
         [entity.Line.fields]\nline_id = 'ulid'\n\
         [access.line]\nget = 'Line'\nby = ['line_id']\n",
    )
    .unwrap();
    let bill = bill(&model);
    assert_eq!(
        bill.lacks(),
        [
            "[access.line] rate",
            "[entity.Line.facts] items",
            "[entity.Line.facts] size"
        ]
    );
    let text = bill.to_text();
    assert!(text.contains("not in the sums: declare"), "{text}");
    assert!(text.contains("what a month costs is not known: "), "{text}");
    assert!(
        !text.contains("0.00"),
        "nothing is known, not even zero: {text}"
    );
    assert_eq!(bill.to_json()["complete"], false);
}

/// A sum of a part of it is the least, and says so.
#[test]
fn a_part_of_the_facts_is_the_least() {
    let model = parse(
        "[model]\nname = 'log'\n\
         [table.log]\npartition_key = 'PK'\n\
         [entity.Line]\ntable = 'log'\nkey = { partition = 'LINE#{line_id}' }\n\
         [entity.Line.fields]\nline_id = 'ulid'\n\
         [entity.Line.facts]\nsize = '1 KB'\n\
         [access.line]\nget = 'Line'\nby = ['line_id']\nrate = 100\n\
         [access.add_line]\ncreate = 'Line'\n",
    )
    .unwrap();
    let text = bill(&model).to_text();
    assert!(
        text.contains("\nat least $16.43 a month: requests $16.43, storage not known\n"),
        "{text}"
    );
    assert!(text.contains("declare [access.add_line] rate"), "{text}");
    assert!(!text.contains("instead of on demand"), "{text}");
}

// S0-31, S0-32, S0-35, S0-49: the scans of the document, under the load of the model that answers without them.
#[test]
fn the_scans_of_document_000_cost_a_hundred_thousand_times_what_the_keys_do() {
    let model = model("todo");
    let mut written = crate::documents::model("as-written/000-todo");
    lend_load(&model, &mut written);
    let comparison = Comparison::of(&model, &written, &Prices::built_in()).to_json();
    let of = |name: &str, side: &str| {
        let mut patterns = comparison["patterns"].as_array().unwrap().iter();
        let row = patterns.find(|row| row["pattern"] == name).unwrap();
        row[side]["a_month"].as_f64().unwrap()
    };
    for scan in ["count_by_status", "count_by_priority"] {
        assert!(of(scan, "there") > 100_000.0 * of(scan, "here"), "{scan}");
    }
    assert!(of("search_tasks", "there") > 10_000.0 * of("search_tasks", "here"));
    // S0-28, S0-29: a filter pays for what it drops.
    for filter in ["completed_tasks", "overdue_tasks"] {
        assert!(of(filter, "there") > 2.0 * of(filter, "here"), "{filter}");
    }
}

/// Ten gets and five writes a second of small items, by key and by a local index, on a provisioned table.
fn provisioned(capacity: &str) -> Bill {
    let model = parse(&format!(
        "[model]\nname = 'log'\n\
         [table.log]\npartition_key = 'PK'\nsort_key = 'SK'\nbilling = 'provisioned'\ncapacity = {capacity}\n\
         [table.log.index]\nGSI1 = {{ capacity = {{ read = '1..10' }} }}\nLSI1 = {{ kind = 'local', sort_key = 'LSI1SK' }}\n\
         [entity.Line]\ntable = 'log'\nkey = {{ partition = 'DAY#{{day}}', sort = 'LINE#{{line_id}}' }}\n\
         [entity.Line.index]\nGSI1 = {{ partition = 'HOST#{{host}}', sort = 'LINE#{{line_id}}' }}\nLSI1 = {{ sort = 'HOST#{{host}}#{{line_id}}' }}\n\
         [entity.Line.fields]\nday = 'date'\nline_id = 'ulid'\nhost = 'id'\n\
         [entity.Line.facts]\nitems = 1000\nsize = '1 KB'\n\
         [access.line]\nget = 'Line'\nby = ['day', 'line_id']\nrate = 10\n\
         [access.write]\ncreate = 'Line'\nrate = 5\n"
    ));
    bill(&model.unwrap_or_else(|faults| panic!("{faults:#?}")))
}

#[test]
fn a_provisioned_table_is_paid_for_what_is_ready() {
    let bill = provisioned("{ read = '5..100', write = '20..100', target = 50 }");
    let [table, global, local] = bill.places.as_slice() else {
        panic!("{:?}", bill.places);
    };
    let ready = table.ready().unwrap();
    // Five rcu at half use; five wcu, and five of the local index, which has no capacity of its own.
    assert_eq!((ready.reads, ready.writes), (10.0, 20.0));
    let ready = global.ready().unwrap();
    assert_eq!((ready.reads, ready.writes), (1.0, 20.0));
    assert_eq!(local.ready(), None);
    assert_eq!(local.requests(&bill.prices), 0.0);
    let hours = 730.0;
    let expected = hours * (11.0 * 0.00013 + 40.0 * 0.00065);
    assert!(
        (bill.requests() - expected).abs() < 1e-9,
        "{}",
        bill.requests()
    );
    let on_demand = bill.to_json()["on_demand_a_month"].as_f64().unwrap();
    assert!((on_demand - bill.prices.on_demand(bill.a_second()) * MONTH).abs() < 1e-6);
    assert_eq!(bill.beyond(), Vec::<String>::new());
    let text = bill.to_text();
    assert!(text.contains("10 rcu, 20 wcu ready"), "{text}");
    assert!(text.contains("all on demand instead: requests $"), "{text}");
}

#[test]
fn what_a_provisioned_table_cannot_take_is_told() {
    let bill = provisioned("{ read = '1..4', write = '1..8' }");
    assert_eq!(
        bill.beyond(),
        ["log needs 5 rcu a second and has 4 at most; log needs 10 wcu a second and has 8 at most"]
    );
    // S0-52: whoever reads the sum has read before that it is not of everything.
    let text = bill.to_text();
    let told = text.find("at most: the rest is throttled\n").unwrap();
    let sum = text.find("without what is throttled, $").unwrap();
    assert!(told < sum, "{text}");
    assert_eq!(text.matches(" a month: requests ").count(), 1, "{text}");
}

const CLEARED: &str = r#"
[model]
name = "jobs"

[table.jobs]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"

[table.jobs.index]
GSI1 = {}

[entity.Job]
table = "jobs"
key   = { partition = "JOB#{job_id}", sort = "METADATA" }
index.GSI1 = { partition = "KIND#{kind}", sort = "JOB#{job_id}" }
facts = { items = 1_000_000, size = "300 B" }

[entity.Job.fields]
job_id = "ulid"
owner  = "id"
kind   = "enum(a, b)"

[access.clear]
batch   = { delete = "Job", where = "owner = :who" }
by      = ["kind"]
keeps   = 0.001
returns = 10
rate    = 1
budget  = "1 rcu + 2 wcu"
"#;

/// S0-51: ten of ten thousand are written, and all of them are read and tried: a refused write is paid, too.
#[test]
fn what_a_batch_finds_in_vain_is_on_the_bill() {
    let model = parse(CLEARED).expect("it is a model");
    let spent = bill(&model).patterns[0].units().unwrap();
    // 500 pages of 20 items of 300 B, and the ten with their entries, the others on the table alone.
    assert_eq!((spent.reads, spent.writes), (500.0, 20.0 + 9_990.0));
    let without = parse(&CLEARED.replace("keeps   = 0.001\n", "")).expect("it is a model");
    assert_eq!(bill(&without).lacks(), ["[access.clear] keeps"]);
    let text = plan(&model)[0].to_text(&model);
    assert!(
        text.contains("Query on GSI1 of jobs for the items, page by page"),
        "{text}"
    );
    assert!(
        text.contains("1 rcu = 0.5 × ⌈20 × 300 B / 4 KB⌉, for every 20 items it finds"),
        "{text}"
    );
}

/// A write by hand is taken apart as the same write planned is: what each index writes is paid there.
#[test]
fn a_write_by_hand_is_paid_where_it_writes() {
    let jobs = |request: &str| {
        let text = format!(
            "[model]\nname = 'jobs'\n\
             [table.app]\npartition_key = 'PK'\nsort_key = 'SK'\ntype = 'Type'\nbilling = 'provisioned'\n\
             [table.app.index]\nGSI1 = {{ projection = 'all' }}\nGSI2 = {{ projection = 'all' }}\n\
             [entity.Job]\ntable = 'app'\nkey = {{ partition = 'JOB#{{id}}', sort = 'METADATA' }}\n\
             index.GSI1 = {{ partition = 'OWNER#{{owner}}', sort = 'JOB#{{id}}' }}\n\
             index.GSI2 = {{ partition = 'TEAM#{{team}}', sort = 'JOB#{{id}}' }}\n\
             [entity.Job.fields]\nid = 'ulid'\nowner = 'id'\nteam = 'id'\n\
             [entity.Job.facts]\nsize = '200 B'\nitems = 1000000\n\
             [access.add]\ncreate = 'Job'\nrate = 100\n{request}\n\
             [access.hand_over]\ntransact = [{{ update = 'Job', as = 'old', set = ['owner'] }}, {{ create = 'Job', as = 'new' }}]\nrate = 1\n{request}\n"
        );
        bill(&parse(&text).expect("it is a model"))
    };
    let (planned, written) = (jobs(""), jobs("request = 'TransactWriteItems'"));
    let by_place = |bill: &Bill, pattern: usize| {
        let request = bill.patterns[pattern].request.clone().unwrap();
        let writes = request
            .into_iter()
            .filter(|spent| spent.units().writes > 0.0);
        let mut units: Vec<(Option<usize>, f64)> = Vec::new();
        for spent in writes {
            let place = spent.place.index.map(|index| index.0);
            match units.iter_mut().find(|(known, _)| *known == place) {
                Some((_, all)) => *all += spent.units,
                None => units.push((place, spent.units)),
            }
        }
        units
    };
    assert_eq!(
        by_place(&planned, 0),
        [(None, 1.0), (Some(0), 1.0), (Some(1), 1.0)]
    );
    assert_eq!(
        by_place(&written, 0),
        [(None, 2.0), (Some(0), 1.0), (Some(1), 1.0)]
    );
    assert_eq!(
        by_place(&planned, 1),
        [(None, 4.0), (Some(0), 3.0), (Some(1), 2.0)]
    );
    assert_eq!(by_place(&written, 1), by_place(&planned, 1));
}
