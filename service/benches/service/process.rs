//! Servers, as the processes that they are: the service's release build, and the hand-written one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::database::Database;

/// How long a service has to be ready.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server that runs until this is dropped.
pub struct Server {
    process: Child,
    pub address: SocketAddr,
    /// Kept open: who prints must not fail.
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    /// The service. `threads`: of its worker.
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

    /// Waits until the catalogue was read: a start is not what is measured.
    fn until_ready(&self) {
        let ready = b"GET /readyz HTTP/1.0\r\n\r\n";
        let begun = Instant::now();
        loop {
            let mut answer = String::new();
            let mut stream = TcpStream::connect(self.address).expect("it listens");
            stream.write_all(ready).expect("it is open");
            stream.read_to_string(&mut answer).expect("an answer");
            if answer.contains(" 200 ") {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "the service is not ready: {answer}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// The hand-written server: this program in its other role.
    pub fn floor(database: &Database) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg("--floor").arg(&database.folder);
        command.args(database.url.iter().flat_map(|url| ["--database-url", url]));
        Self::start(command, database)
    }

    /// Its log goes to a file, as that of a service that runs for long.
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

    /// The processors' time that it has had so far, where the system tells (Linux).
    pub fn processor(&self) -> Option<Duration> {
        processor(&self.process.id().to_string())
    }

    /// The most memory that it has had at a time since the last call, in megabytes, where the system tells.
    pub fn peak_memory(&self) -> Option<f64> {
        let folder = format!("/proc/{}", self.process.id());
        let status = std::fs::read_to_string(format!("{folder}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        // From here on it counts anew; a system that refuses counts on.
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

/// The processors' time of a process, in ticks of a hundredth of a second.
pub fn processor(process: &str) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is a name in parentheses, which may hold spaces.
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |place: usize| fields.get(place)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

/// A command of the service, on this database.
pub fn service(database: &Database) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_asset-service"));
    command.arg("--data-dir").arg(&database.folder);
    command.args(database.url.iter().flat_map(|url| ["--database-url", url]));
    command
}
