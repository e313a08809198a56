package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/secrettest"
)

// secretServer starts a server that sends an error before any request, so that the client of any
// protocol stops.
func secretServer(t *testing.T) (host string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	t.Cleanup(func() { l.Close(); served.Wait() })
	served.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.0 404 no\r\nContent-Length: 0\r\n\r\n")
			c.(*net.TCPConn).CloseWrite()
			served.Go(func() {
				io.Copy(io.Discard, c)
				c.Close()
			})
		}
	})
	return l.Addr().String()
}

// checkNoSecret looks for the password in the output of a run, and in the files below a
// directory.
func checkNoSecret(t *testing.T, what string, texts []string, dir string) {
	t.Helper()
	for _, text := range texts {
		if i := strings.Index(strings.ToLower(text), strings.ToLower(secrettest.Half)); i >= 0 {
			t.Errorf("%s shows the password: %s", what, text[max(0, i-200):min(len(text), i+60)])
		}
	}
	if dir == "" {
		return
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.Contains(d.Name(), secrettest.Half) {
			t.Errorf("%s makes a file of the name %s", what, path)
		}
		if d.Type().IsRegular() {
			octets, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if bytes.Contains(octets, []byte(secrettest.Half)) {
				t.Errorf("%s writes the password to %s", what, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// If a user mistypes a URL with a password, no subcommand writes the password to a file.
// Subcommands show the password only if their result is the text of the URL.
func TestNoSubcommandShowsPasswords(t *testing.T) {
	host := secretServer(t)
	// These subcommands write the text of the URL to standard output. All other subcommands
	// show URLs only in reports and errors.
	asked := map[string]bool{"parse": true, "canonical": true, "resolve": true}
	dir := t.TempDir()
	t.Chdir(dir)
	env := map[string]string{"HOME": dir, "XDG_CACHE_HOME": dir, "XDG_STATE_HOME": dir}
	lines := []string{
		"check", "check --json", "check --rules rfc1630", "parse", "parse --json", "canonical", "canonical --json", "canonical --unique",
		"compare http://h/", "compare --json http://h/", "compare --rules all TEXT ftp://h/x", "compare --rules all --json TEXT ftp://v@h/", "compare --base http://h/ --rules whatwg TEXT /", "compare TEXT TEXT#x", "resolve http://h/", "resolve TEXT ../x", "resolve --json TEXT //h/", "resolve --between TEXT http://h/", "resolve --json http://h/", "resolve --between http://h/", "resolve --rules rfc1630 http://h/x",
		"get", "get --json", "get -v", "get -O", "get -O --json", "get -C -O", "get --view text/plain -v", "get --part 1", "get --items 1-2", "get --raw", "get -v --like",
		"open", "open -v", "verify --retry 0 --rate 0", "verify --retry 0 --rate 0 --log-format json", "mirror --retry 0 --rate 0 --max-files 1 --log-format text -d .",
		"verify --retry 0 --rate 0 --write-baseline --baseline b.json", "verify --retry 0 --rate 0 --suggest --context", "",
		"index", "gateway --listen", "get --timeout", "get --config", "verify --exclude", "verify --include", "verify --root", "resolve", "parse --rules",
		"get --nosuchflag", "mirror --retry 0 --rate 0 --max-files 1 -d .", "mirror --json --retry 0 --rate 0 --max-files 1 -d .", "mirror --exclude", "lens --without programs", "lens --json --without programs", "lens --guard",
		"browse", "browse --config", "config", "config --json", "extract --json", "gateway --check-config --deny", "gateway --check-config --allow", "get --header", "get --gateway", "get --from", "verify --remap", "verify --base-url", "canonical --base", "check --base TEXT x", "canonical --surt", "canonical --wrap",
		"open --unsafe-terminal --safe", "mail", "schemes", "tour --scheme", "extract", "help",
	}
	for _, format := range verifyFormats(t) {
		lines = append(lines, "verify --no-cache --retry 0 --rate 0 --all --format "+format)
	}
	for i, line := range lines {
		args := strings.Fields(line)
		for j, text := range secrettest.URLs(secrettest.Password, host) {
			var out, errOut bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			a := base.New(ctx, strings.NewReader(""), &out, &errOut, func(name string) string { return env[name] })
			a.OutTTY, a.ErrTTY = (i+j)%2 == 0, false
			all := append([]string{}, args...)
			switch {
			case strings.Contains(line, "TEXT"):
				for k, arg := range all {
					all[k] = strings.ReplaceAll(arg, "TEXT", text)
				}
			case len(args) > 0 && strings.HasPrefix(args[len(args)-1], "--nosuch"):
				all[len(all)-1] += "=" + text
			default:
				all = append(all, text)
			}
			commands.Run(a, append(all, "--allow-private", "--quiet=false", "--timeout", "10s"))
			if ctx.Err() != nil {
				t.Errorf("%v does not end", all)
			}
			cancel()
			texts := []string{errOut.String()}
			if len(args) == 0 || !asked[args[0]] {
				texts = append(texts, out.String())
			}
			checkNoSecret(t, strings.Join(all, " "), texts, dir)
			// Empty the directory for the next run.
			names, err := filepath.Glob(filepath.Join(dir, "*"))
			hidden, _ := filepath.Glob(filepath.Join(dir, ".*"))
			for _, name := range append(names, hidden...) {
				err = errors.Join(err, os.RemoveAll(name))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// verifyFormats returns the output formats that the shell completion of "locus verify" lists.
func verifyFormats(t *testing.T) (names []string) {
	t.Helper()
	var out, errOut bytes.Buffer
	a := base.New(t.Context(), strings.NewReader(""), &out, &errOut, func(string) string { return "" })
	if status := commands.Run(a, []string{"__complete", "verify", "--format", ""}); status != base.StatusDone {
		t.Fatalf("status %d: %s", status, errOut.String())
	}
	for line := range strings.Lines(out.String()) {
		if name := strings.TrimSpace(line); !strings.HasPrefix(name, ":") {
			names = append(names, name)
		}
	}
	if !slices.Contains(names, "text") || !slices.Contains(names, "json") {
		t.Fatalf("the completion of --format lists %q", names)
	}
	return names
}

// No error about the environment, the configuration or a document shows a password.
func TestNoSettingShowsPasswords(t *testing.T) {
	host := secretServer(t)
	formats, texts := verifyFormats(t), secrettest.URLs(secrettest.Password, host)
	if len(texts) < len(formats) {
		t.Fatalf("%d texts for %d formats", len(texts), len(formats))
	}
	for i, text := range texts {
		dir := t.TempDir()
		t.Chdir(dir)
		if err := os.Mkdir("home", 0o700); err != nil {
			t.Fatal(err)
		}
		checkRun := func(what string, env map[string]string, args ...string) {
			t.Helper()
			env["HOME"] = filepath.Join(dir, "home")
			var out, errOut bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			a := base.New(ctx, strings.NewReader(text+"\n"), &out, &errOut, func(name string) string { return env[name] })
			commands.Run(a, args)
			if ctx.Err() != nil {
				t.Errorf("%s, %v does not end", what, args)
			}
			checkNoSecret(t, what+" "+text+": "+strings.Join(args, " "), []string{out.String(), errOut.String()}, filepath.Join(dir, "home"))
		}
		for _, name := range []string{
			"http_proxy", "ftp_proxy", "no_proxy", "all_proxy", "NNTPSERVER", "LOCUS_GATEWAYS_FTP", "LOCUS_GATEWAYS_ALL", "LOCUS_GATEWAYS_EXCEPT", "LOCUS_NEWS_SERVER",
			"LOCUS_TIMEOUT", "LOCUS_POLICY_ALLOW_PORTS", "LOCUS_POLICY_MAX_SIZE", "LOCUS_GATEWAY_LISTEN", "LOCUS_MAILTO_RELAY", "LOCUS_TN3270_CODE_PAGE", "LOCUS_CONFIG",
		} {
			checkRun(name, map[string]string{name: text}, "get", "--timeout", "10s", "--allow-private", "http://"+host+"/", "news:x@y")
		}
		quoted := strconv.Quote(text)
		for _, config := range []string{
			"timeout = " + quoted, quoted + " = 1", "x = " + quoted, "[gateways]\nftp = " + quoted, "[gateways]\n" + quoted + " = \"direct\"", "[gateway]\nlisten = " + quoted,
			"[news]\nserver = " + quoted, "[policy]\nallow_ports = [" + quoted + "]", "[policy]\nmax_size = " + quoted, "timeout = " + text, text,
		} {
			if err := os.WriteFile("config.toml", []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			checkRun(config, map[string]string{}, "get", "--timeout", "10s", "--config", "config.toml", "--allow-private", "http://"+host+"/")
		}
		// Texts in documents and on standard input.
		for k, document := range []struct{ name, content string }{
			{"a.html", `<a href="` + text + `">x</a><a href="/x?` + text + `">`},
			{"a.md", "[x](" + text + ") see <" + text + ">\n\n    " + text},
			{"a.txt", text + " " + text},
			{"a.eml", "From: a@b\nSubject: " + text + "\n\n" + text},
		} {
			if err := os.WriteFile(document.name, []byte(document.content), 0o600); err != nil {
				t.Fatal(err)
			}
			// Each document is combined with a different format. Over all texts, each
			// format is combined with each document.
			format := formats[(i+k)%len(formats)]
			checkRun(document.content, map[string]string{}, "verify", "--timeout", "10s", "--allow-private", "--rate", "0", "--retry", "0", "--all", "--context", "--baseline", "home/b.json", "--write-baseline", "--format", format, document.name)
		}
		for _, line := range []string{"check -", "check --json -", "get -", "get --json -"} {
			checkRun("standard input", map[string]string{}, append(strings.Fields(line), "--allow-private", "--timeout", "10s")...)
		}
	}
}
