//! Texts that the service gives out and takes back, and nobody else can make: who a person is, and when they opened a question.

use std::fmt;

use aws_lc_rs::{hmac, rand};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tablewright_service::Secret;

/// How much of a signature is sent along: enough that nobody guesses it.
const SIGNATURE: usize = 16;

/// Signs texts, each for one purpose.
pub struct Signer(hmac::Key);

impl Signer {
    /// With this secret.
    pub fn new(secret: &Secret) -> Self {
        Signer(hmac::Key::new(
            hmac::HMAC_SHA256,
            secret.reveal().as_bytes(),
        ))
    }

    /// The text with its signature. For another purpose it has another.
    pub(crate) fn sign(&self, purpose: &str, bytes: &[u8]) -> String {
        let mut signed = bytes.to_vec();
        signed.extend_from_slice(&self.tag(purpose, bytes).as_ref()[..SIGNATURE]);
        URL_SAFE_NO_PAD.encode(signed)
    }

    /// What was signed for this purpose; nothing if it was not, or not by this secret.
    pub(crate) fn opened(&self, purpose: &str, text: &str) -> Option<Vec<u8>> {
        let mut signed = URL_SAFE_NO_PAD.decode(text).ok()?;
        let signature = signed.split_off(signed.len().checked_sub(SIGNATURE)?);
        let tag = self.tag(purpose, &signed);
        let expected = &tag.as_ref()[..SIGNATURE];
        aws_lc_rs::constant_time::verify_slices_are_equal(expected, &signature).ok()?;
        Some(signed)
    }

    fn tag(&self, purpose: &str, bytes: &[u8]) -> hmac::Tag {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(&(purpose.len() as u64).to_be_bytes());
        context.update(purpose.as_bytes());
        context.update(bytes);
        context.sign()
    }
}

/// So many bytes that nobody can guess.
pub(crate) fn random<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    rand::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_signed_for_this_purpose_by_this_secret_is_opened() {
        let signer = Signer::new(&Secret::new("one"));
        let text = signer.sign("person", b"ada");
        assert_eq!(signer.opened("person", &text).as_deref(), Some(&b"ada"[..]));
        assert_eq!(signer.opened("opened", &text), None);
        let other = Signer::new(&Secret::new("two"));
        assert_eq!(other.opened("person", &text), None);
        for position in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[position] = if changed[position] == b'A' {
                b'B'
            } else {
                b'A'
            };
            let changed = String::from_utf8(changed).unwrap();
            let opened = signer.opened("person", &changed);
            assert!(opened.is_none_or(|bytes| bytes == b"ada"), "{position}");
        }
        for text in ["", "A", "AAAA", "not base64!", &"A".repeat(10_000)] {
            assert_eq!(signer.opened("person", text), None);
        }
        assert_eq!(
            signer
                .opened("empty", &signer.sign("empty", b""))
                .as_deref(),
            Some(&b""[..])
        );
    }
}
