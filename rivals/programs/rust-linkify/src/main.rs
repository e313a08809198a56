// Finds URLs with the crate linkify.
//
// rivals-linkify text [all] FILE    writes the URLs of a text file, one a line
// rivals-linkify cases FILE         reads lines of texts as JSON strings, and writes the URLs of each as a JSON array;
//                                   "all" also finds names without a scheme and mail addresses
use linkify::{LinkFinder, LinkKind};
use std::io::{BufWriter, Write};

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let mut finder = LinkFinder::new();
    let all = args.len() > 1 && args[1] == "all";
    if all {
        args.remove(1);
        finder.url_must_have_scheme(false);
    } else {
        finder.kinds(&[LinkKind::Url]);
    }
    let text = String::from_utf8(std::fs::read(&args[1]).unwrap()).unwrap();
    let mut out = BufWriter::new(std::io::stdout().lock());
    if args[0] == "text" {
        for link in finder.links(&text) {
            writeln!(out, "{}", link.as_str()).unwrap();
        }
        return;
    }
    for line in text.lines() {
        let case: String = serde_json::from_str(line).unwrap();
        let urls: Vec<&str> = finder.links(&case).map(|link| link.as_str()).collect();
        writeln!(out, "{}", serde_json::to_string(&urls).unwrap()).unwrap();
    }
}
