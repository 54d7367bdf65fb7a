//! The printed table.

use std::process::ExitCode;
use std::time::Duration;

use crate::rounds::Measured;

/// Prints rows and counts targets.
#[derive(Default)]
pub struct Table {
    rows: usize,
    targets: usize,
    missed: usize,
}

impl Table {
    /// Prints the heading and the column names of a part.
    pub fn head(&mut self, of: &str) {
        println!("\n{of}");
        cells(["", "per second", "p50", "p99", "processor", "ratio", "target", "memory"]);
    }

    /// Prints a contestant and those that it is compared with.
    pub fn compared(&mut self, part: &str, measured: &[Measured], memory: Option<f64>) {
        for (index, one) in measured.iter().enumerate() {
            let name = format!("{part}: {}", one.name);
            let (mut ratio, mut target) = (String::new(), String::new());
            if let Some(to) = &one.ratio {
                let (below, above) = to.quartiles;
                ratio = format!("{:.2} ({below:.2}-{above:.2})", to.median);
                if let Some(least) = to.target {
                    target = self.target(to.median >= least, &format!(">= {least}"));
                }
            }
            let memory = memory.filter(|_| index == 0).map(megabytes).unwrap_or_default();
            self.row(&name, one, [ratio, target, memory]);
        }
    }

    /// Prints a row whose p99 has this target.
    pub fn timed(&mut self, part: &str, measured: &Measured, most: Option<Duration>, memory: Option<f64>) {
        let target = most.map(|most| {
            let target = format!("p99 < {} ms", most.as_millis());
            self.target(measured.latency(0.99) < most, &target)
        });
        self.row(
            part,
            measured,
            [String::new(), target.unwrap_or_default(), memory.map(megabytes).unwrap_or_default()],
        );
    }

    /// Prints a row with a rate only.
    pub fn rate(&mut self, name: &str, rate: f64, processor: Option<Duration>, memory: Option<f64>) {
        self.rows += 1;
        let (processor, memory) = (processor.map(micros), memory.map(megabytes));
        let rate = format!("{rate:.0}");
        let [processor, memory] = [processor, memory].map(Option::unwrap_or_default);
        cells([name, &rate, "", "", &processor, "", "", &memory]);
    }

    fn row(&mut self, name: &str, measured: &Measured, [ratio, target, memory]: [String; 3]) {
        self.rows += 1;
        let processor = measured.processor.map(micros).unwrap_or_default();
        let (p50, p99) = (millis(measured.latency(0.5)), millis(measured.latency(0.99)));
        cells([name, &format!("{:.0}", measured.rate), &p50, &p99, &processor, &ratio, &target, &memory]);
    }

    fn target(&mut self, is_met: bool, target: &str) -> String {
        self.targets += 1;
        self.missed += usize::from(!is_met);
        format!("{target} {}", if is_met { "met" } else { "MISSED" })
    }

    /// Prints the last line and returns the exit code.
    pub fn verdict(&self) -> ExitCode {
        if self.rows == 0 {
            eprintln!("Nothing was measured.");
            return ExitCode::from(2);
        }
        println!("\n{} of {} targets met", self.targets - self.missed, self.targets);
        if self.missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn cells([name, rate, p50, p99, processor, ratio, target, memory]: [&str; 8]) {
    let line = format!(
        "{name:<48} {rate:>10} {p50:>10} {p99:>10} {processor:>10}  {ratio:<18} {target:<20} {memory:>8}"
    );
    println!("{}", line.trim_end());
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn micros(time: Duration) -> String {
    format!("{:.0} us", time.as_secs_f64() * 1e6)
}

fn megabytes(megabytes: f64) -> String {
    format!("{megabytes:.0} MB")
}
