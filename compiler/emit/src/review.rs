//! `anti-pattern-review.md`: the 63 lines of the method's checklists, in its words, each answered by the rule, the plan or the proof
//! that settles it. What only people can decide stays open, with a line to sign. (S3-6, S3-48 to S3-56)

mod answer;
mod answers;
mod checklist;
mod evidence;
mod fingerprint;
mod sign_off;

use std::io;

use tablewright_check::Subject;

use crate::artefacts::{Generated, Job};
use crate::markdown::{Links, Page, code, count, number, sentence, text};
use crate::on_disk;

pub use answer::{Answer, Named, State};
pub use checklist::{Flag, Line, PITFALLS, RED_FLAGS, SECTIONS, Section};
pub use evidence::Evidence;
use fingerprint::fingerprint;
use sign_off::SignOffs;

/// The review of a model. What people signed in the file that is there is kept.
///
/// # Errors
/// When the file exists and cannot be read, or is no text.
pub fn generate(job: &Job<'_>) -> io::Result<Generated> {
    let before = on_disk::text(job.place)?.unwrap_or_default();
    Ok(Generated {
        files: vec![(job.place.to_owned(), page(job, &before))],
        ..Generated::default()
    })
}

/// The text of the review, with the signatures of the one before.
pub fn page(job: &Job<'_>, before: &str) -> String {
    let design = fingerprint(job.model);
    let signed = SignOffs::read(before, &design);
    let evidence = Evidence::new(job, signed.holding());
    let answered: Vec<Vec<Answer>> = SECTIONS
        .iter()
        .map(|section| {
            let lines = section.lines.iter();
            lines.map(|line| (line.answer)(&evidence)).collect()
        })
        .collect();
    let mut page = Page::new(job, "anti-pattern review");
    page.block(&introduction(&evidence, &signed, answered.iter().flatten()));
    page.block(&format!(
        "Design {}. It changes with the keys, indexes, fields, patterns and relationships of the model. Who signs a line writes behind {} a name, the day and the design, as in {}. The signature holds for that design, and {} keeps it; what lacks one of the three signs nothing.",
        code(&design),
        code("Signed:"),
        code(&format!("Ada Lovelace, 2024-01-31, {design}")),
        code("tablewright generate")
    ));
    for (section, answers) in SECTIONS.iter().zip(&answered) {
        page.heading(section.level, section.title);
        page.block(section.about);
        let lines = section.lines.iter().zip(answers);
        page.bullets(lines.map(|(line, answer)| told(line, answer, &signed)));
        match section.title {
            "Cost & Performance" => flags(&mut page, "Red Flags", RED_FLAGS, &evidence),
            "Moving to Phase 3" => {
                page.heading(2, "Common Pitfalls");
                flags(&mut page, "", PITFALLS, &evidence);
            }
            _ => {}
        }
    }
    findings(&mut page, &evidence);
    let text = page.finish().replacen(
        "Change the model, not this file.",
        "Change the model; in this file, only sign.",
        1,
    );
    with_links_at_the_end(text, evidence.links())
}

/// The same text with the pages of rules named once, at its end: between the lines the paths would bury the answers.
fn with_links_at_the_end(mut text: String, links: &Links<'_>) -> String {
    let mut named: Vec<String> = Vec::new();
    for rule in tablewright_check::RULES {
        let linked = links.rule(rule.name);
        let label = format!("[{}]", code(rule.name));
        let Some(target) = linked
            .strip_prefix(&format!("{label}("))
            .and_then(|rest| rest.strip_suffix(')'))
        else {
            continue;
        };
        if text.contains(&linked) {
            text = text.replace(&linked, &label);
            named.push(format!("{label}: {target}\n"));
        }
    }
    if named.is_empty() {
        return text;
    }
    named.sort();
    format!("{text}\n{}", named.concat())
}

/// A line of the checklist: its box, its words, its answer.
fn told(line: &Line, answer: &Answer, signed: &SignOffs) -> String {
    let mut words = answer.words.join(" ");
    let mut holds = matches!(answer.state, State::Holds | State::Decided);
    if answer.state == State::Open {
        holds = signed.holds(line.text);
        words = format!("{words}<br>\n  {}", signed.line(line.text));
    }
    let mark = if holds { 'x' } else { ' ' };
    format!("[{mark}] **{}.** {words}", line.text)
}

