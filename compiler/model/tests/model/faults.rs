//! A wrong file gives all its faults in one run, each at the characters to change, and never a panic.

use proptest::prelude::*;
use tablewright_model::parse;

const TODO: &str = include_str!("../../../../models/todo.toml");

/// The faults as `line: [rule] message at `text``.
fn faults(text: &str) -> Vec<String> {
    let faults = parse(text).expect_err("the model is wrong");
    faults
        .iter()
        .map(|fault| {
            let line = text[..fault.span.start].matches('\n').count() + 1;
            let at = &text[fault.span.range()];
            format!("{line}: [{}] {} at `{at}`", fault.rule, fault.message)
        })
        .collect()
}

/// What bounds what a filter drops needs a filter, and room for a page.
#[test]
fn a_bound_of_pages_that_means_nothing_is_a_fault() {
    let told = |pattern: &str| {
        let text = format!("{TODO}\n[access.refined_here]\n{pattern}\n");
        let faults = parse(&text).expect_err("the model is wrong");
        let faults: Vec<String> = faults
            .iter()
            .map(|fault| format!("[{}] {}", fault.rule, fault.message))
            .collect();
        faults.join("; ")
    };
    let list = "list = \"Task\"\nby = [\"user_id\"]\npage = 50\n";
    assert_eq!(
        told(&format!("{list}looks_at = 100")),
        "[unknown-key] `looks_at` bounds what a filter drops, and nothing filters"
    );
    for wrong in ["0", "49", "100001", "18446744073709551615"] {
        assert!(
            told(&format!("{list}refine = [\"status\"]\nlooks_at = {wrong}"))
                .starts_with("[bad-value]"),
            "{wrong}"
        );
    }
    assert_eq!(
        told("get = \"Task\"\nby = [\"user_id\", \"task_id\"]\nlooks_at = 100"),
        "[unknown-key] `looks_at` means nothing for `get`"
    );
    assert_eq!(
        told(&format!(
            "{list}refine = [\"status\"]\nlooks_at = 100\ncondition = \"PK = :pk\"\nvalues = {{ \":pk\" = \"TASK#1\" }}"
        )),
        "[unknown-key] `looks_at` means nothing for a request written by hand"
    );
    let bad_page =
        "list = \"Task\"\nby = [\"user_id\"]\npage = 200000\nrefine = [\"status\"]\nlooks_at = 100";
    assert_eq!(told(bad_page), "[bad-value] a page has 1 to 1000 items");
    let least = format!("{list}refine = [\"status\"]\nlooks_at = 50");
    assert!(parse(&format!("{TODO}\n[access.refined_here]\n{least}\n")).is_ok());
}

/// Binary keys are refused, so nobody is led to them.
#[test]
fn a_misspelt_type_of_a_key_leads_to_one_that_is_taken() {
    let help = |kind: &str| {
        let text = TODO.replacen("\"SK\"", &format!("\"SK: {kind}\""), 1);
        assert_ne!(text, TODO);
        let faults = parse(&text).expect_err("the model is wrong");
        assert_eq!(
            faults[0].message,
            format!("`{kind}` is no type of a key attribute")
        );
        faults[0].help.clone()
    };
    assert_eq!(help("strin").as_deref(), Some("did you mean `string`?"));
    assert_eq!(help("nummber").as_deref(), Some("did you mean `number`?"));
    for far in ["binry", "bynary", "blob"] {
        assert_eq!(
            help(far).as_deref(),
            Some("it can be `string` or `number`"),
            "{far}"
        );
    }
}

