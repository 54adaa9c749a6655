//! The documents of the second phase: held against what was read and found good, and against the grammar of Markdown and Mermaid.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tablewright_emit::artefacts::{ARTEFACTS, Job, Places};
use tablewright_emit::proof::KeptProof;
use tablewright_model::{Model, parse};

use crate::diagrams::diagrams_parse;
use crate::well_formed::well_formed;
use crate::{folder, read};

/// The artefacts that are documents.
pub(crate) const DOCUMENTS: &[(&str, &str)] = &[
    ("charts", ""),
    ("relationships", "relationship-decisions.md"),
    ("patterns", "access-patterns.md"),
    ("review", "anti-pattern-review.md"),
    ("diagrams", "diagrams.md"),
];

/// Where the documents of a model are to stand, with its rules and generated code beside them.
pub(crate) fn places(folder: &Path) -> Places {
    let root = folder.parent().unwrap_or(folder);
    let mut places = Places::default()
        .with("model", root.join("model.toml"))
        .with("rules", root.join("rules"))
        .with("rust", root.join("model.rs"));
    for (key, file) in DOCUMENTS {
        places = match *file {
            "" => places.with(key, folder),
            file => places.with(key, folder.join(file)),
        };
    }
    places
}

/// All documents of a model, by the names of their files.
pub(crate) fn documents(
    model: &Model,
    folder: &Path,
    proof: Option<&KeptProof>,
) -> BTreeMap<String, String> {
    let places = places(folder);
    let mut documents = BTreeMap::new();
    for (key, _) in DOCUMENTS {
        let artefact = ARTEFACTS.iter().find(|one| one.name == *key);
        let artefact = artefact.expect("it is an artefact");
        let job = Job {
            model,
            source: "model.toml",
            place: places.get(key).expect("it has a place"),
            places: &places,
            proof,
        };
        for (path, text) in (artefact.generate)(&job)
            .expect("there is nothing to read")
            .files
        {
            let name = path
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            assert!(documents.insert(name, text).is_none(), "{key} twice");
        }
    }
    documents
}

/// `TABLEWRIGHT_BLESS=1` accepts what is generated: read the diff.
#[test]
fn documents_read_as_they_did() {
    for name in ["everything", "corners"] {
        let model = read(&folder().join(format!("{name}.toml")));
        let golden = folder().join("documents").join(name);
        let documents = documents(&model, Path::new("jobs/model"), None);
        if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
            let _ = std::fs::remove_dir_all(&golden);
            std::fs::create_dir_all(&golden).unwrap();
            for (file, text) in &documents {
                std::fs::write(golden.join(file), text).unwrap();
            }
        }
        let mut kept = BTreeMap::new();
        for entry in std::fs::read_dir(&golden).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap().to_owned();
            kept.insert(file, std::fs::read_to_string(path).unwrap());
        }
        let names = |all: &BTreeMap<String, String>| all.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&documents), names(&kept), "bless {name}");
        for (file, text) in &documents {
            let mut lines = text.lines().zip(kept[file].lines()).enumerate();
            let differs = lines.find(|(_, (now, then))| now != then);
            assert_eq!(
                differs, None,
                "bless {name}/{file} with TABLEWRIGHT_BLESS=1"
            );
            assert_eq!(text.len(), kept[file].len(), "{name}/{file}");
        }
    }
}

#[test]
fn documents_are_well_formed_and_diagrams_parse() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let ours = ["accounts", "todo", "tasks", "ask"].map(|name| models.join(format!("{name}.toml")));
    let theirs = ["everything", "corners"].map(|name| folder().join(format!("{name}.toml")));
    for path in ours.iter().chain(&theirs) {
        let documents = documents(&read(path), Path::new("jobs/model"), None);
        well_formed(&documents);
        assert!(diagrams_parse(&documents["diagrams.md"]) >= 2, "{path:?}");
    }
}

