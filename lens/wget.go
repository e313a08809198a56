package lens

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
)

// readWget reads what wget asks an HTTP proxy of ours for. It runs once for each URL.
func readWget(ctx context.Context, p *program, urls []string) (string, []Reading, error) {
	version, err := p.versionOf(ctx, 3, "--no-config", "--version")
	if err != nil {
		return "", nil, err
	}
	r, err := newRecorder(ctx, serveHTTP)
	if err != nil {
		return "", nil, err
	}
	defer r.close()
	list := make([]Reading, len(urls))
	failures := make([]error, len(urls))
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, url := range urls {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			list[i], failures[i] = askWget(ctx, p, r, i, url)
		})
	}
	wg.Wait()
	for _, err := range failures {
		if err != nil {
			return "", nil, err
		}
	}
	return version, list, nil
}

// askWget asks wget for one URL. That it fails to get it is no failure.
func askWget(ctx context.Context, p *program, r *recorder, i int, url string) (Reading, error) {
	if url == "" || strings.ContainsAny(url, "\x00\r\n") {
		return Reading{Error: "wget reads one URL a line, and can't be given this text"}, nil
	}
	proxy := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(r.listener.Addr().(*net.TCPAddr).Port)) + "/"
	config := strings.Join([]string{
		"use_proxy=on", "http_proxy=" + proxy, "https_proxy=" + proxy, "ftp_proxy=" + proxy,
		"proxy_user=" + strconv.Itoa(i), "proxy_password=" + r.password,
	}, "\n") + "\n"
	_, err := p.runHere(ctx, []string{"--config=wgetrc", "--no-verbose", "--output-document=/dev/null", "--tries=1", "--timeout=10",
		"--max-redirect=0", "--no-hsts", "--no-netrc", "--no-cookies", "--auth-no-challenge", "--input-file=-"}, []byte(url+"\n"), file{"wgetrc", config})
	if ctx.Err() != nil {
		return Reading{}, err
	}
	a, ok := r.asked(i)
	if !ok {
		return Reading{Error: refusal(err)}, nil
	}
	return wgetReading(a), nil
}

// refusal is why wget asked for nothing.
func refusal(err error) string {
	var failed *programError
	if errors.As(err, &failed) && failed.messages != "" {
		first, _, _ := strings.Cut(failed.messages, "\n")
		return first
	}
	return "not read as a URL"
}

func wgetReading(a asked) Reading {
	r := Reading{OK: true, Host: &a.host, Port: filled(a.port), Unseen: []string{"fragment"}}
	method, target, _ := requestLine(a.request)
	name, rest, ok := strings.Cut(target, "://")
	if method == "CONNECT" || !ok {
		r.Unseen = append(r.Unseen, "scheme", "user", "password", "path", "query")
		return r
	}
	r.Scheme = &name
	r.setLogin(a.request)
	if _, path, ok := strings.Cut(rest, field(a.request, "Host")); ok {
		rest = path
	} else if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		rest = rest[slash:] // the host is written with escapes
	}
	r.setTarget(rest)
	return r
}