/// A counter is a number and nothing else, from the first on.
#[test]
fn conditions_on_counters_compare_numbers() {
    let on = |condition: &str| {
        let text = TODO.replacen("total = :seen", condition, 1);
        assert_ne!(text, TODO);
        let told = parse(&text).err().unwrap_or_default();
        told.iter()
            .map(|fault| (fault.rule.to_string(), fault.message.clone()))
            .collect::<Vec<_>>()
    };
    for right in [
        "total = 0",
        "total in (0, 3)",
        "not total > :most",
        "by_status_pending < :most",
    ] {
        assert_eq!(on(right), [], "{right}");
    }
    for (wrong, message) in [
        (
            "total exists",
            "`total` counts, and is a number in any case",
        ),
        ("total contains 3", "`total` counts, and contains nothing"),
        (
            "total = none",
            "`total` is int and cannot be compared with none",
        ),
        ("by_status = 0", "`by_status` is one number for each status"),
        (
            "by_status_pending exists",
            "`by_status_pending` counts, and is a number in any case",
        ),
    ] {
        let fault = ("bad-condition".to_owned(), message.to_owned());
        assert_eq!(on(wrong), [fault], "{wrong}");
    }
    let [(rule, _)] = &on("by_status_lost = 0")[..] else {
        panic!("no status is `lost`");
    };
    assert_eq!(rule, "unknown-name");
}

#[test]
fn what_a_key_is_made_of_is_no_secret() {
    let text = r##"
[model]
name = "shop"

[table.shop]
partition_key = "PK"
sort_key      = "SK"

[table.shop.index]
GSI1 = { projection = "all" }

[entity.Device]
table  = "shop"
key    = { partition = "DEVICE#{device_id}", sort = "METADATA" }
secret = ["pin", "device_id", "address", "pni"]
index.GSI1 = { partition = "AT#{address}", sort = "METADATA" }

[entity.Device.fields]
device_id = "ulid"
address   = "string(1..20)"
pin       = "string(4..4)"
"##;
    assert_eq!(
        faults(text),
        [
            "15: [bad-value] `device_id` is part of a key of Device, and keys are no secret at `device_id`",
            "15: [bad-value] `address` is part of a key of Device, and keys are no secret at `address`",
            "15: [unknown-name] there is no field of Device `pni` at `pni`",
        ]
    );
}

#[test]
fn what_an_event_carries_is_there_and_has_a_name_of_its_own() {
    let text = r##"
[model]
name = "desk"

[table.desk]
partition_key = "PK"
stream        = "new-and-old-images"

[entity.Ticket]
table  = "desk"
key    = { partition = "TICKET#{id}" }
fields = { id = "ulid", state = "enum(open, closed)", _event = "int" }

[event.Moved]
on     = "change Ticket.state"
detail = ["id", "now = state", "was = before.state", "also = before.stat", "now = id", "before.state", "is it = state", "_event", "happened = _event", "= id"]

[event.Opened]
on     = "insert Ticket"
detail = ["id", "was = before.state"]

[event.Lost]
on     = "remove Ticket"
detail = ["was = before.state"]
"##;
    assert_eq!(
        faults(text),
        [
            "16: [unknown-name] there is no field of Ticket `stat` at `stat`",
            "16: [duplicate-name] `now` is there twice at `now`",
            "16: [bad-value] `before.state` cannot be what the event calls the value before at `before.state`",
            "16: [bad-value] `is it` cannot be the name of what an event carries at `is it`",
            "16: [bad-value] `_event` is where every event says its id and its version at `_event`",
            "16: [bad-value] `` cannot be the name of what an event carries at ``",
            "20: [bad-value] a new item was not there before at `was = before.state`",
            "24: [bad-value] an item that is removed is told as it was at `was = before.state`",
        ]
    );
}

