//! `access-patterns.md`: every access pattern with its request, what the caller gives, and what it costs: planned and measured.
//! (S3-5, S3-13, S3-45)

use tablewright_model::Model;
use tablewright_model::model::{Access, Consistency, UnitKind};
use tablewright_plan::{Answer, Plan};

use crate::artefacts::Job;
use crate::design::Design;
use crate::markdown::{Links, Page, and, capitalised, code, count, number, text, units};
use crate::proof::{KeptProof, Measured};
use crate::request::Request;

/// What the cell of a pattern says that no proof has measured.
const NOT_MEASURED: &str = "not measured";

/// The table of all patterns of a model.
pub fn page(job: &Job<'_>) -> String {
    let design = Design::new(job.model);
    let links = Links::from_file(job);
    let mut page = Page::new(job, "access patterns");
    if job.model.accesses.is_empty() {
        page.block("The model has no access patterns yet.");
        return page.finish();
    }
    page.block(&introduction(job, &design, &links));
    for (heading, is_read) in [("Reads", true), ("Writes", false)] {
        let patterns: Vec<(&Access, &Plan)> = design
            .patterns()
            .filter(|(access, _)| access.verb.is_read() == is_read)
            .collect();
        if patterns.is_empty() {
            continue;
        }
        page.heading(2, heading);
        let rows = patterns
            .iter()
            .map(|(access, plan)| row(job, access, plan, &links));
        page.table(
            &[
                "Entity",
                "Access pattern",
                "Index",
                "Key condition",
                "Parameters",
                "Notes",
                "Planned",
                "Measured",
            ],
            &rows.collect::<Vec<_>>(),
        );
    }
    costs(&mut page, job, &design);
    page.finish()
}

fn introduction(job: &Job<'_>, design: &Design<'_>, links: &Links<'_>) -> String {
    let model = job.model;
    let reads = model.accesses.iter().filter(|one| one.verb.is_read());
    let reads = reads.count();
    let mut words = capitalised(&format!(
        "{} and {}.",
        count(reads, "read"),
        count(model.accesses.len() - reads, "write")
    ));
    words.push_str(&through_indexes(design));
    if model.entities.iter().any(|entity| entity.ttl.is_some()) {
        words.push_str(
            " What is past its TTL is left out of every read, whether DynamoDB has deleted it yet or not; until it has, reading over it is paid on top of the costs below.",
        );
    }
    let bounded =
        |(_, plan): &(&Access, &Plan)| plan.read().is_some_and(|read| read.bound_told().is_some());
    if design.patterns().any(|one| bounded(&one)) {
        words.push_str(
            " A bound that ends in `$`, the character after `#`, includes the keys that go on with `#` behind its value: all of the last one.",
        );
    }
    words.push_str(
        " One RCU reads 4 KB consistently or 8 KB eventually, one WCU writes 1 KB; a transaction writes for twice that.",
    );
    words.push_str(&match job.proof {
        None => format!(
            " Nothing has been measured yet: {} does that.",
            code("tablewright prove --keep")
        ),
        Some(proof) => measured_on(proof, links),
    });
    words
}

/// How many reads go through an index, and how many of them may miss something: a local index can be read strongly.
fn through_indexes(design: &Design<'_>) -> String {
    let reads = design
        .patterns()
        .filter_map(|(_, plan)| match &plan.answer {
            Answer::Read(read) if read.place.index.is_some() => Some(read.consistency),
            _ => None,
        });
    let reads: Vec<Consistency> = reads.collect();
    let (all, strong) = (
        reads.len(),
        (reads.iter().filter(|one| **one == Consistency::Strong)).count(),
    );
    if all == 0 {
        return String::new();
    }
    let verb = if all == 1 { "goes" } else { "go" };
    let misses = match all - strong {
        0 => String::from(", strongly consistent"),
        _ if strong == 0 => String::from(", and may miss what was written in the last moments"),
        some => format!(
            "; {} of these may miss what was written in the last moments, the others are strongly consistent",
            number(some as u64)
        ),
    };
    format!(
        " {} of the reads {verb} through an index{misses}.",
        number(all as u64)
    )
}

fn measured_on(proof: &KeptProof, links: &Links<'_>) -> String {
    let proof_page = links.link("proof", "proof", "proof.md");
    match proof.sizes() {
        Some((small, large)) => {
            let has_full = proof.patterns.values().any(|one| one.rcu_full.is_some());
            let full = match has_full {
                true => {
                    "; *full* is what a page cost where every shard it is read from has a full one of items as large as declared"
                }
                false => "",
            };
            format!(
                " Costs were measured on tables of {} and {} items; two numbers with an arrow are what a request cost on the one and on the other{full} ({proof_page}).",
                number(small),
                number(large)
            )
        }
        None => format!(" Costs were measured ({proof_page})."),
    }
}

fn row(job: &Job<'_>, access: &Access, plan: &Plan, links: &Links<'_>) -> Vec<String> {
    let model = job.model;
    let request = Request::of(model, access, plan);
    let name = access.name.as_str();
    let anchored = format!("<a id=\"{name}\"></a>{}", code(name));
    let pattern = match &access.ask {
        Some(ask) => format!("{anchored}<br>{}", text(ask.as_str())),
        None => anchored,
    };
    let mut notes = vec![format!("{}.", request.call)];
    notes.extend(request.notes.iter().cloned());
    notes.extend(grown(job.proof, name));
    vec![
        request.entity_cell(model),
        pattern,
        place(model, access, plan, &request, links),
        request.key_cell(),
        request.parameter_cell(),
        notes.join(" "),
        request.planned(),
        measured(job.proof, name),
    ]
}

