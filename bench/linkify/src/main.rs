// Reads the file that is named, finds its URLs as often as is said, and writes for
// each time the nanoseconds of processor time and how many there were.
use linkify::{LinkFinder, LinkKind};

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

const PROCESS_CPU: i32 = 2; // CLOCK_PROCESS_CPUTIME_ID of Linux

fn clock() -> i64 {
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(PROCESS_CPU, &mut t) };
    t.seconds * 1_000_000_000 + t.nanoseconds
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let octets = std::fs::read(&args[1]).unwrap();
    let text = String::from_utf8_lossy(&octets);
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    for _ in 0..args[2].parse::<u32>().unwrap() {
        let begin = clock();
        let n = finder.links(&text).count();
        println!("{} {}", clock() - begin, n);
    }
}
