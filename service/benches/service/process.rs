//! Servers in their own processes: the service, and the hand-written one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::database::Database;

/// How long a service may take to become ready.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A server that is killed when this is dropped.
pub struct Server {
    process: Child,
    pub address: SocketAddr,
    /// Kept open, so that the process can print.
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    /// Starts the service; `threads` sets the number of its engine threads.
    pub fn service(database: &Database, threads: Option<usize>) -> Self {
        let mut command = service(database);
        command.args(["serve", "--listen", "127.0.0.1:0", "--allow-private-networks"]);
        if let Some(threads) = threads {
            command.args(["--threads", &threads.to_string()]);
        }
        let service = Self::start(command, database);
        service.until_ready();
        service
    }

    /// Waits until the catalogue is loaded, because startup is not measured.
    fn until_ready(&self) {
        let ready = b"GET /readyz HTTP/1.0\r\n\r\n";
        let begun = Instant::now();
        loop {
            let mut response = String::new();
            let mut stream = TcpStream::connect(self.address).expect("it listens");
            stream.write_all(ready).expect("it is open");
            stream.read_to_string(&mut response).expect("an response");
            if response.contains(" 200 ") {
                return;
            }
            assert!(begun.elapsed() < TIMEOUT, "the service is not ready: {response}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Starts the hand-written server, which is this program in another role.
    pub fn floor(database: &Database) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg("--floor").arg(&database.folder);
        command.args(database.url.iter().flat_map(|url| ["--database-url", url]));
        Self::start(command, database)
    }

    /// Starts a process that logs to a file, as a long-running service does.
    fn start(mut command: Command, database: &Database) -> Self {
        let log = std::fs::File::create(database.folder.join("log")).expect("a log");
        let mut process = command
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("a server");
        let mut stdout = BufReader::new(process.stdout.take().expect("its output"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://").map(str::parse);
        let Some(Ok(address)) = address else {
            panic!("the server does not start: see {}", database.folder.join("log").display())
        };
        Self { process, address, _stdout: stdout }
    }

    /// Returns the CPU time of the process so far, on Linux.
    pub fn processor(&self) -> Option<Duration> {
        processor(&self.process.id().to_string())
    }

    /// Returns the peak memory since the last call in megabytes, on Linux.
    pub fn peak_memory(&self) -> Option<f64> {
        let folder = format!("/proc/{}", self.process.id());
        let status = std::fs::read_to_string(format!("{folder}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        // Reset the peak; if the system refuses, the peak covers the whole run.
        let _ = std::fs::write(format!("{folder}/clear_refs"), "5");
        Some(kilobytes / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the CPU time of a process; the kernel counts hundredths of a second.
pub fn processor(process: &str) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is a name in parentheses, which may contain spaces.
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

/// Returns a command of the service on this database.
pub fn service(database: &Database) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_asset-service"));
    command.arg("--data-dir").arg(&database.folder);
    command.args(database.url.iter().flat_map(|url| ["--database-url", url]));
    command.args(database.files.iter().flat_map(|url| ["--files", url]));
    command
}
