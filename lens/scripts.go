package lens

import (
	"context"
	"embed"
)

//go:embed parsers
var parsers embed.FS

// scripts returns the parsers that are scripts. Each row names the interpreter, the arguments
// before the script's text, and the script file.
func scripts() []programRow {
	return []programRow{
		script("urllib", "python3", "urllib.py", nil, "-I", "-c"),
		script("urllib3", "python3", "urllib3.py", pythonHas("urllib3"), "-I", "-c"),
		script("requests", "python3", "requests.py", pythonHas("requests"), "-I", "-c"),
		script("yarl", "python3", "yarl.py", pythonHas("yarl"), "-I", "-c"),
		script("httpx", "python3", "httpx.py", pythonHas("httpx"), "-I", "-c"),
		script("ada-url", "python3", "ada_url.py", pythonHas("ada_url"), "-I", "-c"),
		script("perl-uri", "perl", "uri.pl", []string{"-MURI", "-e", "1"}, "-e"),
		script("node", "node", "url.js", nil, "--no-warnings", "-e"),
		script("node-legacy", "node", "legacy.js", nil, "--no-warnings", "-e"),
		script("php", "php", "parse_url.php", nil, "-n", "-d", "display_errors=stderr", "-r"),
		script("ruby", "ruby", "uri.rb", nil, "--disable=gems", "-e"),
		script("addressable", "ruby", "addressable.rb", []string{"-raddressable/uri", "-e", "1"}, "-e"),
	}
}

// pythonHas returns arguments with which Python succeeds only if the module is installed.
func pythonHas(module string) []string {
	return []string{"-I", "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('" + module + "') is None)"}
}

func script(name, interpreter, file string, probe []string, args ...string) programRow {
	return programRow{name: name, program: interpreter, probe: probe,
		parse: func(ctx context.Context, p *program, urls []string) (string, []ParseResult, error) {
			text, err := parsers.ReadFile("parsers/" + file)
			if err != nil {
				return "", nil, err
			}
			out, err := p.run(ctx, append(args[:len(args):len(args)], string(text)), encodeQuestions(urls))
			if err != nil {
				return "", nil, err
			}
			return decodeResults(out, urls)
		}}
}
