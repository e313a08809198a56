package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/submit"
)

// Login provides logins for servers from the file ~/.netrc. If the file contains no login, it
// prompts at the terminal, once for each server. The method Ask may be called concurrently.
type Login struct {
	a       *base.App
	warned  bool        // the note that other users can read the netrc file has been written
	silent  bool        // never prompts
	suspend SuspendFunc // called around a prompt; may be nil
	mu      sync.Mutex  // permits only one prompt at a time
	answers map[server]scheme.Credentials
}

type server struct {
	scheme, host string
	port         uint16
	user, realm  string
}

// NewLogin returns a Login that prompts at the terminal of the App.
func NewLogin(a *base.App) *Login { return &Login{a: a, answers: map[server]scheme.Credentials{}} }

// maxAttempts is the number of rejected logins after which Login stops prompting.
const maxAttempts = 3

// Ask is an [access.AskFunc]. It returns false if there is no login that the client can try.
func (l *Login) Ask(ctx context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := server{q.URL.Scheme(), strings.ToLower(q.URL.Host()), l.port(q.URL), q.User, q.Realm}
	if q.Attempt == 0 {
		if c, ok := l.answers[key]; ok {
			return c, true, nil
		}
		c, ok, err := l.fromNetrc(q)
		if ok || err != nil {
			return c, ok, err
		}
	}
	if q.Attempt >= maxAttempts || !l.a.ErrTTY || l.silent {
		return scheme.Credentials{}, false, nil
	}
	c, ok, err := l.prompt(ctx, q)
	if ok && err == nil {
		l.answers[key] = c
	}
	return c, ok, err
}

// fromNetrc looks up the login in the file that the variable NETRC names, or in ~/.netrc.
func (l *Login) fromNetrc(q scheme.Question) (c scheme.Credentials, ok bool, err error) {
	name := l.a.Getenv("NETRC")
	if name == "" {
		home := l.a.Getenv("HOME")
		if home == "" {
			return c, false, nil
		}
		name = filepath.Join(home, ".netrc")
	}
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, false, nil
	case err != nil:
		return c, false, fmt.Errorf("netrc: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return c, false, fmt.Errorf("netrc: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		if !l.warned {
			l.a.PrintError(fmt.Sprintf("netrc: ignored %s, because other users can read or change it; run chmod 600 %[1]s", name))
		}
		l.warned = true
		return c, false, nil
	}
	c, ok, err = findNetrc(f, l.wanted(q))
	if err != nil {
		err = fmt.Errorf("netrc: %s: %w", name, err)
	}
	return c, ok, err
}

// wanted describes the login to find in a netrc file.
type wanted struct {
	host, user string
	port       uint16 // 0 if unknown
	exact      bool   // only an entry with the same port matches
}

// wanted returns the description of the login to find. If the user typed the URL, a netrc entry
// without a port matches any port. After a redirect to the same host, such an entry matches only
// the port before the redirect. After a redirect to another host, such an entry matches only the
// default port of the scheme.
func (l *Login) wanted(q scheme.Question) wanted {
	w := wanted{host: q.URL.Host(), user: q.User, port: l.port(q.URL)}
	if !q.From.IsZero() {
		usual := l.port(q.From)
		if !strings.EqualFold(q.From.Host(), w.host) {
			usual = l.ownPort(q.URL)
		}
		w.exact = w.port != usual
	}
	return w
}

// port returns the port of u, or 0 if the port is unknown.
func (l *Login) port(u locus.URL) uint16 {
	if n, ok := u.Port(); ok {
		return n
	}
	return l.ownPort(u)
}

// ownPort returns the default port for the scheme of u, or 0 if there is no default port.
func (l *Login) ownPort(u locus.URL) uint16 {
	if l.a.Registry == nil {
		return 0
	}
	s, _ := l.a.Registry.Lookup(u.Scheme())
	return s.Port
}

