//! Measures the engine on fixed works: simulated requests per CPU second, memory and the time to
//! precondition. Run by `make bench`; each work runs in a process of its own, so that its peak
//! memory is its own.

mod against;
mod array;
mod drive;
mod floor;
mod instructions;
mod methods;
mod process;
mod work;

use against::Ratio;
use process::Measured;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(one) = arguments.iter().find_map(|a| a.strip_prefix("--one=")) {
        return match work::find(one) {
            Some(work) => {
                let asked = std::env::var(work::REQUESTS).ok().and_then(|n| n.parse().ok());
                let requests = asked.unwrap_or(work.requests());
                println!("{}", work.with_requests(requests).run().to_line());
                ExitCode::SUCCESS
            }
            None => whole(one),
        };
    }
    let json = arguments.iter().any(|a| a == "--json");
    let value = |name: &str| arguments.iter().find_map(|a| a.strip_prefix(name));
    let rounds = match value("--rounds=").unwrap_or("5").parse() {
        Ok(rounds @ 2..) => rounds,
        _ => {
            eprintln!("bench: --rounds=N is a number from 2");
            return ExitCode::from(2);
        }
    };
    let names: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|a| !a.starts_with("--")).collect();
    let known = |name: &str| work::find(name).is_some() || methods::find(name).is_some();
    if let Some(name) = names.iter().find(|n| !known(n)) {
        return unknown(name);
    }
    let asked = Asked { names, json };
    let counts = arguments.iter().any(|a| a == "--instructions");
    let measured = match value("--against=") {
        Some(other) => asked.compare(Path::new(other), rounds),
        None if counts => asked.count(),
        None => asked.measure(),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// What is to be measured.
struct Asked<'a> {
    /// Names of works and methods; all of them if there is none.
    names: Vec<&'a str>,
    /// JSON in the end, and not a line for each.
    json: bool,
}

impl Asked<'_> {
    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.contains(&name)
    }

    /// Measures works with this build and another one in turn, and prints the ratios.
    fn compare(&self, other: &Path, rounds: u32) -> Result<(), String> {
        let print = |ratio: &Ratio| println!("{}", ratio.to_line());
        if self.json {
            let list = against::compare(other, rounds, |name| self.wants(name), |_| ())?;
            let list: Vec<_> = list.iter().map(Ratio::to_json).collect();
            println!("{:#}", serde_json::json!({ "rounds": rounds, "works": list }));
            return Ok(());
        }
        println!("{}", Ratio::titles());
        against::compare(other, rounds, |name| self.wants(name), print).map(drop)
    }

    /// Counts the instructions of a request of each work, and prints them.
    fn count(&self) -> Result<(), String> {
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut all = serde_json::Map::new();
        for work in work::all().iter().filter(|work| self.wants(work.name)) {
            let each = instructions::count(&program, work)?;
            if !self.json {
                println!("{:<18} {each:>14.0} instructions/request", work.name);
            }
            all.insert(work.name.to_owned(), each.round().into());
        }
        if self.json {
            println!("{:#}", serde_json::json!({ "instructions_per_request": all }));
        }
        Ok(())
    }

    /// Measures and prints; the error says which failed, and why.
    fn measure(&self) -> Result<(), String> {
        let works = self.works()?;
        let methods = self.methods()?;
        if self.json {
            let list: Vec<_> = works.iter().map(|(name, m)| m.to_json(name)).collect();
            println!("{:#}", serde_json::json!({ "works": list, "methods": methods }));
        }
        Ok(())
    }

    /// The works, each in a process of its own.
    fn works(&self) -> Result<Vec<(&'static str, Measured)>, String> {
        let mut results = Vec::new();
        if !self.json {
            print_titles();
        }
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        for work in work::all().iter().filter(|work| self.wants(work.name)) {
            let alone = run_alone(&program, work.name);
            let mut measured = alone.map_err(|reason| format!("{}: {reason}", work.name))?;
            if work.name == "write-random-32" {
                measured.bytes_per_page = bytes_per_page(&results, &measured);
            }
            if !self.json {
                print_line(work.name, &measured);
            }
            results.push((work.name, measured));
        }
        Ok(results)
    }

    /// The whole methods, as JSON.
    fn methods(&self) -> Result<Vec<serde_json::Value>, String> {
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut took = Vec::new();
        let mut header = !self.json;
        for whole in methods::ALL.iter().filter(|whole| self.wants(whole.name)) {
            let one =
                whole.run_alone(&program).map_err(|reason| format!("{}: {reason}", whole.name))?;
            if std::mem::take(&mut header) {
                println!("\n{:<18} {:>14} {:>12} {:>10}", "method", "CPU s", "at most", "peak MiB");
            }
            let mib = one.peak_bytes as f64 / 1048576.0;
            if !self.json {
                println!(
                    "{:<18} {:>14.2} {:>12} {mib:>10.1}",
                    whole.name, one.cpu_s, whole.limit_s
                );
            }
            took.push(serde_json::json!({
                "name": whole.name, "cpu_s": one.cpu_s, "limit_s": whole.limit_s,
                "peak_bytes": one.peak_bytes,
            }));
        }
        Ok(took)
    }
}

/// Measures a whole method in this process.
fn whole(name: &str) -> ExitCode {
    match methods::find(name).map(methods::Whole::run) {
        None => unknown(name),
        Some(Ok(took)) => {
            println!("{}", took.to_line());
            ExitCode::SUCCESS
        }
        Some(Err(reason)) => {
            eprintln!("bench: {name}: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn unknown(name: &str) -> ExitCode {
    let mut known: Vec<&str> = work::all().iter().map(|w| w.name).collect();
    known.extend(methods::ALL.iter().map(|whole| whole.name));
    eprintln!("bench: no work is called `{name}`; there are {}", known.join(", "));
    ExitCode::from(2)
}

/// Growth of the peak from the 8 GiB to the 32 GiB work over the growth of mapped pages, so that
/// the process itself does not count.
fn bytes_per_page(results: &[(&str, Measured)], large: &Measured) -> Option<f64> {
    let (_, small) = results.iter().find(|(name, _)| *name == "write-random")?;
    let bytes = large.peak_bytes as f64 - small.peak_bytes as f64;
    Some(bytes / (large.mapped_pages as f64 - small.mapped_pages as f64))
}

/// Measures a work with a build of this bench, in a process of its own.
fn run_alone(program: &Path, name: &str) -> Result<Measured, String> {
    Measured::from_line(&process::alone(program, name)?)
}

fn print_titles() {
    println!(
        "{:<18} {:>14} {:>12} {:>10} {:>12} {:>12} {:>7} {:>12}",
        "work",
        "requests/CPU-s",
        "bytes/page",
        "peak MiB",
        "precond us/p",
        "floor/CPU-s",
        "WA",
        "flash ops/s"
    );
}

fn print_line(name: &str, m: &Measured) {
    let option = |v: Option<f64>, digits: usize| {
        v.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
    };
    println!(
        "{:<18} {:>14.0} {:>12} {:>10.1} {:>12} {:>12.0} {:>7} {:>12.0}",
        name,
        m.requests_per_cpu_s,
        option(m.bytes_per_page, 2),
        m.peak_bytes as f64 / 1048576.0,
        option(m.precondition_us_per_page, 4),
        m.floor_per_cpu_s,
        option(m.write_amplification, 3),
        m.flash_ops_per_cpu_s,
    );
}