fn introduction<'a>(
    evidence: &Evidence<'_>,
    signed: &SignOffs,
    answers: impl Iterator<Item = &'a Answer>,
) -> String {
    let (mut holds, mut decided, mut fails, mut open) = (0, 0, 0, 0);
    for answer in answers {
        match answer.state {
            State::Holds => holds += 1,
            State::Decided => decided += 1,
            // That they have not signed yet is theirs as well.
            State::Fails if answer.evidence == [Named::People] => open += 1,
            State::Fails => fails += 1,
            State::Open => open += 1,
        }
    }
    let all = holds + decided + fails + open;
    let mut words = format!(
        "The checklists of the method, {} in all, answered for this model. {} settled by a rule, a plan or a document",
        count(all, "line"),
        are(holds)
    );
    if decided > 0 {
        let verb = if decided == 1 { "is" } else { "are" };
        let decided = number(decided as u64);
        words.push_str(&format!(
            ", {decided} {verb} decided otherwise by the profile"
        ));
    }
    if fails > 0 {
        words.push_str(&format!(", {} not settled yet", are(fails)));
    }
    if open > 0 {
        let done = signed.holding().len();
        let verb = if open == 1 { "is" } else { "are" };
        words.push_str(&format!(
            ", and {} {verb} for people to decide",
            number(open as u64)
        ));
        words.push_str(&format!(
            " ({} of them signed)",
            if done == 0 {
                String::from("none")
            } else {
                number(done as u64)
            }
        ));
    }
    words.push('.');
    words.push_str(&match evidence.links().to("rules", "README.md") {
        Some(target) => format!(" What a rule finds, and why it hurts, has [its page]({target})."),
        None => format!(
            " {} tells what a rule finds, and why it hurts.",
            code("tablewright explain NAME")
        ),
    });
    words
}

fn are(how_many: usize) -> String {
    let verb = if how_many == 1 { "is" } else { "are" };
    format!("{} {verb}", number(how_many as u64))
}

/// What the method warns of besides: not lines to tick, and looked for all the same.
fn flags(page: &mut Page, heading: &str, flags: &[Flag], evidence: &Evidence<'_>) {
    if !heading.is_empty() {
        page.heading(3, heading);
    }
    page.bullets(flags.iter().map(|flag| {
        let answer = (flag.answer)(evidence);
        let verdict = match answer.state {
            State::Holds => "Not here.",
            State::Decided => "By decision.",
            State::Fails => "**Look at this.**",
            State::Open => "For people to judge.",
        };
        format!("**{}** {verdict} {}", flag.text, answer.words.join(" "))
    }));
}

/// Everything the rules say, so that nothing hides behind a line.
fn findings(page: &mut Page, evidence: &Evidence<'_>) {
    let verdict = evidence.verdict();
    page.heading(2, "Findings");
    if verdict.findings.is_empty() {
        page.block("The rules find nothing that is not allowed.");
    } else {
        page.bullets(verdict.findings.iter().map(|found| {
            format!(
                "{}, {}: {}",
                found.severity.as_str(),
                evidence.name_of(found.rule),
                sentence(&evidence::marked(&found.message))
            )
        }));
    }
    page.heading(2, "Allowed");
    if verdict.allowed.is_empty() {
        page.block("The model allows nothing that a rule finds.");
        return;
    }
    page.block(
        "What a rule finds and the model accepts, with the reason it gives. Is each still true?",
    );
    page.bullets(verdict.allowed.iter().map(|one| {
        format!(
            "{} at {}: {} **Reason:** {}",
            evidence.name_of(one.finding.rule),
            subject(evidence, one.subject),
            sentence(&evidence::marked(&one.finding.message)),
            sentence(&text(&one.reason))
        )
    }));
}

fn subject(evidence: &Evidence<'_>, subject: Subject) -> String {
    let model = evidence.model();
    match subject {
        Subject::Table(table) => format!("the table {}", code(model.tables[table].name.as_str())),
        Subject::Index(table, index) => {
            let table = &model.tables[table];
            format!(
                "{} of {}",
                code(table.indexes[index].name.as_str()),
                code(table.name.as_str())
            )
        }
        Subject::Entity(entity) => model.entities[entity].name.value.clone(),
        Subject::Access(access) => evidence
            .links()
            .pattern(model.accesses[access].name.as_str()),
        Subject::Relationship(one) => code(model.relationships[one].name.as_str()),
        Subject::Event(event) => code(model.events[event].name.as_str()),
    }
}
