package lens

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// readCurl returns the request that curl sends to a SOCKS proxy of this package: the hostname
// that curl would resolve and, for HTTP, the path of the request.
func readCurl(ctx context.Context, p *program, urls []string) (string, []ParseResult, error) {
	version, err := p.versionOf(ctx, 2, "-q", "--version")
	if err != nil {
		return "", nil, err
	}
	r, err := newRecorder(ctx, serveSOCKS)
	if err != nil {
		return "", nil, err
	}
	out, err := p.runWithNetwork(ctx, []string{"-q", "--config", "-"}, curlConfig(r, p.registry, urls))
	r.close()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) { // the exit status is only about the last URL, so it is not a failure
		return "", nil, err
	}
	reports := curlReports(out, r.password)
	list := make([]ParseResult, len(urls))
	for i, url := range urls {
		report, ok := reports[strconv.Itoa(i)]
		if !ok && curlAccepts(url) {
			return "", nil, fmt.Errorf("no report of a URL: %w", cmp.Or(err, errResults))
		}
		if _, connected := r.request(i); !connected && report.proxyUnreachable() {
			return "", nil, fmt.Errorf("%w: %s", errProxy, report.message)
		}
	}
	for i := range urls {
		list[i] = curlReading(r, i, reports)
	}
	return version, list, nil
}

// curlConfig makes curl request each URL through the proxy, and report the outcome.
func curlConfig(r *recorder, schemes *scheme.Registry, urls []string) []byte {
	var b bytes.Buffer
	for i, url := range urls {
		if !curlAccepts(url) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("next\n")
		}
		fmt.Fprintf(&b, "url = %s\n", curlQuote(url))
		fmt.Fprintf(&b, "proxy = \"socks5h://%s\"\nproxy-user = \"%d:%s\"\nnoproxy = \"\"\n", r.addr(), i, r.password)
		fmt.Fprintf(&b, "proto = \"=%s\"\n", strings.Join(curlSchemes(schemes), ","))
		fmt.Fprintf(&b, "write-out = \"\\n%s %d %%{exitcode} %%{scheme} %%{errormsg}\\n\"\n", r.password, i)
		b.WriteString("globoff\nsilent\ninsecure\nhttp1.1\nbasic\nmax-time = 10\noutput = \"/dev/null\"\n")
	}
	return b.Bytes()
}

// curlSchemes returns the schemes with which curl may contact a server. For an unknown scheme,
// curl would print a warning.
func curlSchemes(r *scheme.Registry) (names []string) {
	for _, row := range r.All() {
		if row.Port != 0 && !row.Traits.Has(scheme.Interactive) {
			names = append(names, row.Name)
		}
	}
	return names
}

// curlLine is below the maximum length of a configuration line in curl 7.88.
const curlLine = 100_000

// curlAccepts reports whether url can be an argument of curl. Since curl 8.13, an argument that
// begins with "@" names a file with URLs.
func curlAccepts(url string) bool {
	return url != "" && url[0] != '@' && !strings.Contains(url, "\x00") && len(curlQuote(url)) < curlLine
}

var curlEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\v", `\v`)

func curlQuote(text string) string { return `"` + curlEscapes.Replace(text) + `"` }

// curlReport is curl's report about one transfer.
type curlReport struct{ exit, scheme, message string }

// proxyUnreachable reports whether curl failed to reach its proxy before the timeout. A report
// about such a failure says nothing about the URL.
func (c curlReport) proxyUnreachable() bool { return c.exit == "7" || c.exit == "28" }

// curlReports returns curl's reports by URL number. Each line that contains a report begins with
// prefix.
func curlReports(out []byte, prefix string) map[string]curlReport {
	reports := make(map[string]curlReport)
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimRight(line, "\r\n"), " ", 5)
		if len(f) == 5 && f[0] == prefix {
			reports[f[1]] = curlReport{f[2], strings.ToLower(f[3]), f[4]}
		}
	}
	return reports
}

func curlReading(r *recorder, i int, reports map[string]curlReport) ParseResult {
	report, ok := reports[strconv.Itoa(i)]
	if !ok {
		return ParseResult{Error: "curl can't read this text"}
	}
	a, connected := r.request(i)
	if !connected {
		return ParseResult{Error: report.message}
	}
	reading := ParseResult{OK: true, Scheme: nonEmpty(report.scheme), Host: &a.host, Port: &a.port, Unseen: []string{"fragment"}}
	if _, target, ok := requestLine(a.request); ok {
		reading.setTarget(target)
		reading.setLogin(a.request)
		return reading
	}
	reading.Unseen = append(reading.Unseen, "user", "password", "path", "query")
	return reading
}
