//! Reads URLs with the crates url and http.
//!
//!     parsers speed FILE MILLISECONDS   prints, for each function, the nanoseconds of processor time per line of FILE
//!     parsers url|http [...]            reads URLs in the protocol of lens/results.go; other arguments are ignored

use base64::{engine::general_purpose::STANDARD, Engine};
use std::hint::black_box;
use std::io::{self, BufRead, Write};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("speed") if args.len() == 4 => speed(&args[2], args[3].parse().expect("milliseconds")),
        Some("url") => answer("url 2.5.8", with_url),
        Some("http") => answer("http 1.5.0", with_http),
        _ => {
            eprintln!("usage: parsers speed FILE MILLISECONDS | parsers url|http");
            std::process::exit(2);
        }
    }
}

fn clock() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// Runs f on all lines until the least time is over, and prints the time per line.
fn measure(name: &str, lines: &[&str], least: u64, f: impl Fn(&str) -> usize) {
    let (mut rounds, mut sum, start) = (0u64, 0usize, clock());
    while clock() - start < least * 1_000_000 {
        for line in lines {
            sum = sum.wrapping_add(f(black_box(line)));
        }
        rounds += 1;
    }
    println!("{}\t{:.2}\t{}", name, (clock() - start) as f64 / rounds as f64 / lines.len() as f64, sum / rounds as usize);
}

fn speed(file: &str, least: u64) {
    let text = std::fs::read_to_string(file).expect("a file of URLs");
    let lines: Vec<&str> = text.lines().collect();
    measure("Url::parse", &lines, least, |s| url::Url::parse(s).map_or(0, |u| u.as_str().len()));
    measure("Uri::from_str", &lines, least, |s| s.parse::<http::Uri>().map_or(0, |u| u.path().len()));
}

type Parts = Vec<(&'static str, String)>;

fn answer(version: &str, read: fn(&str) -> Result<(Parts, &'static str), String>) {
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "version {}", STANDARD.encode(version)).unwrap();
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let octets = STANDARD.decode(line.unwrap()).unwrap();
        write!(out, "{} {} ", number, octets.len()).unwrap();
        match read(&String::from_utf8_lossy(&octets)) {
            Ok((parts, unseen)) => {
                write!(out, "ok{}", unseen).unwrap();
                for (name, text) in parts {
                    write!(out, " {}:{}", name, STANDARD.encode(text)).unwrap();
                }
                writeln!(out).unwrap();
            }
            Err(error) => writeln!(out, "no {}", STANDARD.encode(error)).unwrap(),
        }
    }
}

fn with_url(text: &str) -> Result<(Parts, &'static str), String> {
    let u = url::Url::parse(text).map_err(|e| e.to_string())?;
    let mut parts = vec![("scheme", u.scheme().to_string()), ("path", u.path().to_string())];
    if !u.username().is_empty() {
        parts.push(("user", u.username().to_string()));
    }
    for (name, part) in [
        ("password", u.password().map(str::to_string)),
        ("host", u.host_str().map(str::to_string)),
        ("port", u.port().map(|p| p.to_string())),
        ("query", u.query().map(str::to_string)),
        ("fragment", u.fragment().map(str::to_string)),
    ] {
        parts.extend(part.map(|p| (name, p)));
    }
    Ok((parts, ""))
}

fn with_http(text: &str) -> Result<(Parts, &'static str), String> {
    let u: http::Uri = text.parse().map_err(|e: http::uri::InvalidUri| e.to_string())?;
    let mut parts = vec![("path", u.path().to_string())];
    if let Some((userinfo, _)) = u.authority().and_then(|a| a.as_str().rsplit_once('@')) {
        let (user, password) = match userinfo.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (userinfo, None),
        };
        parts.push(("user", user.to_string()));
        parts.extend(password.map(|p| ("password", p.to_string())));
    }
    for (name, part) in [
        ("scheme", u.scheme_str().map(str::to_string)),
        ("host", u.host().map(str::to_string)),
        ("port", u.port().map(|p| p.as_str().to_string())),
        ("query", u.query().map(str::to_string)),
    ] {
        parts.extend(part.map(|p| (name, p)));
    }
    Ok((parts, " unseen:fragment"))
}
