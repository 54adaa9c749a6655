//! The answer to a line of the checklist.

/// What becomes of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is ticked.
    Holds,
    /// It is ticked as well: the model's profile decides otherwise, and says so.
    Decided,
    /// It is not: something speaks against it, or nothing for it.
    Fails,
    /// People decide, and sign.
    Open,
}

/// What settles a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A rule of the catalogue, which looked.
    Rule(&'static str),
    /// The plan of a pattern.
    Pattern(String),
    /// A document or a file, by its key in `[generate]`.
    Document(&'static str),
    /// What the model itself declares.
    Declared,
    /// What was measured.
    Proof,
    /// People.
    People,
}

/// An answer, with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What becomes of the box.
    pub state: State,
    /// Sentences, in Markdown.
    pub words: Vec<String>,
    /// What settles it; never empty.
    pub evidence: Vec<Named>,
}

impl Answer {
    /// It holds.
    pub(super) fn holds(
        words: impl Into<String>,
        evidence: impl IntoIterator<Item = Named>,
    ) -> Self {
        Answer::new(State::Holds, words, evidence)
    }

    /// The profile decides otherwise.
    pub(super) fn decided(words: impl Into<String>) -> Self {
        Answer::new(State::Decided, words, [Named::Declared])
    }

    /// It does not, or nothing shows that it does.
    pub(super) fn fails(
        words: impl Into<String>,
        evidence: impl IntoIterator<Item = Named>,
    ) -> Self {
        Answer::new(State::Fails, words, evidence)
    }

    /// People decide.
    pub(super) fn people(words: impl Into<String>) -> Self {
        Answer::new(State::Open, words, [Named::People])
    }

    /// It holds if this does.
    pub(super) fn if_so(
        holds: bool,
        words: impl Into<String>,
        evidence: impl IntoIterator<Item = Named>,
    ) -> Self {
        let state = if holds { State::Holds } else { State::Fails };
        Answer::new(state, words, evidence)
    }

    fn new(
        state: State,
        words: impl Into<String>,
        evidence: impl IntoIterator<Item = Named>,
    ) -> Self {
        let words = words.into();
        Answer {
            state,
            words: if words.is_empty() {
                Vec::new()
            } else {
                vec![words]
            },
            evidence: evidence.into_iter().collect(),
        }
    }

    /// Both: it holds if both do, and people decide if one is theirs and the other holds.
    pub(super) fn and(mut self, other: Answer) -> Self {
        let failed = (self.state == State::Fails, other.state == State::Fails);
        self.state = match (self.state, other.state) {
            (State::Fails, _) | (_, State::Fails) => State::Fails,
            (State::Open, _) | (_, State::Open) => State::Open,
            (State::Decided, _) | (_, State::Decided) => State::Decided,
            (State::Holds, State::Holds) => State::Holds,
        };
        // What speaks against it is all there is to say.
        match failed {
            (false, true) => self.words = other.words,
            (true, false) => {}
            _ => self.words.extend(other.words),
        }
        for named in other.evidence {
            if !self.evidence.contains(&named) {
                self.evidence.push(named);
            }
        }
        self
    }
}
