//! `tablewright prove`: what it says, what it keeps, and how it ends.

use insta::assert_snapshot;

use crate::sandbox::{CLEAN, Sandbox};

/// A range that loses its last day.
const WRONG: &str = include_str!("../../../prove/fixtures/lost-end-day.toml");

const PROJECT: &str = "models = [\"models/notes.toml\"]\n\n[generate]\nproof = \"docs/{model}\"\n";

#[test]
fn help_that_says_what_to_expect() {
    assert_snapshot!(Sandbox::new().run(&["prove", "-h"]));
}

/// S0-51: the units of every pattern, reads and writes.
#[test]
fn a_proof_as_people_and_as_programs_read_it() {
    let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
    assert_snapshot!(sandbox.run(&["prove", "notes.toml", "--items", "40"]));
    assert_snapshot!(sandbox.run(&["prove", "notes.toml", "--items", "40", "--format", "json"]));
    let in_color = sandbox.run(&["prove", "notes.toml", "--items", "40", "--color", "always"]);
    assert!(in_color.contains("\u{1b}[32m✓\u{1b}[0m"), "{in_color}");
}

/// A proof in little memory: what it takes beside its data must not grow with the number of calls. What the limit is for, a hundred thousand
/// items in 500 MB, is held in `cargo xtask test`, with the proofs that are kept.
#[cfg(target_os = "linux")]
#[test]
fn a_proof_says_what_it_took() {
    let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
    let output = sandbox
        .command(&["prove", "notes.toml", "--items", "400", "--format", "json"])
        .output()
        .unwrap();
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(told["run"]["seconds"].as_f64().unwrap() > 0.0);
    let bytes = told["run"]["peak_memory_bytes"].as_u64().unwrap();
    assert!((1_000_000..200_000_000).contains(&bytes), "{bytes}");
    let output = sandbox
        .command(&["prove", "notes.toml", "--items", "40"])
        .output()
        .unwrap();
    let beside = String::from_utf8(output.stderr).unwrap();
    assert!(beside.starts_with("took "), "{beside}");
    assert!(beside.ends_with(" MB of memory\n"), "{beside}");
}

#[test]
fn what_failed_is_told_with_the_command_that_shows_it_again() {
    let sandbox = Sandbox::with(&[("wrong.toml", WRONG)]);
    let told = sandbox.run(&["prove", "wrong.toml", "--items", "60", "--seed", "3"]);
    assert_snapshot!(told);
    assert_eq!(
        told,
        sandbox.run(&["prove", "wrong.toml", "--items", "60", "--seed", "3"])
    );
}

/// What is to be copied into a shell stays one word there.
#[test]
fn the_command_quotes_a_path_that_a_shell_would_take_apart() {
    let name = "Ada's model (1).toml";
    let sandbox = Sandbox::with(&[(name, WRONG)]);
    let told = sandbox.run(&["prove", name, "--items", "60", "--seed", "3"]);
    let again = r"again: tablewright prove 'Ada'\''s model (1).toml' --items 60 --seed 3";
    assert!(told.lines().any(|line| line == again), "{told}");
}

#[test]
fn a_proof_is_kept_and_held() {
    let sandbox = Sandbox::with(&[("tablewright.toml", PROJECT), ("models/notes.toml", CLEAN)]);
    let missing = sandbox.run(&["prove", "--check"]);
    assert!(missing.starts_with("exit 2\n"), "{missing}");
    assert!(
        missing.contains("there is no docs/notes/proof.json"),
        "{missing}"
    );

    let kept = sandbox.run(&["prove", "--keep", "--items", "40", "--seed", "5"]);
    assert!(
        kept.contains("wrote docs/notes/proof.md\nwrote docs/notes/proof.json\n"),
        "{kept}"
    );
    assert_snapshot!(sandbox.read("docs/notes/proof.md"));
    let again = sandbox.run(&["prove", "--keep", "--items", "40", "--seed", "5"]);
    assert!(
        again.contains("docs/notes/proof.md is up to date\n"),
        "{again}"
    );
    assert_snapshot!(sandbox.run(&["prove", "--check"]));

    // The model asks for something else now; what is kept is no longer so.
    let other = CLEAN.replace("[access.notes]\nlist", "[access.all_notes]\nlist");
    sandbox.write("models/notes.toml", other.as_bytes());
    assert_snapshot!(sandbox.run(&["prove", "--check"]));
}

