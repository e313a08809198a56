package lens

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// readWget returns how `wget -i` parses URLs in the lines of its input file.
func readWget(ctx context.Context, p *program, urls []string) (string, []ParseResult, error) {
	return readWgetLines(ctx, p, urls)
}

// readWgetArgument returns how `wget URL` parses its argument. wget escapes an argument before
// splitting the URL. In contrast, wget escapes a line of an input file after splitting the
// URL. This package passes no URL as an argument, because other users could see a password in
// the list of processes. Instead, readWgetArgument escapes the URL and passes the result as a
// line.
func readWgetArgument(ctx context.Context, p *program, urls []string) (string, []ParseResult, error) {
	lines := make([]string, len(urls))
	for i, url := range urls {
		lines[i] = wgetEscapes(url)
	}
	version, list, err := readWgetLines(ctx, p, lines)
	for i := range list {
		if list[i].OK && decodesTwice(lines[i]) {
			list[i] = ParseResult{OK: true, Unseen: PartNames()}
		}
	}
	return version, list, err
}

// wgetEscapes escapes url in the same way as wget escapes an argument.
func wgetEscapes(url string) string {
	var b strings.Builder
	for i := range len(url) {
		o := url[i]
		switch {
		case o <= ' ', o >= 0x7F, strings.IndexByte("\"<>\\^`{|}", o) >= 0, o == '%' && !isEscape(url[i:]):
			fmt.Fprintf(&b, "%%%02X", o)
		default:
			b.WriteByte(o)
		}
	}
	return b.String()
}

// decodesTwice reports whether wget may split a line and an argument with the same text in
// different ways. For a line, wget decodes the login and the host, writes a new URL, and
// splits the new URL. For an argument, wget never treats an escaped delimiter as a delimiter.
func decodesTwice(line string) bool {
	_, rest, _ := strings.Cut(line, "//")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	found := false
	mapEscapes(rest, func(_ []byte, o byte, escaped bool) []byte {
		found = found || escaped && strings.IndexByte("/?:;", o) >= 0
		return nil
	})
	return found
}

// readWgetLines passes each URL to wget as a line of an input file, and returns the requests
// of wget as results.
func readWgetLines(ctx context.Context, p *program, urls []string) (string, []ParseResult, error) {
	version, err := p.versionOf(ctx, 3, "--no-config", "--version")
	if err != nil {
		return "", nil, err
	}
	r, err := newRecorder(ctx, serveHTTP)
	if err != nil {
		return "", nil, err
	}
	failures := make([]error, len(urls))
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, url := range urls {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			failures[i] = runWget(ctx, p, r, i, url)
		})
	}
	wg.Wait()
	r.close()
	if ctx.Err() != nil {
		return "", nil, context.Cause(ctx)
	}
	list := make([]ParseResult, len(urls))
	for i, url := range urls {
		if exit := (*exec.ExitError)(nil); !errors.Is(failures[i], errLine) && (!errors.As(failures[i], &exit) || exit.ExitCode() < 0) {
			return "", nil, cmp.Or(failures[i], errResults) // wget did not complete its run
		}
		if a, ok := r.request(i); ok {
			list[i] = wgetReading(a)
		} else if exit := (*exec.ExitError)(nil); errors.As(failures[i], &exit) && exit.ExitCode() == wgetNetwork {
			return "", nil, fmt.Errorf("%w: %w", errProxy, failures[i])
		} else {
			list[i].Error = refusal(failures[i], url)
		}
	}
	return version, list, nil
}

// wgetNetwork is wget's exit status if a connection fails or times out.
const wgetNetwork = 4

var errLine = errors.New("wget reads one URL per line and can't read this text")

// runWget makes wget request one URL from the proxy. wget always fails. The error is the
// reason for the failure.
func runWget(ctx context.Context, p *program, r *recorder, i int, url string) error {
	if url == "" || strings.ContainsAny(url, "\x00\r\n") {
		return errLine
	}
	proxy := "http://" + r.addr() + "/"
	config := strings.Join([]string{
		"use_proxy=on", "no_proxy=", "http_proxy=" + proxy, "https_proxy=" + proxy, "ftp_proxy=" + proxy,
		"proxy_user=" + strconv.Itoa(i), "proxy_password=" + r.password,
	}, "\n") + "\n"
	_, err := p.runWithNetwork(ctx, []string{"--config=wgetrc", "--no-verbose", "--output-document=/dev/null", "--tries=1", "--timeout=10",
		"--max-redirect=0", "--no-hsts", "--no-netrc", "--no-cookies", "--auth-no-challenge", "--input-file=-"}, []byte(url+"\n"), workFile{"wgetrc", config})
	return err
}

// refusal returns the reason why wget sent no request.
func refusal(err error, url string) string {
	var failed *programError
	switch {
	case errors.Is(err, errLine):
		return err.Error()
	case !errors.As(err, &failed) || failed.messages == "":
		return "not read as a URL"
	}
	first, _, _ := strings.Cut(failed.messages, "\n")
	if _, why, ok := strings.Cut(first, url+": "); ok {
		return why
	}
	return first
}

func wgetReading(a proxyRequest) ParseResult {
	r := ParseResult{OK: true, Host: &a.host, Port: nonEmpty(a.port), Unseen: []string{"fragment"}}
	method, target, _ := requestLine(a.request)
	name, rest, ok := strings.Cut(target, "://")
	if method == "CONNECT" || !ok {
		r.Unseen = append(r.Unseen, "scheme", "user", "password", "path", "query")
		return r
	}
	r.Scheme = &name
	if r.setLogin(a.request); r.User == nil {
		r.Unseen = append(r.Unseen, "user", "password") // wget sends a user only together with a password
	}
	if _, path, ok := strings.Cut(rest, findField(a.request, "Host")); ok {
		rest = path
	} else if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		rest = rest[slash:] // the host is escaped in the URL
	}
	r.setTarget(rest)
	return r
}
