package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// run runs the command and returns its status and output.
func run(t *testing.T, args ...string) (status int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	status = runArgs(base.New(context.Background(), strings.NewReader(""), &o, &e, clitest.NoEnv), args)
	return status, o.String(), e.String()
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.md")
	if err := os.WriteFile(name, []byte("# Title\n[here](#title) [no](#none) [gone](gone.md)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(dir, "store")
	status, out, errOut := run(t, "verify", "--store", store, "--json", name)
	if status != base.StatusNo || strings.Count(out, "\n") != 3 || strings.Count(out, `"verdict":"alive"`) != 1 || strings.Count(out, `"verdict":"fragment"`) != 1 || strings.Count(out, `"verdict":"dead"`) != 1 || errOut != "" {
		t.Errorf("status %d\n%s%s", status, out, errOut)
	}
	// The log contains a record for each request.
	web := filepath.Join(dir, "web.md")
	if err := os.WriteFile(web, []byte("http://user:s3cret@127.0.0.1:25/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errOut = run(t, "verify", "--store", store, "--allow-private", "--log-format", "json", web)
	if status != base.StatusDenied || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, `"url":"http://user:***@127.0.0.1:25/"`) || !strings.Contains(errOut, `"rule":"port"`) || strings.Contains(errOut, "s3cret") {
		t.Errorf("status %d\n%s%s", status, out, errOut)
	}
	// A complete run deletes its frontier.
	if left, err := filepath.Glob(filepath.Join(store, "jetstream", "*", "streams", "*")); err != nil || len(left) > 0 {
		t.Errorf("%q %v", left, err)
	}
}

func TestSubmitAndResults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(name, []byte("http://waits.example/ <file:///none/at/all>"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := "--store=" + filepath.Join(dir, "store")
	if status, out, errOut := run(t, "submit", store, "--quiet", "--include-reserved", name); status != base.StatusDone {
		t.Fatalf("status %d\n%s%s", status, out, errOut)
	}
	status, out, errOut := run(t, "results", store)
	if status != base.StatusDone || strings.Count(out, `"verdict":"unknown"`) != 1 || strings.Count(out, `"verdict":"dead"`) != 1 {
		t.Errorf("status %d\n%s%s", status, out, errOut)
	}
	status, out, _ = run(t, "status", store, "--json")
	if status != base.StatusDone || !strings.Contains(out, `"targets":1,"verdicts":0`) {
		t.Errorf("status %d\n%s", status, out)
	}
	if status, _, errOut := run(t, "drain", store); status != base.StatusDone {
		t.Errorf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "worker", store); status != base.StatusDone || errOut != "locus: the frontier default is drained, so this worker stops: run \"locus-fleet resume\" before starting new workers\n" {
		t.Errorf("a drained worker: status %d\n%s", status, errOut)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"verify"}, {"verify", "--max-age", "1h", "."}, {"worker", "x"}, {"status", "--frontier", "a.b", "--store", t.TempDir()},
		{"worker", "--every", "3x"}, {"worker", "--partitions", "99999", "--store", t.TempDir()}, {"status", "--nats", "nats://h", "--tls-cert", "x"},
	} {
		if status, out, errOut := run(t, args...); status == base.StatusDone || out != "" || !strings.HasPrefix(errOut, "locus: ") {
			t.Errorf("%q: status %d\n%s%s", args, status, out, errOut)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		status, out, errOut := run(t, arg)
		if !strings.HasPrefix(out, "locus-fleet version ") || !strings.Contains(out, ", "+runtime.Version()+", ") || status != base.StatusDone || errOut != "" {
			t.Errorf("%s: status %d\n%s%s", arg, status, out, errOut)
		}
	}
}

// TestHeldLimits checks that subcommands such as status create no frontier, and list the existing
// frontiers. The request limits of an existing frontier must apply to all workers and submitters.
func TestHeldLimits(t *testing.T) {
	t.Parallel()
	store := "--store=" + t.TempDir()
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("<file:///none/at/all>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, errOut := run(t, "create", store, "--frontier", "docs"); status != base.StatusDone {
		t.Fatalf("status %d\n%s", status, errOut)
	}
	// The command reports the limits of an existing frontier only to users that set limit flags.
	if status, _, errOut := run(t, "create", store, "--frontier", "slow", "--interval", "9s", "--retry", "0"); status != base.StatusDone {
		t.Fatalf("status %d\n%s", status, errOut)
	}
	for _, args := range [][]string{{"verify", "--frontier", "slow"}, {"submit", "--frontier", "slow", "--quiet=false"}} {
		if _, _, errOut := run(t, append(args, store, file)...); strings.Contains(errOut, "its request limits apply") {
			t.Errorf("%q: %s", args, errOut)
		}
	}
	for flag, told := range map[string]bool{"--all": false, "--per-host=9": true, "--rate=0": true, "--retry=0": true, "--depth=1": true, "--no-fragments": true} {
		status, _, errOut := run(t, "verify", store, "--frontier", "docs", flag, file)
		if status != base.StatusNo || strings.Contains(errOut, "its request limits apply") != told {
			t.Errorf("%s: status %d\n%s", flag, status, errOut)
		}
	}
}

func TestNoFrontier(t *testing.T) {
	t.Parallel()
	store := "--store=" + t.TempDir()
	for _, name := range []string{"status", "results", "changes", "pause", "resume", "drain", "ui"} {
		status, out, errOut := run(t, name, store, "--frontier", "docs")
		if status != base.StatusAccess || out != "" || !strings.Contains(errOut, `no frontier "docs"; no frontier exists yet`) {
			t.Errorf("%s: status %d\n%s%s", name, status, out, errOut)
		}
	}
	if status, _, errOut := run(t, "create", store, "--frontier", "docs", "--every", "30d"); status != base.StatusDone {
		t.Fatalf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "create", store, "--frontier", "docs", "--every", "7d"); status != base.StatusDone || !strings.Contains(errOut, "--every stays 720h0m0s") {
		t.Errorf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "status", store); status != base.StatusAccess || !strings.Contains(errOut, "choose one of docs") {
		t.Errorf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "delete", store, "docs"); status != base.StatusDone {
		t.Errorf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "status", store, "--frontier", "docs"); status != base.StatusAccess || !strings.Contains(errOut, "no frontier exists yet") {
		t.Errorf("status %d\n%s", status, errOut)
	}
}

// TestErrors checks that errors set the right exit status, advise the user, and contain no
// password.
func TestErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, "status", "--nats", "nats://u:secret@127.0.0.1:1,nats://127.0.0.1:1").awaitWaitNote(t, `no NATS server responds at "nats://127.0.0.1:1, nats://127.0.0.1:1": check`)
	start(t, "verify", "--nats", "nats://127.0.0.1:1", file).awaitWaitNote(t, "no NATS server responds at")
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{base.StatusUsage, "--warc is not used here", []string{"verify", "--warc", "x", file}},
		{base.StatusUsage, "--format is not used here", []string{"submit", "--format", "junit", file}},
		{base.StatusUsage, `--timeout has no effect on workers: write it after "locus-fleet worker"`, []string{"submit", "--timeout", "3", file}},
		{base.StatusUsage, `--header has no effect on workers: write it after "locus-fleet worker"`, []string{"submit", "--header", "X-A: b", file}},
		{base.StatusUsage, `--accept has no effect on workers: "locus-fleet verify" applies it`, []string{"submit", "--accept", "500,410", file}},
		{base.StatusUsage, `--method has no effect on workers: "locus-fleet verify" applies it`, []string{"submit", "--method", "get", file}},
		{base.StatusUsage, `--max-wait has no effect on workers: "locus-fleet verify" applies it`, []string{"submit", "--max-wait", "10m", file}},
		{base.StatusUsage, "give the name of one frontier", []string{"retry"}},
		{base.StatusUsage, "--creds", []string{"status", "--nats", "nats://127.0.0.1:1", "--creds", "/none"}},
		{base.StatusUsage, "--parallel must be 1", []string{"worker", "--parallel", "0"}},
		{base.StatusUsage, "write 30d, 12h or 45m", []string{"create", "--every", "1x"}},
	} {
		status, out, errOut := run(t, c.args...)
		if status != c.status || out != "" || !strings.Contains(errOut, c.want) || strings.Contains(errOut, "secret") {
			t.Errorf("%q: status %d\n%s%s", c.args, status, out, errOut)
		}
	}
}

// TestServe checks that pages have a content security policy and respond only at their own address.
func TestServe(t *testing.T) {
	c := &command{a: base.New(context.Background(), strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer), clitest.NoEnv)}
	page := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.Write([]byte("page")) })
	var errOut bytes.Buffer
	c.a.ErrOut = &errOut
	end, err := c.serve(t.Context(), "--listen", ":0", page, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(errOut.String())
	for host, want := range map[string]int{"": 200, "localhost:80": 200, "127.0.0.1": 200, "evil.example": 421, "evil.example:9101": 421, "10.0.0.1": 421} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want || !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", host, resp.StatusCode, resp.Header)
		}
	}
	if _, err := c.serve(t.Context(), "--listen", "nowhere", page, nil); err == nil {
		t.Error("it listens nowhere")
	}
}

