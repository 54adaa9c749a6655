//! Tests written in Python, in an environment of their own with pinned packages.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use anyhow::{Context, bail};

const REQUIREMENTS: &str = "xtask/requirements.txt";

/// boto3 and the AWS command line against `tablewright local`. The program has been built.
pub(crate) fn clients() -> anyhow::Result<()> {
    let python = environment()?;
    let server = Server::start()?;
    let status = Command::new(python)
        .args(["backend/local/tests/clients.py", &server.url])
        .status()?;
    if !status.success() {
        bail!("clients that work with Amazon DynamoDB do not work with `tablewright local`");
    }
    Ok(())
}

fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// The interpreter of the environment, which is made anew when the requirements have changed.
fn environment() -> anyhow::Result<PathBuf> {
    let folder = env::current_dir()?.join(target()).join("python");
    let python = folder.join("bin/python");
    let wanted = fs::read_to_string(REQUIREMENTS).context(REQUIREMENTS)?;
    let installed = folder.join("requirements.txt");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    remove(&folder)?;
    make(&folder)?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args(["--disable-pip-version-check", "--requirement", REQUIREMENTS]))?;
    fs::write(installed, wanted)?;
    Ok(python)
}

fn make(folder: &Path) -> anyhow::Result<()> {
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv"]).arg(folder);
    // Debian has it in a package of its own, and says so at length.
    let made = venv.output().is_ok_and(|output| output.status.success());
    if made {
        return Ok(());
    }
    println!("   installing python3-venv");
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--quiet=2", "python3-venv"]);
    if install.output().is_ok_and(|output| output.status.success()) {
        return run(&mut venv);
    }
    bail!(
        "Python 3 with its module venv is needed, and could not be installed: apt-get install python3-venv"
    )
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = format!("{command:?}");
    let status = command.status().with_context(|| name.clone())?;
    if !status.success() {
        bail!("{name} failed");
    }
    Ok(())
}

fn remove(folder: &Path) -> std::io::Result<()> {
    match folder.exists() {
        true => fs::remove_dir_all(folder),
        false => Ok(()),
    }
}

/// `tablewright local` on a free port, with empty tables. It ends with this value.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> anyhow::Result<Self> {
        let program = target().join("debug/tablewright");
        let data = target().join("clients-data");
        remove(&data)?;
        let mut child = Command::new(&program)
            .args(["local", "--port", "0", "--data"])
            .arg(&data)
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| program.display().to_string())?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.as_mut() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let url = line
            .split([' ', ','])
            .find(|word| word.starts_with("http://"))
            .map(ToOwned::to_owned);
        let mut server = Server {
            child,
            url: url.unwrap_or_default(),
        };
        if server.url.is_empty() {
            bail!(
                "`tablewright local` did not start: {}",
                server.child.wait()?
            );
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
