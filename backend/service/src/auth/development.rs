//! The issuer of this machine: a key in a folder, tokens for whoever can read it. For loopback only.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::json;

use crate::settings::Secret;

/// The claim `iss` of its tokens. It is no address, so that it cannot be mistaken for one.
pub const NAME: &str = "urn:tablewright:development";

/// The claim `aud` of its tokens: all services of this machine.
pub const AUDIENCE: &str = "tablewright";

/// The file of its key, in the folder.
pub const KEY_FILE: &str = "issuer.key";

/// The issuer of this machine.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// use std::time::Duration;
/// use tablewright_service::{DevelopmentIssuer, Person};
///
/// let issuer = DevelopmentIssuer::open(folder.path())?;
/// let ada = Person { sub: "ada".into(), email: Some("ada@example.org".into()), ..Person::default() };
/// let token = issuer.token(&ada, Duration::from_secs(3600));
/// assert_eq!(token.split('.').count(), 3);
/// # Ok::<(), tablewright_service::IssuerError>(())
/// ```
pub struct DevelopmentIssuer {
    key: EncodingKey,
    id: String,
    public: String,
}

/// For whom a token is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// The subject.
    pub sub: String,
    /// The address.
    pub email: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// The groups.
    pub groups: Vec<String>,
}

/// Why there is no development issuer.
#[derive(Debug)]
#[non_exhaustive]
pub enum IssuerError {
    /// The file of the key cannot be read or written.
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// The file is there, and has no key of ours.
    NoKey {
        /// Which file.
        path: PathBuf,
    },
}

impl fmt::Display for IssuerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IssuerError::Io { path, why } => write!(
                f,
                "the key of this machine, {}, cannot be used: {why}",
                path.display()
            ),
            IssuerError::NoKey { path } => write!(
                f,
                "{} is no key of this machine; remove it, and a new one is made",
                path.display()
            ),
        }
    }
}

impl std::error::Error for IssuerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            IssuerError::Io { why, .. } => Some(why),
            IssuerError::NoKey { .. } => None,
        }
    }
}

impl DevelopmentIssuer {
    /// The issuer of a folder. Its key is made if there is none.
    ///
    /// # Errors
    /// [`IssuerError`] when the key cannot be read or made.
    pub fn open(folder: &Path) -> Result<Self, IssuerError> {
        let path = folder.join(KEY_FILE);
        let io = |why: io::Error| IssuerError::Io {
            path: path.clone(),
            why,
        };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                make_key(folder, &path).map_err(io)?;
                // Read again: another process may have made one at the same time.
                fs::read_to_string(&path).map_err(io)?
            }
            Err(why) => return Err(io(why)),
        };
        let der = URL_SAFE_NO_PAD.decode(text.trim()).ok();
        let read = der.as_deref().and_then(DevelopmentIssuer::of_key);
        read.ok_or(IssuerError::NoKey { path })
    }

    fn of_key(der: &[u8]) -> Option<Self> {
        let pair = Ed25519KeyPair::from_pkcs8(der).ok()?;
        let public = URL_SAFE_NO_PAD.encode(pair.public_key());
        let hash = digest(&SHA256, pair.public_key().as_ref());
        Some(DevelopmentIssuer {
            key: EncodingKey::from_ed_der(der),
            id: URL_SAFE_NO_PAD.encode(&hash.as_ref()[..12]),
            public,
        })
    }

    /// A token for a person, good from now on for so long.
    pub fn token(&self, person: &Person, valid: Duration) -> String {
        let now = jiff::Timestamp::now().as_second();
        let until = now.saturating_add_unsigned(valid.as_secs());
        let mut claims = json!({
            "iss": NAME,
            "aud": AUDIENCE,
            "sub": person.sub,
            "token_use": "id",
            "iat": now,
            "exp": until,
            "cognito:groups": person.groups,
        });
        if let Some(email) = &person.email {
            claims["email"] = json!(email);
            claims["email_verified"] = json!(true);
        }
        if let Some(name) = &person.name {
            claims["name"] = json!(name);
        }
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(self.id.clone());
        encode(&header, &claims, &self.key).expect("an Ed25519 key signs every text")
    }

    /// Its public key, as a JWKS.
    pub fn jwks(&self) -> String {
        let key = json!({
            "kty": "OKP",
            "crv": "Ed25519",
            "alg": "EdDSA",
            "use": "sig",
            "kid": self.id,
            "x": self.public,
        });
        json!({ "keys": [key] }).to_string()
    }
}

impl fmt::Debug for DevelopmentIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DevelopmentIssuer")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Makes a key that only its owner can read.
fn make_key(folder: &Path, path: &Path) -> io::Result<()> {
    let failed = |_| io::Error::other("no key could be made");
    let pair = Ed25519KeyPair::generate().map_err(failed)?;
    // Version 1 has the private key alone, which is what signing takes.
    let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = pair.as_der().map_err(failed)?;
    write_secret(folder, path, &URL_SAFE_NO_PAD.encode(der.as_ref()))
}

/// Writes a line that only its owner can read. It is complete when it can be seen, and never replaces another.
fn write_secret(folder: &Path, path: &Path, line: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let half = path.with_extension(uuid::Uuid::now_v7().simple().to_string());
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&half)?;
    writeln!(file, "{line}")?;
    file.sync_all()?;
    let linked = fs::hard_link(&half, path);
    fs::remove_file(&half)?;
    match linked {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists => Err(why),
        _ => Ok(()),
    }
}

/// A secret of this machine beside the key of the development issuer, made if there is none: what a service signs with where nobody has set
/// anything.
///
/// # Errors
/// When it cannot be read or made.
pub fn development_secret(folder: &Path, name: &str) -> Result<Secret, IssuerError> {
    let path = folder.join(name);
    let io = |why: io::Error| IssuerError::Io {
        path: path.clone(),
        why,
    };
    if !path.exists() {
        let mut random = [0; 32];
        aws_lc_rs::rand::fill(&mut random).map_err(|_| io(io::Error::other("no randomness")))?;
        write_secret(folder, &path, &URL_SAFE_NO_PAD.encode(random)).map_err(io)?;
    }
    let text = fs::read_to_string(&path).map_err(io)?;
    match text.trim() {
        "" => Err(IssuerError::NoKey { path }),
        text => Ok(Secret::new(text)),
    }
}
