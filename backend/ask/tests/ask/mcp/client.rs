//! A client of the protocol that knows nothing of the library the server is written with.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub(crate) struct Client {
    program: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
    /// What the server has said without being asked.
    pub(crate) heard: Vec<Value>,
    tools: Vec<Value>,
}

impl Client {
    pub(crate) fn of(address: &str, key: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ask"));
        command
            .arg("mcp")
            .env("ASK_A_HUMAN_BASE_URL", address)
            .env_remove("ASK_A_HUMAN_KEY");
        if let Some(key) = key {
            command.env("ASK_A_HUMAN_KEY", key);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.stderr(Stdio::piped()).spawn().unwrap();
        Client {
            input: program.stdin.take(),
            output: BufReader::new(program.stdout.take().unwrap()),
            program,
            last: 0,
            heard: Vec::new(),
            tools: Vec::new(),
        }
    }

    /// What the server says of itself.
    pub(crate) fn begin(&mut self) -> Value {
        let about = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "a test", "version": "1" },
        });
        let info = self.ask("initialize", about);
        self.tell("notifications/initialized", json!({}));
        info
    }

    pub(crate) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.write(&message.to_string());
    }

    /// The number of the request.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.write(&message.to_string());
        id
    }

    /// The next message. Whatever is on the output is one.
    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended");
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// The answer to a request, whole.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// What a tool gives.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// What the server says of a tool.
    pub(crate) fn tool(&mut self, name: &str) -> Value {
        if self.tools.is_empty() {
            let tools = self.ask("tools/list", json!({}));
            self.tools = tools["tools"].as_array().unwrap().clone();
        }
        let mut tools = self.tools.iter();
        tools.find(|tool| tool["name"] == name).unwrap().clone()
    }

    /// The input ends, and with it the program, well and without a word beside the protocol.
    pub(crate) fn end(mut self) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "nothing is said that was not waited for");
        let mut complaints = String::new();
        let mut errors = self.program.stderr.take().unwrap();
        errors.read_to_string(&mut complaints).unwrap();
        assert_eq!(complaints, "");
        assert!(self.program.wait().unwrap().success());
    }
}

impl Drop for Client {
    /// A test that fails leaves no process behind.
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}
