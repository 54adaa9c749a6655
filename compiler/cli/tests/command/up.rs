//! `tablewright up`: where it listens, how it is stopped, and what it says when it cannot start.

mod project;
mod service;

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::thread::sleep;
use std::time::Duration;

use self::project::{Project, free_port};
use crate::sandbox::Sandbox;

/// Not a test: the process that tests start as a service.
#[test]
#[ignore = "other tests start it"]
fn service() {
    service::be_one();
}

/// Ctrl-C in a terminal reaches every process of the group in front, and those `up` started may be gone before it hears of it.
#[test]
fn ctrl_c_at_any_moment_stops_it_in_order() {
    for (how, build, moments) in [
        ("ready", Some("sleep 30"), 24),
        ("never-ready", None, 24),
        ("ready", None, 12),
    ] {
        let project = Project::of(how, build);
        for moment in 0..moments {
            let up = project.up(&[]);
            sleep(Duration::from_millis(moment * 7));
            let told = up.stopped_by("-INT");
            let when = format!("{how}, {build:?}, {} ms", moment * 7);
            assert_eq!(told.code, Some(0), "{when}: {told:?}");
            assert_eq!(told.stderr, "", "{when}");
            assert!(told.stdout.ends_with(ENDS), "{when}: {told:?}");
            project.is_gone();
        }
    }
}

const ENDS: &str = "ends; what was accepted is still done\n";

#[test]
fn a_terminal_that_is_closed_and_a_system_that_ends_stop_it_in_order() {
    for signal in ["-HUP", "-TERM"] {
        let project = Project::of("ready", None);
        let up = project.up(&[]);
        up.is_ready();
        let told = up.stopped_by(signal);
        assert_eq!(told.code, Some(0), "{told:?}");
        assert!(told.stdout.ends_with(ENDS), "{told:?}");
        project.is_gone();
    }
}

#[test]
fn killed_it_leaves_nobody_behind() {
    let project = Project::of("ready", None);
    let up = project.up(&[]);
    up.is_ready();
    up.killed();
    project.is_gone();
}

/// It knows nothing of `end_with_input`, and Ctrl-C does not reach it.
#[test]
fn a_service_that_does_not_read_its_input_is_asked_by_a_signal() {
    let project = Project::of("deaf", None);
    let up = project.up(&[]);
    up.is_ready();
    assert_eq!(up.stopped_by("-INT").code, Some(0));
    project.is_gone();
}

/// It ends with its input, and what it started knows nothing of that.
#[test]
fn what_a_service_has_started_and_leaves_behind_is_asked_by_a_signal() {
    let project = Project::of("parting", None);
    let up = project.up(&[]);
    up.is_ready();
    assert_eq!(up.stopped_by("-INT").code, Some(0));
    project.is_gone();
}

/// Stopped twice, it waits for nobody, and nobody is left.
#[test]
fn a_second_ctrl_c_does_not_wait() {
    let project = Project::of("stubborn", None);
    let up = project.up(&[]);
    up.is_ready();
    up.send("-INT");
    up.says(ENDS);
    assert_eq!(up.stopped_by("-INT").code, Some(0));
    project.is_gone();
}

#[test]
fn the_flag_goes_before_the_variable_and_that_before_the_file() {
    let [by_flag, by_variable] = [(); 2].map(|()| free_port());
    let [flag, variable] = [by_flag, by_variable].map(|port| port.to_string());
    let project = Project::of("ready", None);
    for (arguments, variables, port) in [
        (&[][..], &[][..], project.front),
        (&[], &[("PORT", "")], project.front),
        (&[], &[("PORT", variable.as_str())], by_variable),
        (&["--port", &flag], &[("PORT", &variable)], by_flag),
        (&["--port", &flag], &[("PORT", "none")], by_flag),
    ] {
        let up = project.up_with(arguments, variables);
        // The service has its own port all the same.
        up.is_ready();
        up.says(&format!("Everything is at http://127.0.0.1:{port}\n"));
        assert_eq!(up.stopped_by("-INT").code, Some(0));
        project.is_gone();
    }
}

#[test]
fn a_data_folder_that_is_a_file_is_told_as_such() {
    let project = Project::of("ready", None);
    let told = project.refused(&["--data", "tablewright.toml"], &[]);
    assert!(told.contains("error: the data folder "), "{told}");
    assert!(told.contains("tablewright.toml is a file"), "{told}");
    assert!(told.contains("hint: name a folder"), "{told}");
}

#[test]
fn a_port_that_is_taken_is_told_with_how_to_choose_another() {
    let project = Project::of("ready", None);
    for (port, whose, how) in [
        (project.front, "the front page", "`--port`"),
        (project.engine, "the engine", "`engine` of [up]"),
        (project.service, "todo", "`port` of [up.services.todo]"),
    ] {
        let taken = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let told = project.refused(&[], &[]);
        let error =
            format!("error: port {port} is taken by another program; it is that of {whose}");
        assert!(told.contains(&error), "{told}");
        let (_, hint) = told.split_once("hint: ").unwrap();
        assert!(hint.contains(how), "{told}");
        drop(taken);
    }
}

#[test]
fn what_is_no_port_for_the_front_page_is_told() {
    let project = Project::of("ready", None);
    let told = project.refused(&[], &[("PORT", "http")]);
    assert!(told.contains("the variable PORT is `http`"), "{told}");
    assert!(told.contains("hint: "), "{told}");
    let service = project.service.to_string();
    let told = project.refused(&["--port", &service], &[]);
    assert!(
        told.contains("todo has the port of the front page"),
        "{told}"
    );
    assert!(told.contains("`--port`"), "{told}");
}

#[test]
fn without_a_project_file_it_is_told_what_to_write() {
    let told = Sandbox::new().run(&["up"]);
    assert!(told.starts_with("exit 2\n"), "{told}");
    assert!(told.contains("there is no tablewright.toml"), "{told}");
    assert!(told.contains("[up.services.NAME]"), "{told}");
    assert!(!told.contains("tablewright check"), "{told}");
}

#[test]
fn the_guide_has_the_options_there_are() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/up.md");
    let guide = fs::read_to_string(guide).unwrap();
    let told = guide
        .lines()
        .filter_map(|line| option(line.strip_prefix("| `")?));
    let help = Sandbox::new().run(&["up", "-h"]);
    let known = help
        .lines()
        .filter_map(|line| option(line.trim_start()))
        // Every command has that.
        .filter(|option| *option != "color");
    let [told, known] = [told.collect::<BTreeSet<_>>(), known.collect()];
    assert_eq!(told, known);
    assert!(told.contains("port"), "{told:?}");
}

/// The option a line begins with.
fn option(line: &str) -> Option<&str> {
    let word = line.strip_prefix("--")?;
    word.split([' ', '`']).next()
}

#[test]
fn the_project_file_of_the_guide_can_be_started() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/up.md");
    let guide = fs::read_to_string(guide).unwrap();
    let (_, rest) = guide.split_once("```toml\n[up]\n").unwrap();
    let (block, _) = rest.split_once("```").unwrap();
    let mut text = format!("models = []\n[up]\n{block}");
    for usual in ["8080", "8000", "8081"] {
        text = text.replace(&format!("= {usual}"), &format!("= {}", free_port()));
    }
    // A plan without faults comes as far as this.
    let text = text.replace("cargo build --release", "there-is-no-such-program");
    let sandbox = Sandbox::with(&[("tablewright.toml", &text)]);
    let told = sandbox.run(&["up", "--port", &free_port().to_string()]);
    assert!(told.contains("`there-is-no-such-program` failed"), "{told}");
}