// findNetrc returns the first login in a netrc file that matches w, or else the login of "default".
// An entry can name a port after the machine name ("host:port") or after the word "port".
func findNetrc(r io.Reader, w wanted) (c scheme.Credentials, ok bool, err error) {
	var entry scheme.Credentials
	fits := false // the entry matches the host
	port := ""    // port in the entry; an empty text matches any port
	full := func() bool {
		here := port == strconv.Itoa(int(w.port)) || port == "" && !w.exact
		return fits && here && entry.Password != "" && (w.user == "" || entry.User == w.user)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxNetrc))
	if err != nil {
		return c, false, err
	}
	words := netrcWords{rest: string(text)}
	for {
		word, more := words.next()
		if !more || word == "machine" || word == "default" {
			if full() {
				return entry, true, nil
			}
			entry, fits, port = scheme.Credentials{}, word == "default", ""
		}
		if !more {
			return c, false, words.err
		}
		switch word {
		case "macdef":
			words.skipMacro()
		case "machine":
			word, _ = words.next()
			fits = strings.EqualFold(word, w.host)
			if n := len(w.host); !fits && len(word) > n+1 && word[n] == ':' && strings.EqualFold(word[:n], w.host) {
				fits, port = true, word[n+1:]
			}
		case "port":
			port, _ = words.next()
		case "login":
			entry.User, _ = words.next()
		case "password":
			entry.Password, _ = words.next()
		case "account":
			words.next()
		}
	}
}

const maxNetrc = 1 << 20

// netrcWords reads the words in a netrc file. Spaces and newlines separate words. A word may be
// quoted, with "\" before each literal quote or backslash. A "#" before a word starts a comment.
type netrcWords struct {
	rest string
	err  error // error that ended the reader early
}

const netrcBlanks = " \t\r\n"

// next returns the next word. At the end of the file, it returns false.
func (w *netrcWords) next() (word string, ok bool) {
	w.rest = strings.TrimLeft(w.rest, netrcBlanks)
	for strings.HasPrefix(w.rest, "#") {
		_, w.rest, _ = strings.Cut(w.rest, "\n")
		w.rest = strings.TrimLeft(w.rest, netrcBlanks)
	}
	quoted, ok := strings.CutPrefix(w.rest, `"`)
	if !ok {
		end := strings.IndexAny(w.rest, netrcBlanks)
		if end < 0 {
			end = len(w.rest)
		}
		word, w.rest = w.rest[:end], w.rest[end:]
		return word, word != ""
	}
	var b strings.Builder
	for i := 0; i < len(quoted); i++ {
		switch quoted[i] {
		case '"':
			w.rest = quoted[i+1:]
			return b.String(), true
		case '\\':
			if i++; i == len(quoted) {
				continue
			}
		}
		b.WriteByte(quoted[i])
	}
	w.rest, w.err = "", errors.New("missing closing quotation mark")
	return "", false
}

// skipMacro skips a macro, which ends at an empty line.
func (w *netrcWords) skipMacro() {
	_, w.rest, _ = strings.Cut(w.rest, "\n")
	for line := "macro"; w.rest != "" && line != ""; line = strings.TrimRight(line, "\r") {
		line, w.rest, _ = strings.Cut(w.rest, "\n")
	}
}

// prompt prompts for a login at the terminal. It does not show the typed password.
func (l *Login) prompt(ctx context.Context, q scheme.Question) (c scheme.Credentials, ok bool, err error) {
	if l.suspend != nil {
		question, resume := l.suspend(ctx)
		defer resume()
		ctx = question
	}
	tty, err := l.a.Terminal()
	if err != nil {
		return c, false, nil
	}
	defer tty.Close()
	fmt.Fprint(tty, loginQuestion(q))
	c.User = q.User
	if c.User == "" {
		if c.User, err = tty.ReadLine(ctx, "User: "); err != nil {
			return c, false, err
		}
	}
	c.Password, err = tty.ReadSecret(ctx, fmt.Sprintf("Password of %s: ", term.Text(c.User)))
	return c, err == nil, err
}

func loginQuestion(q scheme.Question) string {
	host := q.URL.Host()
	if port, ok := q.URL.PortText(); ok {
		host += ":" + port
	}
	text := fmt.Sprintf("%s://%s requires a login", q.URL.Scheme(), host)
	if q.Realm != "" {
		text += fmt.Sprintf(" for %q", term.Text(q.Realm))
	}
	if q.Attempt > 0 {
		text = "The login was rejected. " + text
	}
	return text + ".\n"
}

// AskRelay is like Ask, but for the server that sends mail. It is a [submit.AskFunc].
func (l *Login) AskRelay(ctx context.Context, r submit.Relay, attempt int) (submit.Credentials, bool, error) {
	user := r.User
	r.User = ""
	u, err := locus.Parse(r.String())
	if err != nil {
		return submit.Credentials{}, false, err
	}
	c, ok, err := l.Ask(ctx, scheme.Question{URL: u, User: user, Attempt: attempt})
	return submit.Credentials{User: c.User, Password: c.Password}, ok, err
}