/// The table or index that is read; of a write, also the indexes it reaches.
fn place(
    model: &Model,
    access: &Access,
    plan: &Plan,
    request: &Request,
    links: &Links<'_>,
) -> String {
    let table = model.table(request.place.table);
    let name = match request.place.index {
        Some(index) => index_link(model, request.place.table.0, index.0, links),
        None if model.tables.len() > 1 => code(table.name.as_str()),
        None => String::from("table"),
    };
    let Answer::Write(write) = &plan.answer else {
        return match (&plan.answer, access.verb.is_read()) {
            (Answer::Nothing(_), _) => String::from("none"),
            _ => name,
        };
    };
    let mut places: Vec<String> = Vec::new();
    if let Some(finds) = &write.finds
        && let Some(index) = finds.place.index
    {
        places.push(index_link(model, finds.place.table.0, index.0, links));
    }
    for item in &write.items {
        let table = model.table_of(item.entity);
        let name = match model.tables.len() {
            1 => String::from("table"),
            _ => code(table.name.as_str()),
        };
        let reached = item.entries_at_most().iter();
        let reached = reached.filter(|entries| entries.most > 0);
        for place in std::iter::once(name).chain(reached.map(|entries| code(&entries.index))) {
            // The one that finds the items is linked already.
            if !places.iter().any(|known| known.contains(&place)) {
                places.push(place);
            }
        }
    }
    and(&places)
}

fn index_link(model: &Model, table: usize, index: usize, links: &Links<'_>) -> String {
    let before: usize = model.tables[..table]
        .iter()
        .map(|table| table.indexes.len())
        .sum();
    let shown = code(model.tables[table].indexes[index].name.as_str());
    match crate::charts::chart_names(model).get(before + index) {
        Some(file) => links.link(&shown, "charts", file),
        None => shown,
    }
}

/// Why a proof measured more of it on the larger table.
fn grown(proof: Option<&KeptProof>, name: &str) -> Vec<String> {
    let measured = proof.and_then(|proof| proof.patterns.get(name));
    let growth = measured.map_or(&[][..], |measured| &measured.growth);
    let told = growth.iter().map(|growth| {
        format!(
            "It cost more on the larger table, {} → {}: {}.",
            growth.rcu_small,
            units(growth.rcu_large, UnitKind::Read),
            text(&growth.because)
        )
    });
    told.collect()
}

/// What a proof measured of a pattern.
fn measured(proof: Option<&KeptProof>, name: &str) -> String {
    let Some(measured) = proof.and_then(|proof| proof.patterns.get(name)) else {
        return String::from(NOT_MEASURED);
    };
    let told = told(measured);
    match measured.pass {
        true => told,
        false => format!("**failed**: {told}"),
    }
}

fn told(measured: &Measured) -> String {
    let mut told = Vec::new();
    match (measured.rcu_small, measured.rcu_large) {
        (Some(small), Some(large)) if (small - large).abs() > f64::EPSILON => {
            told.push(format!("{small} → {}", units(large, UnitKind::Read)));
        }
        (Some(one), _) | (None, Some(one)) => told.push(units(one, UnitKind::Read)),
        (None, None) => {}
    }
    let most = [measured.rcu_small, measured.rcu_large].into_iter();
    let most = most.flatten().fold(0.0, f64::max);
    let full = measured.rcu_full.filter(|full| *full > most);
    told.extend(full.map(|full| format!("full {}", units(full, UnitKind::Read))));
    told.extend(measured.wcu.map(|wcu| units(wcu, UnitKind::Write)));
    match told.is_empty() {
        true => String::from(NOT_MEASURED),
        false => told.join(", "),
    }
}

/// How the planned costs come about.
fn costs(page: &mut Page, job: &Job<'_>, design: &Design<'_>) {
    let mut rows = Vec::new();
    let mut lacking = Vec::new();
    let mut reads_first = false;
    for (access, plan) in design.patterns() {
        let request = Request::of(design.model, access, plan);
        let (Some(cost), Some(formula)) = (&request.cost, request.formula()) else {
            continue;
        };
        reads_first |= request.first.is_some();
        for lack in &cost.lacks {
            let lack = code(lack);
            if !lacking.contains(&lack) {
                lacking.push(lack);
            }
        }
        rows.push(vec![
            code(access.name.as_str()),
            formula,
            request.planned(),
            measured(job.proof, access.name.as_str()),
            budget(access),
        ]);
    }
    if rows.is_empty() {
        return;
    }
    page.heading(2, "Costs");
    let mut words = String::from(
        "Planned from the declared size of an item, in blocks of 4 KB that are read and of 1 KB that are written. Of a write it is the most it can be: every index entry it may reach is counted. What was measured and what a budget allows are costs of the same.",
    );
    if reads_first {
        words.push_str(
            " Behind `+` stands what it costs to read an item before it is written, for its version or for what belongs to it; that is planned, and in no measurement and no budget of a write.",
        );
    }
    page.block(&words);
    if !lacking.is_empty() {
        page.block(&format!(
            "To know every cost, declare {}.",
            crate::markdown::listed(&lacking)
        ));
    }
    page.table(
        &["Access pattern", "Formula", "Planned", "Measured", "Budget"],
        &rows,
    );
}

fn budget(access: &Access) -> String {
    let budgets = access.finding_budget.iter().chain(&access.budget);
    let told: Vec<String> = budgets
        .map(|budget| units(budget.units, budget.kind))
        .collect();
    told.join(" + ")
}
