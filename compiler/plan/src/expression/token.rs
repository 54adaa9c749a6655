//! From text to tokens. What can stand in no expression at all (a quoted text, `==`, a name that
//! needs an alias) becomes the last token, so that an earlier mistake is still told first.

use super::Span;
use super::error::ExpressionErrorKind;

/// A piece of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, a keyword or a function: which, only the grammar can tell.
    Word,
    /// `#name`
    Alias,
    /// `:name`
    Value,
    /// Digits, perhaps with a fraction. Right only as a list index.
    Number,
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    Comma,
    Dot,
    Plus,
    Minus,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Wrong wherever it stands; nothing is read past it.
    Wrong(ExpressionErrorKind),
    /// The end of the text.
    End,
}

/// The tokens of the text, and the token after them: the end, or the first piece that is wrong.
pub(super) fn tokenize(text: &str) -> (Vec<Token>, Token) {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let start = text.len() - rest.len();
        let (kind, length) = read_token(rest, first);
        let span = start..start + length;
        if let TokenKind::Wrong(_) = kind {
            return (tokens, Token { kind, span });
        }
        tokens.push(Token { kind, span });
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    let end = text.trim_end().len();
    let kind = TokenKind::End;
    (
        tokens,
        Token {
            kind,
            span: end..end,
        },
    )
}

/// The token at the beginning of `rest` and its length in bytes.
fn read_token(rest: &str, first: char) -> (TokenKind, usize) {
    match first {
        '#' => read_placeholder(rest, TokenKind::Alias),
        ':' => read_placeholder(rest, TokenKind::Value),
        '\'' | '"' => read_quoted(rest, first),
        '?' => wrong_value("?"),
        '0'..='9' => read_number(rest),
        first if is_name_character(first) => read_word(rest),
        _ => read_symbol(rest, first),
    }
}

fn read_placeholder(rest: &str, kind: TokenKind) -> (TokenKind, usize) {
    let name = rest.get(1..).unwrap_or_default();
    let plain = length_while(name, |c| c.is_ascii_alphanumeric() || c == '_');
    let meant = length_while(name, is_name_character);
    if meant > plain {
        let text = rest.get(..1 + meant).unwrap_or_default().to_owned();
        return wrong(ExpressionErrorKind::PlaceholderName { text }, 1 + meant);
    }
    if plain == 0 {
        let sigil = rest.get(..1).unwrap_or_default().to_owned();
        return wrong(ExpressionErrorKind::EmptyPlaceholder { sigil }, 1);
    }
    (kind, 1 + plain)
}

fn read_quoted(rest: &str, quote: char) -> (TokenKind, usize) {
    let body = rest.get(1..).unwrap_or_default();
    let length = match body.find(quote) {
        Some(end) => 1 + end + 1,
        None => rest.trim_end().len(),
    };
    wrong_value(rest.get(..length).unwrap_or_default())
}

fn read_number(rest: &str) -> (TokenKind, usize) {
    let digits = length_while(rest, |c| c.is_ascii_digit());
    let word = length_while(rest, is_name_character);
    if word > digits {
        let name = rest.get(..word).unwrap_or_default().to_owned();
        return wrong(ExpressionErrorKind::NameNeedsAlias { name }, word);
    }
    let fraction = rest
        .get(digits..)
        .and_then(|behind| behind.strip_prefix('.'))
        .map(|behind| length_while(behind, |c| c.is_ascii_digit()))
        .filter(|length| *length > 0)
        .map_or(0, |length| 1 + length);
    (TokenKind::Number, digits + fraction)
}

fn read_word(rest: &str) -> (TokenKind, usize) {
    let length = length_while(rest, is_name_character);
    let word = rest.get(..length).unwrap_or_default();
    let plain = word.is_ascii() && word.starts_with(|c: char| c.is_ascii_alphabetic());
    if plain {
        return (TokenKind::Word, length);
    }
    let name = word.to_owned();
    wrong(ExpressionErrorKind::NameNeedsAlias { name }, length)
}

fn read_symbol(rest: &str, first: char) -> (TokenKind, usize) {
    if let Some((found, write)) = foreign_operator(rest) {
        let length = found.len();
        let found = found.to_owned();
        return wrong(ExpressionErrorKind::WriteInstead { found, write }, length);
    }
    let symbols = [
        ("<>", TokenKind::NotEqual),
        ("<=", TokenKind::LessOrEqual),
        (">=", TokenKind::GreaterOrEqual),
        ("<", TokenKind::Less),
        (">", TokenKind::Greater),
        ("=", TokenKind::Equal),
        ("(", TokenKind::LeftParenthesis),
        (")", TokenKind::RightParenthesis),
        ("[", TokenKind::LeftBracket),
        ("]", TokenKind::RightBracket),
        (",", TokenKind::Comma),
        (".", TokenKind::Dot),
        ("+", TokenKind::Plus),
        ("-", TokenKind::Minus),
    ];
    for (symbol, kind) in symbols {
        if rest.starts_with(symbol) {
            return (kind, symbol.len());
        }
    }
    let kind = ExpressionErrorKind::UnexpectedCharacter { character: first };
    wrong(kind, first.len_utf8())
}

/// Operators of other languages, longest first, and what says the same here.
fn foreign_operator(rest: &str) -> Option<(&'static str, &'static str)> {
    const FOREIGN: [(&str, &str); 11] = [
        ("===", "`=`"),
        ("!==", "`<>`"),
        ("==", "`=`"),
        ("!=", "`<>`"),
        ("=<", "`<=`"),
        ("=>", "`>=`"),
        ("&&", "`AND`"),
        ("||", "`OR`"),
        ("&", "`AND`"),
        ("|", "`OR`"),
        ("!", "`NOT`"),
    ];
    FOREIGN
        .into_iter()
        .find(|(symbol, _)| rest.starts_with(symbol))
}

fn wrong(kind: ExpressionErrorKind, length: usize) -> (TokenKind, usize) {
    (TokenKind::Wrong(kind), length)
}

fn wrong_value(text: &str) -> (TokenKind, usize) {
    let length = text.len();
    let text = text.to_owned();
    wrong(ExpressionErrorKind::LiteralValue { text }, length)
}

fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The length in bytes of the longest beginning whose characters all pass.
fn length_while(text: &str, passes: impl Fn(char) -> bool) -> usize {
    text.find(|character| !passes(character))
        .unwrap_or(text.len())
}
