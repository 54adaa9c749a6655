//! Colours only where they are welcome, help that reads well, and readers that stop reading.

use std::io::Read as _;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::sandbox::Sandbox;

const ESCAPE: u8 = 0x1b;

fn broken() -> Sandbox {
    Sandbox::with(&[("broken.toml", "[model]\nnmae = 1\n")])
}

#[test]
fn a_pipe_gets_no_colours_unless_they_are_asked_for() {
    let sandbox = broken();
    let colours = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut command = sandbox.command(arguments);
        command.envs(environment.iter().copied());
        let output = command.output().unwrap();
        [output.stdout, output.stderr].concat().contains(&ESCAPE)
    };
    let check = ["check", "broken.toml"];
    let always = ["check", "broken.toml", "--color", "always"];
    let never = ["check", "broken.toml", "--color=never"];
    assert!(!colours(&check, &[]));
    assert!(colours(&check, &[("CLICOLOR_FORCE", "1")]));
    assert!(!colours(
        &check,
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]
    ));
    assert!(colours(&always, &[]));
    assert!(!colours(&never, &[("CLICOLOR_FORCE", "1")]));
    assert!(!colours(&["check", "gone.toml"], &[]));
    assert!(colours(&["check", "gone.toml", "--color=always"], &[]));
    assert!(!colours(&["explain"], &[]));
}

#[test]
fn a_reader_that_stops_reading_is_no_panic() {
    let noise: String = (0..5_000).map(|n| format!("key{n} = {n}\n")).collect();
    let sandbox = Sandbox::with(&[("noise.toml", &noise)]);
    let mut child = sandbox
        .command(&["check", "noise.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn help_that_reads_well() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run(&["-h"]));
    assert_snapshot!(sandbox.run(&["check", "-h"]));
}

#[test]
fn a_command_that_is_none() {
    assert_snapshot!(Sandbox::new().run(&["chekc"]));
}
