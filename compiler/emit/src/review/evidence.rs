//! What answers are made from: the model, its plans, what the rules say, and what else is generated.

use tablewright_check::{Verdict, rule};
use tablewright_model::Model;

use super::{Answer, Named};
use crate::artefacts::{ARTEFACTS, Job};
use crate::design::Design;
use crate::markdown::{Links, and, code, number, sentence, text};
use crate::proof::KeptProof;

/// Everything a line can be answered from.
pub struct Evidence<'j> {
    job: Job<'j>,
    links: Links<'j>,
    verdict: Verdict,
    design: Design<'j>,
    /// The lines people signed for this design.
    signed: Vec<String>,
}

impl<'j> Evidence<'j> {
    /// Of a model, with the lines that are signed.
    pub fn new(job: &Job<'j>, signed: Vec<String>) -> Self {
        Evidence {
            job: *job,
            links: Links::from_file(job),
            verdict: tablewright_check::examine(job.model),
            design: Design::new(job.model),
            signed,
        }
    }

    pub(super) fn model(&self) -> &'j Model {
        self.job.model
    }

    pub(super) fn design(&self) -> &Design<'j> {
        &self.design
    }

    pub(super) fn links(&self) -> &Links<'j> {
        &self.links
    }

    pub(super) fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    pub(super) fn proof(&self) -> Option<&KeptProof> {
        self.job.proof
    }

    pub(super) fn is_signed(&self, line: &str) -> bool {
        self.signed.iter().any(|signed| signed == line)
    }

    /// A rule by its name, with its page. What is found before any rule runs has no page.
    pub(super) fn name_of(&self, name: &str) -> String {
        match rule(name) {
            Some(_) => self.links.rule(name),
            None => code(name),
        }
    }

    /// Holds when none of these rules finds anything, and says what they find or what is allowed.
    pub(super) fn rules(&self, names: &[&'static str]) -> Answer {
        const SHOWN: usize = 5;
        let named: Vec<Named> = names.iter().map(|name| Named::Rule(name)).collect();
        let found: Vec<_> = self
            .verdict
            .findings
            .iter()
            .filter(|found| names.contains(&found.rule))
            .collect();
        let linked: Vec<String> = names.iter().map(|name| self.links.rule(name)).collect();
        if !found.is_empty() {
            let mut words: Vec<String> = found
                .iter()
                .take(SHOWN)
                .map(|found| {
                    let message = sentence(&marked(&found.message));
                    format!("{}: {message}", self.links.rule(found.rule))
                })
                .collect();
            if found.len() > SHOWN {
                let more = number((found.len() - SHOWN) as u64);
                words.push(format!("And {more} more, [below](#findings)."));
            }
            return Answer::fails(words.join(" "), named);
        }
        let mut words = match linked.as_slice() {
            [] => String::new(),
            [one] => format!("{one} finds nothing."),
            several => format!("{} find nothing.", and(several)),
        };
        let allowed = self.verdict.allowed.iter();
        let allowed: Vec<_> = allowed
            .filter(|one| names.contains(&one.finding.rule))
            .collect();
        if !allowed.is_empty() {
            let reasons: Vec<String> = allowed
                .iter()
                .map(|one| {
                    let reason = sentence(&text(&one.reason));
                    format!(
                        "{} is allowed once: {reason}",
                        self.links.rule(one.finding.rule)
                    )
                })
                .collect();
            // What is allowed was found: the others found nothing.
            let silent: Vec<String> = names
                .iter()
                .filter(|name| !allowed.iter().any(|one| one.finding.rule == **name))
                .map(|name| self.links.rule(name))
                .collect();
            words = match silent.as_slice() {
                [] => String::new(),
                [one] => format!("{one} finds nothing. "),
                several => format!("{} find nothing. ", and(several)),
            } + &reasons.join(" ");
        }
        Answer::holds(words, named)
    }

    /// Holds when a document is generated.
    pub(super) fn document(&self, key: &'static str, file: &str, says: &str) -> Answer {
        let evidence = [Named::Document(key)];
        match self.links.to(key, file) {
            Some(target) => {
                let shown = target.rsplit('/').next().unwrap_or(&target);
                let words = format!("[{}]({target}) {says}", code(shown));
                Answer::holds(sentence(&words), evidence)
            }
            None => {
                let artefact = ARTEFACTS.iter().find(|artefact| artefact.name == key);
                let how = artefact.map_or_else(String::new, |artefact| {
                    let line = format!("{} = \"{}\"", artefact.name, artefact.example);
                    format!(" {} in {} does that.", code(&line), code("[generate]"))
                });
                Answer::fails(format!("It is not generated.{how}"), evidence)
            }
        }
    }
}

/// The message of a finding: what stands in backticks is code, the rest is not markup.
pub(super) fn marked(message: &str) -> String {
    let pieces = message.split('`').enumerate();
    let pieces = pieces.map(|(at, piece)| match at % 2 {
        _ if piece.is_empty() => String::new(),
        0 => {
            // Spaces beside code belong to the sentence.
            let (front, back) = (piece.starts_with(' '), piece.ends_with(' '));
            let words = text(piece);
            format!(
                "{}{words}{}",
                if front { " " } else { "" },
                if back && piece.len() > 1 { " " } else { "" }
            )
        }
        _ => code(piece),
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn a_message_keeps_its_code_and_its_spaces() {
        assert_eq!(
            marked("`a` reads `b|c` <i>"),
            "`a` reads <code>b&#124;c</code> &lt;i>"
        );
        assert_eq!(marked("an `open"), "an `open`");
        assert_eq!(marked("`a` `b`"), "`a` `b`");
    }
}
