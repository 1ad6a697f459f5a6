//! Chromium without a window, spoken to over its DevTools protocol.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tungstenite::{Message, WebSocket};

/// How long an answer may take; a loaded machine starts a browser slowly.
const PATIENCE: Duration = Duration::from_secs(90);
/// How often something is looked for, and the time between: as long in all.
const TRIES: u32 = 1800;
const PAUSE: Duration = Duration::from_millis(50);

/// A browser with one page.
pub struct Chromium {
    process: Child,
    _profile: tempfile::TempDir,
    socket: WebSocket<TcpStream>,
    session: String,
    last: u64,
    /// Errors of the page and of its log, and addresses that it asked for.
    pub complaints: Vec<String>,
    /// Every address that was asked for.
    pub requests: Vec<String>,
}

impl Chromium {
    /// Starts the browser; `None` where there is none: the test is skipped.
    pub fn start() -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let found = names.iter().find(|name| {
            let run = Command::new(name).arg("--version").stderr(Stdio::null()).output();
            run.is_ok_and(|output| output.status.success())
        });
        let name = needs::found(needs::CHROMIUM, found)?;
        let profile = tempfile::tempdir().unwrap();
        let mut process = Command::new(name)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-quic",
                "--hide-scrollbars",
                "--force-device-scale-factor=1",
                "--font-render-hinting=none",
                "--remote-debugging-port=0",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let address = BufReader::new(process.stderr.take().unwrap())
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned))
            .expect("Chromium tells where it listens");
        let host = address.trim_start_matches("ws://").split('/').next().unwrap().to_owned();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = tungstenite::client(address.as_str(), stream).unwrap();
        let mut browser = Self {
            process,
            _profile: profile,
            socket,
            session: String::new(),
            last: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Sends a command and waits for its answer.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let answer: Value =
                serde_json::from_str(self.socket.read().unwrap().to_text().unwrap()).unwrap();
            if answer["id"] == json!(self.last) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(params["exceptionDetails"].to_string());
            }
            Some("Runtime.consoleAPICalled") if params["type"] != "log" => {
                self.complaints.push(params["args"].to_string());
            }
            Some("Log.entryAdded") => self.complaints.push(params["entry"]["text"].to_string()),
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                self.requests.push(url.chars().take(200).collect());
            }
            _ => {}
        }
    }

    /// Opens a file in a window of this size, light or dark, and waits until its script has run.
    pub fn open(&mut self, file: &Path, width: u32, height: u32, dark: bool) {
        let scheme = if dark { "dark" } else { "light" };
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.call("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
        self.wait("document.documentElement?.dataset.ready === 'true'");
    }

    /// What an expression gives.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", params);
        let wrong = &result["exceptionDetails"];
        assert!(wrong.is_null(), "{expression}: {wrong}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let mut tries = TRIES;
        while self.evaluate(expression) != json!(true) {
            assert!(tries > 0, "it never came true: {expression}");
            tries -= 1;
            std::thread::sleep(PAUSE);
        }
    }

    /// Waits until an expression gives more than blanks.
    pub fn text(&mut self, expression: &str) -> String {
        let mut tries = TRIES;
        loop {
            let text = self.evaluate(expression).as_str().unwrap_or_default().to_owned();
            if !text.trim().is_empty() {
                return text;
            }
            assert!(tries > 0, "it stayed empty: {expression}");
            tries -= 1;
            std::thread::sleep(PAUSE);
        }
    }

    /// Moves the mouse to a place of the window.
    pub fn hover(&mut self, x: f64, y: f64) {
        for shift in [2.0, 0.0] {
            let params = json!({ "type": "mouseMoved", "x": x + shift, "y": y });
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// Drags the mouse from one place of the window to another below or above it.
    pub fn drag(&mut self, x: f64, from: f64, to: f64) {
        let mut mouse = |kind: &str, y: f64, buttons: u32| {
            let params = json!({
                "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", params);
        };
        mouse("mouseMoved", from, 0);
        mouse("mousePressed", from, 1);
        for step in 1..=4 {
            mouse("mouseMoved", from + (to - from) * f64::from(step) / 4.0, 1);
        }
        mouse("mouseReleased", to, 0);
    }

    /// Presses a key and lets it go.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
        }
    }

    /// The place of an element in the window: left, top, width, height.
    pub fn place(&mut self, selector: &str) -> [f64; 4] {
        let js = format!(
            "(() => {{ const e = document.querySelector({}); \
             e.scrollIntoView({{ block: 'center' }}); const next = requestAnimationFrame; \
             return new Promise((done) => next(() => next(() => {{ \
             const r = e.getBoundingClientRect(); \
             done([r.left, r.top, r.width, r.height]); }}))); }})()",
            json!(selector)
        );
        serde_json::from_value(self.evaluate(&js)).unwrap()
    }

    /// A picture of an element as PNG.
    pub fn picture(&mut self, selector: &str) -> Vec<u8> {
        let js = format!(
            "(() => {{ const r = document.querySelector({}).getBoundingClientRect(); \
             return [r.left + scrollX, r.top + scrollY, r.width, r.height]; }})()",
            json!(selector)
        );
        let [x, y, width, height]: [f64; 4] = serde_json::from_value(self.evaluate(&js)).unwrap();
        let clip = json!({ "x": x, "y": y, "width": width, "height": height, "scale": 1 });
        let params = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
        let shot = self.call("Page.captureScreenshot", params);
        data_encoding::BASE64.decode(shot["data"].as_str().unwrap().as_bytes()).unwrap()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