#[test]
fn all_faults_of_a_file_come_in_one_run() {
    let text = r##"
[model]
name    = "shop"
profil  = "single-table"

[table.shop]
partition_key = "PK"
sort_key      = "SK"
stream        = "new-images"
recovery      = "yes"

[entity.Order]
table = "shp"
key   = { partition = "ORDER#{order_id}", sort = "METADATA" }

[entity.Order.fields]
order_id = "ulid"

[entity.Customer]
table = "shop"
key   = { partition = "CUSTOMER#{customer}#{since:rank}", sort = "META$" }

[entity.Customer.fields]
customer_id = "ulid"
since       = "date"
state       = "enum(open, closed) = opne"

[access.Customers]
list = "Customer"
by   = ["customer_id"]
"##;
    assert_eq!(
        faults(text),
        [
            "4: [unknown-key] model has no key `profil` at `profil`",
            "9: [unknown-word] `new-images` is none of the words that can stand here at `new-images`",
            "10: [wrong-type] expected true or false, found a string at `\"yes\"`",
            "13: [unknown-name] there is no table `shp` at `shp`",
            "21: [unknown-name] there is no field of Customer `customer` at `customer`",
            "21: [bad-template] `:rank` does not fit a field of type date: `rank` is the position in an enum's values, and this is a date; remove it at `{since:rank}`",
            "21: [bad-template] `$` is the escape character and cannot stand in a literal; use another character at `$`",
            "26: [bad-type] the default `opne` is none of the words at `opne`",
            "28: [bad-value] `Customers` cannot be the name of an access pattern at `Customers`",
        ]
    );
}

#[test]
fn what_could_not_be_read_causes_no_faults_of_its_own() {
    let text = r##"
[model]
name = "shop"

[table.shop]
partition_key = "PK"

[entity.Order]
table  = "shop"
fields = { order_id = "ulid", state = "enum(open" }

[entity.Line]
table  = "shop"
key    = { partition = "LINE#{line_id}" }
fields = { line_id = "ulid", state = "enum(open, closed" }

[access.orders]
list = "Order"
by   = ["order_id"]

[access.open_lines]
get   = "Line"
by    = ["line_id"]
where = "state = open"
"##;
    assert_eq!(
        faults(text),
        [
            "8: [missing-key] entity.Order needs the key `key` at `[entity.Order]`",
            "15: [bad-type] a `)` is missing here at ``",
        ]
    );
}

#[test]
fn what_dynamodb_would_refuse_is_refused_before() {
    let model = |rest: &str| {
        format!(
            r##"[model]
name = "shop"

[table.shop]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"

[entity.Order]
table = "shop"
key   = {{ partition = "CUSTOMER#{{customer}}", sort = "ORDER#{{id}}" }}

[entity.Order.fields]
customer = "id"
id       = "ulid"
state    = "enum(open, sent)"

[entity.Customer]
table = "shop"
key   = {{ partition = "CUSTOMER#{{customer}}", sort = "#CUSTOMER" }}

[entity.Customer.fields]
customer = "id"

{rest}"##
        )
    };
    for (rest, fault) in [
        (
            "[access.move]\nupdate = \"Order\"\nby = [\"customer\", \"id\"]\nset = [\"customer\"]\n",
            "`customer` is part of the key of Order, and a key cannot be changed at `customer`",
        ),
        (
            "[access.two]\ntransact = [{ create = \"Order\" }, { delete = \"Order\", as = \"old\" }]\n",
            "Order is in this transaction twice, and nothing tells the two apart at `Order`",
        ),
        (
            "[access.both]\nlist = [\"Order\", \"Customer\"]\nby = [\"customer\"]\nrange = \"id\"\n",
            "entities listed together have no sort key in common to bound at `id`",
        ),
        (
            "[access.both]\nlist = [\"Order\", \"Customer\"]\nby = [\"customer\"]\nwhere = \"state = open\"\n",
            "there is no field of Customer `state` at `state`",
        ),
        (
            "[entity.Parcel]\ntype = \"Order\"\ntable = \"shop\"\nkey = { partition = \"PARCEL#{id}\", sort = \"METADATA\" }\nfields = { id = \"ulid\" }\n",
            "items of Order and Parcel both have the type `Order` at `\"Order\"`",
        ),
    ] {
        let text = model(rest);
        let found = faults(&text);
        assert!(
            found.iter().any(|found| found.ends_with(fault)),
            "{fault}\n{found:?}"
        );
    }
}

