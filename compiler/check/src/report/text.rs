//! For people: the message, the text it is about, what to write, and the fix as a patch.

use std::ops::Range;

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet,
    normalize_untrusted_str,
};
use tablewright_model::{Diagnostic, Fix, Severity, Span};

use super::{Findings, SourceFile};

/// How the text is to look.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Colours, by ANSI escape codes.
    pub color: bool,
    /// Columns of the terminal; longer lines of the model are trimmed around what matters.
    pub width: usize,
}

impl Default for Style {
    /// As for a pipe: no colours, and wide enough for nearly every line.
    fn default() -> Self {
        Style {
            color: false,
            width: 140,
        }
    }
}

/// A line longer than this is not shown, only named: no person reads it.
const LONGEST_LINE: usize = 4096;

/// Findings of one file that are shown to people; nobody reads more before mending some.
const SHOWN: usize = 200;

/// The findings of a file, each followed by an empty line; of very many the first, and how many more there are.
pub fn render(findings: &Findings, style: Style) -> String {
    let all = findings.diagnostics();
    let mut text: String = all
        .iter()
        .take(SHOWN)
        .map(|diagnostic| render_one(findings.file(), diagnostic, style) + "\n\n")
        .collect();
    if let Some(more) = all.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.push_str(&format!(
            "… and {more} more in {}\n\n",
            findings.file().path()
        ));
    }
    text
}

/// One finding, without a newline at the end.
pub fn render_one(file: &SourceFile, diagnostic: &Diagnostic, style: Style) -> String {
    let renderer = if style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut report = vec![finding(file, diagnostic)];
    report.extend(diagnostic.fix.as_ref().and_then(|fix| patch(file, fix)));
    let rendered = renderer.term_width(style.width).render(&report);
    // The renderer pads some lines; a terminal does not show it, a snapshot would.
    let lines: Vec<&str> = rendered.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// Text of the user's as it may reach a terminal: an escape code in it stays one that is read, not obeyed.
fn shown(text: &str) -> String {
    normalize_untrusted_str(text)
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    }
}

/// The finding with the places it speaks of.
fn finding<'a>(file: &'a SourceFile, diagnostic: &'a Diagnostic) -> Group<'a> {
    let title = level(diagnostic.severity)
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.rule);
    let spans = std::iter::once(diagnostic.span).chain(diagnostic.related.iter().map(|r| r.span));
    let mut group = match excerpt(file, spans) {
        Some(excerpt) => {
            let primary =
                excerpt.annotation(AnnotationKind::Primary, diagnostic.span, &diagnostic.label);
            let related = diagnostic
                .related
                .iter()
                .map(|r| excerpt.annotation(AnnotationKind::Context, r.span, &r.label));
            title.element(
                Snippet::source(excerpt.text)
                    .path(shown(file.path()))
                    .line_start(excerpt.line)
                    .annotation(primary)
                    .annotations(related),
            )
        }
        None => {
            let at = file.position(diagnostic.span.start);
            title.element(
                Origin::path(shown(file.path()))
                    .line(at.line)
                    .char_column(at.column),
            )
        }
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(shown(help)));
    }
    group
}

/// What the lines would look like.
fn patch<'a>(file: &'a SourceFile, fix: &'a Fix) -> Option<Group<'a>> {
    let excerpt = excerpt(file, fix.edits.iter().map(|edit| edit.span))?;
    let patches = fix
        .edits
        .iter()
        .map(|edit| Patch::new(excerpt.range(edit.span), edit.text.as_str()));
    Some(
        Level::HELP.secondary_title(shown(&fix.title)).element(
            Snippet::source(excerpt.text)
                .path(shown(file.path()))
                .line_start(excerpt.line)
                .patches(patches),
        ),
    )
}

/// The lines of a file that a finding needs: the renderer would read all of it otherwise, once for every finding.
struct Excerpt<'a> {
    file: &'a SourceFile,
    text: &'a str,
    /// The byte of the file at which it begins.
    start: usize,
    /// The number of its first line.
    line: usize,
}

/// The lines around the spans, unless there is one among them that cannot be shown.
fn excerpt(file: &SourceFile, spans: impl Iterator<Item = Span>) -> Option<Excerpt<'_>> {
    let whole = spans.reduce(|a, b| Span::new(a.start.min(b.start), a.end.max(b.end)))?;
    let (range, line) = file.lines_around(whole);
    let text = file.text().get(range.clone())?;
    let readable = text.lines().all(|line| line.len() <= LONGEST_LINE);
    readable.then_some(Excerpt {
        file,
        text,
        start: range.start,
        line,
    })
}

impl<'a> Excerpt<'a> {
    fn range(&self, span: Span) -> Range<usize> {
        let span = self.file.clamp(span);
        let last = self.text.len();
        let inside = |byte: usize| byte.saturating_sub(self.start).min(last);
        inside(span.start)..inside(span.end)
    }

    fn annotation(&self, kind: AnnotationKind, span: Span, label: &str) -> Annotation<'a> {
        let annotation = kind.span(self.range(span));
        if label.is_empty() {
            annotation
        } else {
            annotation.label(shown(label))
        }
    }
}