#[test]
fn words_of_a_model_are_never_markup() {
    // Bars, backticks, quotes, HTML and line ends wherever a model has words of its own.
    let nasty =
        r##"a | b ` c `` <script>x</script> \\| [l](m) *n* _o_ \" #1; %% --> & &lt; ~~~ ```"##;
    let text = format!(
        r##"
[model]
name  = "nasty"
title = "{nasty}"
about = "{nasty}"
[table."t"]
partition_key = "PK"
sort_key = "SK"
type = "Type"
[table."t".index]
GSI1 = {{}}
[entity.E]
table = "t"
about = "{nasty}\n\n# heading\n- list\n| cell |"
key = {{ partition = "A|`<b>#{{id}}", sort = "\"|\\#{{other}}" }}
index.GSI1 = {{ partition = "X|#{{other}}", sort = "Y`#{{id}}", when = "other = 'it|s `so` <b>'" }}
[entity.E.fields]
id = "id"
other = "string(1..20)"
unique_one = "id"
[entity.E.unique]
"uni|`que<b>" = {{ partition = "U|#{{unique_one}}", sort = "M" }}
[entity.F]
table = "t"
key = {{ partition = "F#{{id}}", sort = "M" }}
[entity.F.fields]
id = "id"
pk = "id"
FK = "id"
[relationship."r|`<b>"]
from = "E"
to = "F"
kind = "1:N"
bound = "unbounded"
strategy = "item-collection"
why = "{nasty}"
[access.e]
ask = "{nasty}"
list = "E"
by = ["other"]
where = "other = 'it|s `so` <b>'"
[access.f]
get = "F"
by = ["id"]
where = "pk = '|`<b>'"
"##
    );
    let model = parse(&text).unwrap_or_else(|faults| panic!("{faults:#?}"));
    let documents = documents(&model, Path::new("jobs/model"), None);
    well_formed(&documents);
    assert!(diagrams_parse(&documents["diagrams.md"]) >= 2);
    for (file, text) in &documents {
        assert!(!text.contains("<script>"), "{file}");
        assert!(!text.contains("[l](m)"), "{file}");
    }
}

#[test]
fn a_model_of_nothing_has_documents() {
    for text in [
        "[model]\nname = \"nothing\"\n",
        "[model]\nname = \"a\"\n[table.t]\npartition_key = \"PK\"\n",
        "[model]\nname = \"a\"\n[table.t]\npartition_key = \"PK\"\n[table.t.index]\nGSI1 = {}\n[entity.E]\ntable = \"t\"\nkey = { partition = \"E\" }\n[entity.E.fields]\nx = \"int\"\n",
    ] {
        let documents = documents(&parse(text).unwrap(), Path::new("jobs/model"), None);
        well_formed(&documents);
        diagrams_parse(&documents["diagrams.md"]);
    }
}

#[test]
fn a_model_of_a_thousand_entities_has_documents() {
    let mut text = String::from(
        "[model]\nname = \"large\"\n[table.t]\npartition_key = \"PK\"\nsort_key = \"SK\"\ntype = \"Type\"\n[table.t.index]\nGSI1 = {}\n",
    );
    for n in 0..1000 {
        let _ = write!(
            text,
            "[entity.E{n}]\ntable = \"t\"\nkey = {{ partition = \"E{n}#{{id}}\", sort = \"M\" }}\n\
             index.GSI1 = {{ partition = \"G{n}#{{of}}\", sort = \"I#{{id}}\" }}\n\
             [entity.E{n}.fields]\nid = \"id\"\nof = \"id\"\n\
             [access.get_{n}]\nget = \"E{n}\"\nby = [\"id\"]\n[access.list_{n}]\nlist = \"E{n}\"\nby = [\"of\"]\n"
        );
        if n > 0 {
            let _ = write!(
                text,
                "[relationship.r{n}]\nfrom = \"E{}\"\nto = \"E{n}\"\nkind = \"1:1\"\nstrategy = \"item-collection\"\nwhy = \"so\"\n",
                n - 1
            );
        }
    }
    let documents = documents(&parse(&text).unwrap(), Path::new("jobs/model"), None);
    well_formed(&documents);
    assert!(diagrams_parse(&documents["diagrams.md"]) > 4);
    assert_eq!(documents["diagrams.md"].matches("r999").count(), 1);
}

#[test]
fn measured_costs_stand_beside_the_planned() {
    let model = read(&folder().join("everything.toml"));
    let proof = KeptProof::parse(
        r#"{"patterns": [
            {"pattern": "store", "items_small": 10000, "items_large": 100000, "rcu_small": 0.5, "rcu_large": 0.5, "returned": 1, "pass": true},
            {"pattern": "orders", "items_small": 10000, "items_large": 100000, "rcu_small": 2.5, "rcu_large": 9.5, "returned": 50, "pass": false, "why": "it grows"},
            {"pattern": "write_receipt", "wcu": 3, "pass": true}
        ]}"#,
    )
    .unwrap();
    let documents = documents(&model, Path::new("jobs/model"), Some(&proof));
    well_formed(&documents);
    let table = &documents["access-patterns.md"];
    let row = |name: &str| {
        let anchor = format!("<a id=\"{name}\">");
        let line = table.lines().find(|line| line.contains(&anchor)).unwrap();
        line.rsplit(" | ")
            .next()
            .unwrap()
            .trim_end_matches(" |")
            .to_owned()
    };
    assert_eq!(row("store"), "0.5 RCU");
    assert_eq!(row("orders"), "**failed**: 2.5 → 9.5 RCU");
    assert_eq!(row("write_receipt"), "3 WCU");
    assert_eq!(row("settings"), "not measured");
    assert!(table.contains("tables of 10,000 and 100,000 items"));
    // A proof that failed is no tick.
    let review = &documents["anti-pattern-review.md"];
    assert!(review.contains("- [ ] **No full-table scans expected.** The proof failed for"));
}