#[test]
fn what_cannot_be_run_is_told() {
    let sandbox = Sandbox::with(&[
        ("tablewright.toml", "models = [\"notes.toml\"]\n"),
        ("notes.toml", CLEAN),
        ("broken.toml", "[model]\n"),
    ]);
    assert_snapshot!(sandbox.run(&["prove", "--keep", "--items", "40"]));
    assert_snapshot!(sandbox.run(&["prove", "--items", "3"]));
    assert_snapshot!(sandbox.run(&["prove", "--endpoint", "localhost:8000"]));
    let unreachable = sandbox.run(&["prove", "broken.toml"]);
    assert!(unreachable.starts_with("exit 1\n"), "{unreachable}");
}

#[cfg(unix)]
mod at_an_endpoint {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::local::Server;

    /// The names of the tables at a local endpoint.
    fn tables(port: &str) -> Vec<String> {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        let body = "{}";
        write!(
            stream,
            "POST / HTTP/1.1\r\nhost: localhost\r\nx-amz-target: DynamoDB_20120810.ListTables\r\n\
             content-type: application/x-amz-json-1.0\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let listed: serde_json::Value = serde_json::from_str(body).unwrap();
        let names = listed["TableNames"].as_array().unwrap();
        names
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    }

    /// A proof that is far from its end, and has made its table.
    fn under_way(sandbox: &Sandbox, port: &str) -> Child {
        let endpoint = format!("http://127.0.0.1:{port}");
        let proof = sandbox
            .command(&[
                "prove",
                "notes.toml",
                "--items",
                "20000",
                "--endpoint",
                &endpoint,
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while tables(port).is_empty() {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "no table was made"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        proof
    }

    fn ended(proof: Child) -> (Option<i32>, String) {
        let output = proof.wait_with_output().unwrap();
        assert!(output.stdout.is_empty(), "no proof, also in part");
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    #[test]
    fn a_proof_there_is_the_same_as_here_and_leaves_nothing() {
        let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
        let server = Server::start(&sandbox, &["--temporary"]);
        let endpoint = format!("http://127.0.0.1:{}", server.port());
        let arguments = ["prove", "notes.toml", "--items", "40", "--format", "json"];
        let there = sandbox.run(&[&arguments[..], &["--endpoint", &endpoint]].concat());
        assert_eq!(there, sandbox.run(&arguments));
        assert_eq!(tables(server.port()), [""; 0]);
    }

    #[test]
    fn interrupted_it_leaves_no_table() {
        let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
        let server = Server::start(&sandbox, &["--temporary"]);
        for signal in ["-INT", "-TERM", "-HUP"] {
            let proof = under_way(&sandbox, server.port());
            let pid = proof.id().to_string();
            let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
            assert!(sent.success());
            let (code, told) = ended(proof);
            assert_eq!(code, Some(2), "{signal}: {told}");
            assert_eq!(
                told,
                "error: interrupted; the tables of the proof are removed\n"
            );
            assert_eq!(tables(server.port()), [""; 0], "{signal}");
        }
    }

    #[test]
    fn an_endpoint_that_goes_away_is_an_error_and_no_proof() {
        let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
        let server = Server::start(&sandbox, &["--temporary"]);
        let proof = under_way(&sandbox, server.port());
        drop(server);
        let (code, told) = ended(proof);
        assert_eq!(code, Some(2), "{told}");
        assert!(
            told.starts_with("error: notes could not be proved at http://127.0.0.1:"),
            "{told}"
        );
        assert!(told.contains("cannot be reached"), "{told}");
        assert!(told.contains("may be left behind"), "{told}");
    }

    /// Something that listens where a DynamoDB should, and answers every request as it is told; its port.
    fn stand_in(answer: impl Fn(&[u8]) -> Vec<u8> + Send + 'static) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let asked = request(&stream);
                let _ = stream.write_all(&answer(&asked));
            }
        });
        port
    }

    /// One whole request, which is to be the last of its connection.
    fn request(stream: &TcpStream) -> Vec<u8> {
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let name = line.to_ascii_lowercase();
            if let Some(value) = name.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                head.push_str("connection: close\r\n\r\n");
                break;
            }
            if !name.starts_with("connection:") {
                head.push_str(&line);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        [head.as_bytes(), &body].concat()
    }

    fn answer(status: &str, kind: &str, body: &str) -> Vec<u8> {
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )
        .into_bytes()
    }

    /// A wrong port, a proxy that wants a password, an answer that was cut: what came is shown.
    #[test]
    fn what_is_no_dynamodb_is_told_by_what_it_answers() {
        const JSON: &str = "application/x-amz-json-1.0";
        let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
        for (status, kind, body, told) in [
            (
                "200 OK",
                "text/html",
                "<!doctype html>\n<title>Please sign in</title>",
                "status 200, text/html, which says <!doctype html> <title>Please sign in</title>",
            ),
            (
                "200 OK",
                JSON,
                r#"{"TableNames": ["a"#,
                "status 200, application/x-amz-json-1.0, which says {\"TableNames\": [\"a",
            ),
            (
                "404 Not Found",
                "text/plain",
                "no such page",
                "status 404, text/plain, which says no such page",
            ),
            (
                "502 Bad Gateway",
                "text/plain",
                "",
                "status 502, text/plain, with nothing in it",
            ),
        ] {
            let port = stand_in(move |_| answer(status, kind, body));
            let endpoint = format!("http://127.0.0.1:{port}");
            let said = sandbox.run(&["prove", "notes.toml", "--endpoint", &endpoint]);
            assert!(said.starts_with("exit 2\n"), "{said}");
            assert!(said.contains(told), "{said}");
            assert!(!said.contains("left behind"), "{said}");
        }
    }

    /// Who takes connections and never answers is named, after a few seconds and not after minutes.
    #[test]
    fn an_endpoint_that_never_answers_is_named() {
        let sandbox = Sandbox::with(&[("notes.toml", CLEAN)]);
        // Connections are made, and nobody takes them.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", silent.local_addr().unwrap());
        let said = sandbox.run(&["prove", "notes.toml", "--endpoint", &endpoint]);
        let told = format!(
            "exit 2\n── stderr\nerror: notes could not be proved at {endpoint}: while asking the endpoint for its tables: "
        );
        assert!(said.starts_with(&told), "{said}");
        assert!(!said.contains("left behind"), "{said}");
    }

    /// A proof stands, and is kept, where nobody may remove its tables; that they are there is told, and is no success.
    #[test]
    fn a_proof_is_kept_also_where_its_tables_stay() {
        let sandbox = Sandbox::with(&[("tablewright.toml", PROJECT), ("models/notes.toml", CLEAN)]);
        let server = Server::start(&sandbox, &["--temporary"]);
        let behind = server.port().to_owned();
        let port = stand_in(move |asked| {
            let denied = r#"{"__type":"com.amazon.coral.service#AccessDeniedException","message":"not you"}"#;
            if String::from_utf8_lossy(asked).contains("DynamoDB_20120810.DeleteTable") {
                return answer("400 Bad Request", "application/x-amz-json-1.0", denied);
            }
            let mut server = TcpStream::connect(format!("127.0.0.1:{behind}")).unwrap();
            server.write_all(asked).unwrap();
            let mut said = Vec::new();
            server.read_to_end(&mut said).unwrap();
            said
        });
        let endpoint = format!("http://127.0.0.1:{port}");
        let arguments = ["prove", "--keep", "--items", "40", "--endpoint", &endpoint];
        let said = sandbox.run(&arguments);
        assert!(said.starts_with("exit 2\n"), "{said}");
        assert!(said.contains("2 patterns of notes proved"), "{said}");
        assert!(said.contains("wrote docs/notes/proof.json"), "{said}");
        assert!(
            said.contains("warning: the tables tablewright-prove-"),
            "{said}"
        );
        assert!(said.contains("not you"), "{said}");
        assert!(sandbox.read("docs/notes/proof.md").contains("are proved"));
        assert_eq!(tables(server.port()).len(), 1);
    }
}

/// What somebody wrote themselves stays: nothing is proved that could not be kept.
#[test]
fn a_file_that_somebody_wrote_is_not_written_over() {
    let sandbox = Sandbox::with(&[
        ("tablewright.toml", PROJECT),
        ("models/notes.toml", CLEAN),
        ("docs/notes/proof.md", "# My own proof\n"),
    ]);
    let told = sandbox.run(&["prove", "--keep", "--items", "40"]);
    assert!(told.contains("proof.md was not generated"), "{told}");
    assert!(!told.contains("wrote "), "{told}");
}
