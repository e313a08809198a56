package lens

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
)

// readChromium parses URLs with Chromium's JavaScript constructor URL. Chromium loads the
// script as a page from a file.
func readChromium(ctx context.Context, p *program, urls []string) (string, []ParseResult, error) {
	version, err := p.versionOf(ctx, 2, "--version")
	if err != nil {
		return "", nil, err
	}
	page, err := parsers.ReadFile("parsers/chromium.html")
	if err != nil {
		return "", nil, err
	}
	html := strings.Replace(string(page), "QUESTIONS", string(encodeQuestions(urls)), 1)
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-extensions", "--user-data-dir=profile", "--timeout=10000", "--dump-dom"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium refuses to run as root with a sandbox
	}
	out, err := p.run(ctx, append(args, "page.html"), nil, workFile{"page.html", html})
	if err != nil {
		return "", nil, err
	}
	_, rest, found := bytes.Cut(out, []byte(`<pre id="answers">`))
	answers, _, ended := bytes.Cut(rest, []byte("</pre>"))
	if !found || !ended {
		return "", nil, fmt.Errorf("%w: no list in the page", errResults)
	}
	_, list, err := decodeResults(answers, urls)
	return version, list, err
}