/// S3-52: what costs more in the larger table is named where the costs are told, with what excuses it.
#[test]
fn what_cost_more_in_the_larger_table_is_named_with_its_reason() {
    let model = read(&folder().join("everything.toml"));
    let kept = |growth: &str| {
        let text = format!(
            r#"{{"patterns": [
                {{"pattern": "store", "items_small": 10000, "items_large": 100000, "rcu_small": 0.5, "rcu_large": 0.5, "returned": 1, "pass": true}},
                {{"pattern": "orders", "items_small": 10000, "items_large": 100000, "rcu_small": 2.5, "rcu_large": 9.5, "returned": 50, "pass": true{growth}}}
            ]}}"#
        );
        let proof = KeptProof::parse(&text).unwrap();
        let documents = documents(&model, Path::new("jobs/model"), Some(&proof));
        well_formed(&documents);
        let lines = documents["anti-pattern-review.md"].lines();
        let line = lines
            .into_iter()
            .find(|line| line.contains("No full-table scans expected"));
        (
            documents["access-patterns.md"].clone(),
            line.unwrap().to_owned(),
        )
    };
    let growth = |kind: &str, because: &str| {
        format!(
            r#", "growth": [{{"kind": "{kind}", "rcu_small": 2.5, "rcu_large": 9.5, "because": "{because}"}}]"#
        )
    };
    let (table, line) = kept(&growth("more-to-give", "a page costs 12 rcu at most"));
    assert!(
        table.contains(
            "It cost more on the larger table, 2.5 → 9.5 RCU: a page costs 12 rcu at most."
        ),
        "{table}"
    );
    assert!(
        line.contains("1 of 2 patterns cost no more in the larger one. "),
        "{line}"
    );
    assert!(
        line.contains("has more to give in the larger one"),
        "{line}"
    );
    let (_, line) = kept(&growth("looks-at-more", "at no more than 400 items"));
    assert!(
        line.contains("looks at more in the larger one where a caller wants little"),
        "{line}"
    );
    let (_, line) = kept(&growth("of-another-kind", "there is a reason"));
    assert!(line.contains("2.5 → 9.5 RCU: there is a reason"), "{line}");
    let (_, line) = kept(&growth("more-to-count", "it reads 500 items"));
    assert!(
        line.contains("costs more in the larger one, 2.5 → 9.5 RCU: it reads 500 items."),
        "{line}"
    );
    // A proof from before reasons were kept.
    let (_, line) = kept("");
    assert!(line.contains("the proof does not say why: "), "{line}");
}

#[test]
fn what_is_generated_twice_is_the_same() {
    let model = read(&folder().join("everything.toml"));
    let place = PathBuf::from("jobs/model");
    assert_eq!(
        documents(&model, &place, None),
        documents(&model, &place, None)
    );
}

/// S3-26: where keys are called as fields are, nothing else in the row tells an index from its table.
#[test]
fn a_relationship_names_the_index_it_is_read_by() {
    let text = r#"
[model]
name    = "shop"
profile = "table-per-entity"

[table.buyers]
partition_key = "buyer"

[table.orders]
partition_key = "order"

[table.orders.index]
ByBuyer = { partition_key = "buyer", sort_key = "order" }

[entity.Buyer]
table = "buyers"
key   = { partition = "{buyer}" }

[entity.Buyer.fields]
buyer = "id"

[entity.Order]
table = "orders"
key   = { partition = "{order}" }

index.ByBuyer = { partition = "{buyer}", sort = "{order}" }

[entity.Order.fields]
order = "id"
buyer = "id"

[relationship.orders_of_buyer]
from     = "Buyer"
to       = "Order"
kind     = "1:N"
strategy = "normalisation"
why      = "An order is read by its own number first."

[access.orders_of_buyer]
list = "Order"
by   = ["buyer"]
"#;
    let model = parse(text).unwrap_or_else(|faults| panic!("{faults:#?}"));
    let documents = documents(&model, Path::new("jobs/shop"), None);
    let page = &documents["relationship-decisions.md"];
    assert!(
        page.contains("| Query on `ByBuyer` of `orders` | `buyer = {buyer}` |"),
        "{page}"
    );
}