// TestHostileStream checks that the terminal receives no control characters from stored data, and
// that the page shows stored data as text.
func TestHostileStream(t *testing.T) {
	t.Parallel()
	s, url := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir(), MaxPayload: 8 << 20})
	if status, _, errOut := run(t, "create", "--nats", url); status != base.StatusDone {
		t.Fatal(errOut)
	}
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	const evil = "\x1b[2J\u009b\u202e<script>alert(1)</script>"
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	flood := nats.Header{}
	for i := range 3_000 {
		flood.Add(fmt.Sprint("X-", i), "x")
	}
	for subject, text := range map[string]string{
		"locus.default.changes.a":             fmt.Sprintf(`{"url":%s,"change":%[1]s,"before":"alive","now":"dead","detail":%[1]s,"to":%[1]s}`, quoted),
		"locus.default.changes.b":             `{"url":` + strings.Repeat("[", 500_000),
		"locus.default.changes.c":             "\xff\x00",
		"locus.default.changes.d":             "{\"url\":\"http://x.example/\xff\u009b\"}",
		"locus.default.links.a.0":             fmt.Sprintf(`{"d":%s,"e":%[1]s}`, quoted),
		"locus.default.links.b.0":             strings.Repeat("[", 1_000_000),
		"$KV.locus-default-workers.w-a":       evil,
		"$KV.locus-default-workers.count.a":   fmt.Sprintf(`{"verdicts":{%s:2},"held":-1,"busiest":[{"name":%[1]s,"waiting":-9}]}`, quoted),
		"$KV.locus-default-workers.w-\u009b<": `{"held":7}`,
		"$KV.locus-default-workers.x.y.z":     `{"held":8}`,
		"$KV.locus-default-settings.mode":     evil,
	} {
		if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: subject, Data: []byte(text), Header: flood}); err != nil {
			t.Error(subject, err)
		}
	}
	// Streams reject messages of 8 MB.
	if _, err := js.Publish(t.Context(), "locus.default.changes.e", make([]byte, 7<<20)); err == nil {
		t.Error("a message of 7 MB is stored")
	}
	for _, c := range []struct {
		status int
		lines  int
		want   string
		args   []string
	}{
		{base.StatusDone, 2, `\u001b[2J\u009b\u202e`, []string{"changes"}},
		{base.StatusDone, 2, `the links of a document are damaged`, []string{"results"}},
		{base.StatusDone, 1, `\u001b[2J\u009b\u202e`, []string{"status", "--json"}},
		{base.StatusDone, 8, "(run)", []string{"status"}},
	} {
		status, out, errOut := run(t, append(c.args, "--nats", url)...)
		if status != c.status || strings.Count(out, "\n") != c.lines || !strings.Contains(out, c.want) || strings.ContainsAny(out+errOut, "\x1b\u009b\u202e") || !utf8.ValidString(out+errOut) {
			t.Errorf("%q: status %d\n%q\n%q", c.args, status, out, errOut)
		}
	}
	ui := start(t, "ui", "--listen", "127.0.0.1:0", "--nats", url)
	if status, text := getPage(t, ui.servedURL(t)); status != 200 || strings.Contains(text, "<script") || strings.Count(text, "&lt;script&gt;") != 2 {
		t.Errorf("%d\n%s", status, text)
	}
	ui.interrupt()
	ui.awaitEnd(t, base.StatusInterrupted)
}

// TestBareInput checks that the command verifies a file or URL without a subcommand.
func TestBareInput(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.md")
	if err := os.WriteFile(name, []byte("[gone](gone.md)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, errOut := run(t, name, "--store", filepath.Join(dir, "store"), "--json"); status != base.StatusNo || strings.Count(out, `"verdict":"dead"`) != 1 || errOut != "" {
		t.Errorf("status %d\n%s%s", status, out, errOut)
	}
	if status, _, errOut := run(t, "nosuch"); status != base.StatusUsage || !strings.Contains(errOut, `unknown subcommand "nosuch"`) {
		t.Errorf("status %d\n%s", status, errOut)
	}
}