#[test]
fn an_unknown_key_suggests_the_right_one_and_can_be_fixed() {
    let faults = parse(&TODO.replace("sort_key ", "srot_key ")).expect_err("wrong");
    assert_eq!(faults[0].help.as_deref(), Some("did you mean `sort_key`?"));
    let fix = faults[0].fix.as_ref().expect("a fix");
    assert_eq!(fix.edits[0].text, "sort_key");
}

#[test]
fn an_allowance_needs_a_reason() {
    let text = TODO.replace(
        "get    = \"User\"\n",
        "get    = \"User\"\nallow  = { scan = \" \" }\n",
    );
    let faults = parse(&text).expect_err("wrong");
    assert_eq!(faults[0].message, "allowing `scan` needs a reason");
}

#[test]
fn hostile_files_are_refused_and_end() {
    let deep_arrays = format!("x = {}", "[".repeat(200_000));
    let deep_tables = format!("[{}]", vec!["a"; 100_000].join("."));
    let deep_type = TODO.replace(
        "\"email\"\n",
        &format!("\"{}id{}\"\n", "list(".repeat(9_000), ")".repeat(9_000)),
    );
    let deep_where = TODO.replace(
        "status = completed\"",
        &format!("{}status = completed\"", "(".repeat(9_000)),
    );
    let noise: String = (0..10_000_000_u32)
        .map(|n| char::from(b' ' + (n.wrapping_mul(2_654_435_761) >> 24) as u8 % 95))
        .collect();
    let huge = "#".repeat(tablewright_model::MAX_BYTES + 1);
    let unclosed = format!("{TODO}\nx = \"");
    let files = [
        &deep_arrays,
        &deep_tables,
        &deep_type,
        &deep_where,
        &noise,
        &huge,
        &unclosed,
        "",
    ];
    for text in files {
        let faults = parse(text).expect_err("no model");
        assert!(!faults.is_empty());
        assert!(
            faults.len() <= 200,
            "{} faults would bury the first",
            faults.len()
        );
        for fault in faults {
            assert!(
                text.get(fault.span.range()).is_some(),
                "{:?} is not in the file",
                fault.span
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Arbitrary bytes, read as text where they can be.
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = parse(&text);
    }

    /// A real model cut anywhere, with a piece of it moved elsewhere: much of the grammar is reached.
    #[test]
    fn a_torn_model_never_panics(cut in 0..TODO.len(), from in 0..TODO.len(), length in 0..200_usize) {
        let (cut, from) = (boundary(cut), boundary(from));
        let to = boundary((from + length).min(TODO.len()));
        let torn = format!("{}{}", &TODO[..cut], &TODO[from..to]);
        let _ = parse(&torn);
        let grafted = format!("{}{}{}", &TODO[..cut], &TODO[from..to], &TODO[cut..]);
        if let Err(faults) = parse(&grafted) {
            for fault in faults {
                prop_assert!(grafted.get(fault.span.range()).is_some());
            }
        }
    }

    /// One character changed: every fault still points into the file.
    #[test]
    fn a_mistyped_model_never_panics(at in 0..TODO.len(), typed in any::<char>()) {
        let at = boundary(at);
        let mut text = TODO.to_owned();
        text.insert(at, typed);
        if let Err(faults) = parse(&text) {
            for fault in faults {
                prop_assert!(text.get(fault.span.range()).is_some());
            }
        }
    }
}

fn boundary(mut at: usize) -> usize {
    while !TODO.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[test]
fn an_index_projects_what_there_is() {
    let text = TODO.replacen(
        "GSI2 = { projection = \"all\" }",
        "GSI2 = { projection = [\"titel\"] }",
        1,
    );
    let faults = parse(&text).expect_err("wrong");
    assert_eq!(faults[0].message, "there is no field of this table `titel`");
    assert_eq!(faults[0].help.as_deref(), Some("did you mean `title`?"));
}

#[test]
fn capacity_that_cannot_be_provisioned_is_refused() {
    let with = |capacity: &str| {
        TODO.replacen(
            "stream        = \"new-and-old-images\"\n",
            &format!("stream = \"new-and-old-images\"\ncapacity = {{ {capacity} }}\n"),
            1,
        )
    };
    for (capacity, fault) in [
        ("read = \"0..5\"", "`0..5` is no range of capacity units"),
        ("read = \"9..5\"", "`9..5` is no range of capacity units"),
        ("write = \"five\"", "`five` is no range of capacity units"),
        (
            "write = \"1..99999999999\"",
            "`1..99999999999` is no range of capacity units",
        ),
        ("target = 95", "scaling aims at a use of 20 to 90 percent"),
        (
            "reed = \"1..2\"",
            "table.todo-app-data.capacity has no key `reed`",
        ),
    ] {
        let faults = parse(&with(capacity)).expect_err("wrong");
        assert_eq!(faults[0].message, fault);
    }
    let model = parse(&with("read = \"7\", target = 50")).expect("fine");
    let capacity = model.tables[0].capacity;
    assert_eq!((capacity.read.fewest, capacity.read.most), (7, 7));
    assert_eq!((capacity.write.fewest, capacity.write.most), (5, 100));
    assert_eq!(model.tables[0].indexes[0].capacity, capacity);
}

#[test]
fn a_local_index_has_the_capacity_of_its_table() {
    let text = TODO.replacen(
        "GSI2 = { projection = \"all\" }",
        "GSI2 = { kind = \"local\", capacity = { read = \"1..2\" } }",
        1,
    );
    let faults = faults(&text);
    assert!(
        faults.iter().any(|fault| fault
            .contains("a local index uses the capacity of its table at `{ read = \"1..2\" }`")),
        "{faults:?}"
    );
}

#[test]
fn a_tenant_is_a_field_and_a_service_is_named_once() {
    let text = TODO.replacen("tenant  = \"user_id\"", "tenant  = \"usr_id\"", 1);
    let faults = parse(&text).expect_err("wrong");
    assert_eq!(
        faults[0].message,
        "there is no field of any entity `usr_id`"
    );
    assert_eq!(faults[0].help.as_deref(), Some("did you mean `user_id`?"));
    for (services, fault) in [
        ("[\"api\", \"api\"]", "`api` is named twice"),
        ("[\"the api\"]", "`the api` cannot be the name of a service"),
        ("[\"\"]", "`` cannot be the name of a service"),
        ("[]", "`services` of `user` names nobody"),
    ] {
        let text = TODO.replacen(
            "get         = \"User\"\n",
            &format!("get         = \"User\"\nservices = {services}\n"),
            1,
        );
        let faults = parse(&text).expect_err("wrong");
        assert_eq!(faults[0].message, fault);
    }
}

#[test]
fn a_pattern_without_services_belongs_to_that_of_the_model() {
    let text = TODO.replacen(
        "get         = \"User\"\n",
        "get         = \"User\"\nservices = [\"mailer\", \"todo\"]\n",
        1,
    );
    let model = parse(&text).expect("fine");
    assert_eq!(model.services(), ["mailer", "todo"]);
    let of = |name| model.services_of(model.access(name).expect("it is there"));
    assert_eq!(of("user"), ["mailer", "todo"]);
    assert_eq!(of("task"), ["todo"]);
}

#[test]
fn what_rules_are_told_must_make_sense() {
    let text = r##"
[model]
name  = "shop"
times = { people = "date", ranges = "epoch_seconds?" }

[table.shop]
partition_key = "PK"
sort_key      = "SK"

[entity.Customer]
table = "shop"
key   = { partition = "CUSTOMER#{customer_id}", sort = "METADATA" }

[entity.Customer.copies]
name   = { of = "Custmer.name" }
alias  = { of = "Customer" }
nick   = { of = "Customer.nam" }
legend = { of = "Customer.name", snapshot = true, refreshed_by = ["rename"] }

[entity.Customer.fields]
customer_id = "ulid"
name        = "string(..100)"
alias       = "string(..100)"
nick        = "string(..100)"
legend      = "string(..100)"

[entity.Customer.facts]
case = { nme = "lower", name = "upper" }

[access.customer]
get      = "Customer"
by       = ["customer_id"]
sees     = ["customer"]
for_each = "customer"
retried  = true

[access.rename]
update = "Customer"
by     = ["customer_id"]
set    = ["name"]
sees   = ["rename"]
"##;
    assert_eq!(
        faults(text),
        [
            "4: [bad-value] `date` is no form of a moment at `date`",
            "4: [bad-value] `epoch_seconds?` is no form of a moment at `epoch_seconds?`",
            "15: [unknown-name] there is no entity `Custmer` at `Custmer`",
            "16: [bad-value] `Customer` is no field of an entity at `Customer`",
            "17: [unknown-name] there is no field of Customer `nam` at `nam`",
            "18: [bad-value] `legend` cannot both stay as it was and be refreshed at `true`",
            "28: [unknown-name] there is no field of Customer `nme` at `nme`",
            "28: [unknown-word] `upper` is none of the words that can stand here at `upper`",
            "33: [bad-value] `customer` is a read, and changes nothing at `customer`",
            "34: [bad-value] `customer` gives no rows at `customer`",
            "35: [unknown-key] `retried` means nothing for `get` at `true`",
            "41: [unknown-key] `sees` means nothing for `update` at `\"rename\"`",
        ],
    );
}

#[test]
fn a_rate_is_a_number_of_requests() {
    let rates = ["-1000", "1e308", "-0.5"].map(|rate| (rate, "`rate` is requests a second"));
    let endless =
        ["inf", "-inf", "nan"].map(|rate| (rate, "found a number without an end, or none"));
    for (rate, told) in rates.into_iter().chain(endless) {
        let text = format!(
            "[model]\nname = 'm'\n[table.things]\npartition_key = 'PK'\n[entity.A]\ntable = 'things'\nkey = {{ partition = 'A#{{id}}' }}\n\
             [entity.A.fields]\nid = 'ulid'\n[access.a]\nget = 'A'\nby = ['id']\nrate = {rate}\n"
        );
        let found = faults(&text);
        assert_eq!(found.len(), 1, "{rate}: {found:?}");
        assert!(found[0].contains(told), "{found:?}");
    }
}

/// What no key can be is not looked at any further, however long it is.
#[test]
fn a_template_longer_than_any_key_is_refused() {
    let with = |partition: &str| TODO.replace("TASK#{user_id}", partition);
    assert!(parse(&with(&format!("{}#{{user_id}}", "T".repeat(2000)))).is_ok());
    for (partition, bytes) in [
        (format!("{}#{{user_id}}", "T".repeat(2047)), 2049),
        ("{user_id}".repeat(5000), 5000),
        (format!("{}#{{user_id}}", "T".repeat(5_000_000)), 5_000_002),
    ] {
        let text = with(&partition);
        let faults = parse(&text).expect_err("no key is that long");
        let told = format!("every key of it has at least {bytes} bytes, and DynamoDB takes 2048");
        assert!(faults.iter().any(|fault| fault.message == told), "{bytes}");
    }
}

#[test]
fn a_field_without_any_value_is_a_fault() {
    let declared = "user_id = 100_000";
    assert!(TODO.contains(declared));
    let told = faults(&TODO.replace(declared, "user_id = 0"));
    assert_eq!(
        told,
        ["87: [bad-value] `user_id` has no value at all at `0`"]
    );
    assert!(parse(&TODO.replace(declared, "user_id = 1")).is_ok());
}