const LINES: &str = r##"
[model]
name = "lines"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
LSI1 = { kind = "local", sort_key = "LSI1SK" }

[entity.User]
table  = "app"
key    = { partition = "USER#{user_id}", sort = "METADATA" }
fields = { user_id = "id" }

[entity.Mail]
table      = "app"
key        = { partition = "LINE#{task_id}#{user_id}", sort = "MAIL#{mail_id}" }
index.LSI1 = { sort = "DUE#{due}#{mail_id}" }
fields     = { task_id = "id", user_id = "id", mail_id = "ulid", due = "date" }

[relationship.user_mails]
from     = "User"
to       = "Mail"
kind     = "1:N"
bound    = "unbounded"
strategy = "item-collection"
why      = "They wait in lines."

[access.line]
ask         = "Which mails wait?"
list        = "Mail"
by          = ["task_id", "user_id"]
order       = "due"
consistency = "strong"
"##;

#[test]
fn what_is_read_strongly_misses_nothing() {
    let told = |text: &str| {
        let documents = documents(&parse(text).unwrap(), &folder(), None);
        documents["access-patterns.md"].clone()
    };
    let page = told(LINES);
    let all = "1 of the reads goes through an index, strongly consistent.";
    assert!(page.contains(all), "{page}");
    let later = LINES.replace("[access.line]", "[access.later]");
    let (_, later) = later.split_once("[access.later]").unwrap();
    let later = later.replace("\"strong\"", "\"eventual\"");
    let page = told(&format!("{LINES}\n[access.later]{later}"));
    let some = "2 of the reads go through an index; 1 of these may miss what was written in the last moments, the others are strongly consistent.";
    assert!(page.contains(some), "{page}");
    let page = told(&LINES.replace("\"strong\"", "\"eventual\""));
    let none =
        "1 of the reads goes through an index, and may miss what was written in the last moments.";
    assert!(page.contains(none), "{page}");
}

#[test]
fn a_relationship_is_not_said_to_be_read_from_one_side_that_is_not_enough() {
    let told = |text: &str| {
        let documents = documents(&parse(text).unwrap(), &folder(), None);
        documents["relationship-decisions.md"].clone()
    };
    let words = "Nothing reads it from User alone: the partition is made of `task_id` as well.";
    let page = told(LINES);
    assert!(page.contains(words), "{page}");
    let page = told(
        &LINES
            .replace("LINE#{task_id}#{user_id}", "LINE#{user_id}")
            .replace(
                "sort = \"MAIL#{mail_id}\"",
                "sort = \"MAIL#{task_id}#{mail_id}\"",
            )
            .replace("DUE#", "DUE#{task_id}#"),
    );
    assert!(page.contains("](access-patterns.md#line)"), "{page}");
    assert!(!page.contains("alone"), "{page}");
}

/// A first count writes an entry that no other does: the documents and the plan name it.
#[test]
fn the_first_count_of_an_item_is_in_the_documents() {
    let path = folder().join("../../../prove/tests/right/first-counts.toml");
    let model = read(&path);
    let documents = documents(&model, Path::new("jobs/model"), None);
    let (_, writes) = documents["entity-chart-gsi1.md"]
        .split_once("## Writes")
        .expect("what is written");
    assert!(
        writes.contains("`post`") && writes.contains("`move`"),
        "{writes}"
    );
    assert!(!writes.contains("`remove`"), "{writes}");
    let patterns = &documents["access-patterns.md"];
    let line = |name: &str| {
        let named = format!("`{name}`<br>");
        let mut lines = patterns.lines();
        let line =
            lines.find(|line| line.contains(&named) || line.contains(&format!("`{name}` |")));
        line.unwrap_or_else(|| panic!("{patterns}")).to_owned()
    };
    assert!(line("post").contains("table and `GSI1`"), "{patterns}");
    assert!(!line("remove").contains("GSI1"), "{patterns}");
    assert!(
        line("move").contains("if it is there. Updates the counts in RoomCounts, which begins"),
        "{patterns}"
    );
    let plan = tablewright_plan::plan_one(&model, &model.accesses[0]);
    let told = plan.to_text(&model);
    assert!(
        told.contains("with the first count, indexes GSI1"),
        "{told}"
    );
}
