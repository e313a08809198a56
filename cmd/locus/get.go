package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/transfer"
)

// getter is one run of "locus get".
type getter struct {
	a      *app
	client *access.Client

	output         string // -o
	remoteName     bool   // -O
	dir            string // -d
	resume         bool
	overwrite      bool
	parallel       int
	perHost        int
	retry          int
	view, language string
	selection
	script
	terminal    screenFlags
	raw         bool
	noFollow    bool
	verbose     bool
	cwd, ssl    string
	active      bool
	literalTabs bool
	answer      []string // --answer, each
	answersFile string   // --answers
	answers     *answers // of both; nil: none

	notes []string // for people, when the resource has been shown
}

const getLong = `Get dereferences each URL and writes what it finds.

An object's octets go to standard output as they are, those of several URLs one
after another; with -o or -O they go to files, several at once. A menu (a
directory, for example) is a list: for people on a terminal, else lines of
title, TAB and URL.

Files. -o replaces the file that it names. -O takes the name that the URL ends
in, made safe, in the current folder or that of -d, and replaces a file only with
--overwrite. What comes is written to NAME.part and renamed when it is whole; the
small NAME.part.json says what the part came from. After an interrupt or a
failure, -C continues the part if the object is still the same and the server can
resume, begins again otherwise, and leaves alone the files that are there already.
While another process fetches the same file, get waits. An object in a content
coding that is not decoded here ("br") is an error; --raw stores it in that coding.
-o does not write through a symbolic link without --overwrite.

On a terminal, text is shown with everything that the terminal could obey made
visible, and what is not text is refused; --raw writes all as it is. --json
writes what is known of an object and its octets only with -o or -O.

A message of mail or news (message/rfc822) is shown on a terminal as people read
it, with its parts listed; --part takes one of them, decoded, also into a file that
has the name the part gives. --json tells of its header and its parts. A newsgroup
is the newest 1000 of its articles, or those of --items; what news URLs are read
from, and where mid URLs find mail, is in "locus help configuration". --in names the
message that a cid URL stands in. A wais search lists its best 40 hits, or those of
--items: newest:200 is the best 200.

A form or a search (gopher) is shown as the list of its questions, unless --answer
or --answers answer it; "locus open" asks for the answers, and "locus help forms"
tells more.

A session (telnet, rlogin, tn3270) is what comes of it when --send, --expect and
--press have been done in their order; "locus help sessions" tells more.

Logins come from the URL, from ~/.netrc, or from you when a server wants one.`

const getExamples = `  locus get file:///etc/
  locus get --json -O -C -d copies file:///etc/hosts file:///etc/passwd`

func newGet(a *app) *cobra.Command {
	g := &getter{a: a}
	cmd := &cobra.Command{
		Use:     "get URL...",
		Short:   "Dereference URLs of any scheme",
		Long:    getLong,
		Example: getExamples,
		Args:    urls,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := g.settle(cmd, args); err != nil {
				return err
			}
			return g.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&g.output, "output", "o", "", "write the one object to `FILE`; \"-\" is standard output")
	f.BoolVarP(&g.remoteName, "remote-name", "O", false, "write each object to the name its URL ends in")
	f.StringVarP(&g.dir, "dir", "d", "", "write files below `DIR`, which is made if need be")
	f.BoolVarP(&g.resume, "continue", "C", false, "continue what an earlier get left, if the server can")
	f.BoolVar(&g.overwrite, "overwrite", false, "with -O, replace files that are there; with -o, follow a symbolic link")
	f.IntVar(&g.parallel, "parallel", 0, "get `N` files at once (default 8)")
	f.IntVar(&g.perHost, "per-host", 0, "get `N` files from one host at once (default 2)")
	f.IntVar(&g.retry, "retry", 0, "try `N` times more after a failure that may pass, going on where it stopped")
	f.StringArrayVar(&g.answer, "answer", nil, "answer a question of a form, by its number or prompt: `FIELD=TEXT` (may be given again)")
	f.StringVar(&g.answersFile, "answers", "", "answer a form by the JSON of `FILE`; \"-\" is standard input")
	g.addPreferences(f)
	g.selection.addFlags(f)
	g.script.addFlags(f)
	g.terminal.addFlags(f)
	f.BoolVar(&g.raw, "raw", false, "write octets as they are stored, also to a terminal")
	f.BoolVar(&g.noFollow, "no-follow", false, "show where a redirect or referral leads instead of going there")
	f.StringVar(&g.cwd, "cwd", "", "ftp: walk a path as `MODE` says: \"multi\" (RFC 1738, the default), \"single\" or \"none\"")
	f.BoolVar(&g.active, "active", false, "ftp: let the server connect for data")
	f.BoolVar(&g.literalTabs, "literal-tabs", false, "gopher: send two TABs before a Gopher+ string (RFC 1738 3.4.3)")
	f.StringVar(&g.ssl, "ssl", "", "ftp: ask for TLS before the login: `MODE` \"try\" goes on without it, \"require\" does not")
	g.addVerbose(f)
	return cmd
}

func (g *getter) addVerbose(f *pflag.FlagSet) {
	f.BoolVarP(&g.verbose, "verbose", "v", false, "show what is sent and received, without passwords")
}

// addPreferences adds the flags that choose among what a server offers.
func (g *getter) addPreferences(f *pflag.FlagSet) {
	f.StringVar(&g.view, "view", "", "which media `TYPES` to get, where there is a choice (Gopher+, HTTP, WAIS): \"text/plain, text/*;q=0.5\"")
	f.StringVar(&g.language, "language", "", "which `LANGUAGES` to get, where there is a choice: \"es, en;q=0.5\"")
}

// checkPreferences makes sure that they can be understood.
func (g *getter) checkPreferences() error {
	for _, flag := range [...]struct{ name, value string }{{"view", g.view}, {"language", g.language}} {
		if _, err := scheme.ParsePreference(flag.value); err != nil {
			return usageError("%w", about("--"+flag.name, err))
		}
	}
	return nil
}

// settle makes sure that the flags go together, and fills in those that the
// configuration has.
func (g *getter) settle(cmd *cobra.Command, args []string) error {
	set := cmd.Flags().Changed
	files := g.remoteName || set("output") && g.output != "-"
	switch {
	case set("output") && g.output == "":
		return usageError("-o needs the name of a file")
	case set("output") && g.remoteName:
		return usageError("-o and -O don't go together")
	case set("output") && len(args) > 1:
		return errOneObject
	case !files && (g.resume || g.overwrite || set("dir") || set("retry")):
		return usageError("-C, -d, --overwrite and --retry are about files and go with -o or -O")
	case files && g.noFollow:
		return usageError("--no-follow shows where a URL leads and writes no file")
	case set("output") && g.output == "-" && g.a.flags.json:
		return usageError("standard output can't have the object and --json")
	case g.parallel < 0 || g.perHost < 0 || g.retry < 0:
		return usageError("--parallel, --per-host and --retry can't be negative")
	}
	if err := g.checkPreferences(); err != nil {
		return err
	}
	if err := g.selection.settle(g.a, args); err != nil {
		return err
	}
	if err := g.script.settleFlags(args); err != nil {
		return err
	}
	if err := g.terminal.settle(cmd.Flags(), &g.a.config.TN3270); err != nil {
		return err
	}
	var err error
	if g.answers, err = g.a.newAnswers(g.answer, g.answersFile, isStandardInput(args)); err != nil {
		return err
	}
	config := &g.a.config
	if g.parallel == 0 {
		g.parallel = config.Parallel
	}
	if g.perHost == 0 {
		g.perHost = config.PerHost
	}
	if set("active") {
		config.FTP.Active = g.active
	}
	if set("literal-tabs") {
		config.Gopher.LiteralTabs = g.literalTabs
	}
	if set("cwd") {
		if err := config.FTP.CWD.UnmarshalText([]byte(g.cwd)); err != nil {
			return usageError("--cwd: %w", err)
		}
	}
	return nil
}

// run gets the URLs. The error is one of usage; what happens to a URL is told
// as it happens.
func (g *getter) run(ctx context.Context, args []string) error {
	o := clientOptions{raw: g.raw, quiet: g.verbose}
	if g.verbose {
		o.trace, o.via = g.trace, g.traceVia
	}
	if g.answers != nil {
		o.fill = g.answers.fill
		defer func() {
			if !g.answers.asked.Load() {
				g.a.note("no form was met: nothing took the answers")
			}
		}()
	}
	var err error
	if o.tls, err = g.tlsMode(); err != nil {
		return err
	}
	client, closeAll, err := g.a.client(o)
	if err != nil {
		return err
	}
	defer closeAll()
	g.client = client
	switch {
	case g.remoteName:
		return g.toNames(ctx, args)
	case g.output != "" && g.output != "-":
		return g.toFile(ctx, args)
	}
	return g.toStream(ctx, args, g.standardOutput())
}

// tlsMode is what --ssl says.
func (g *getter) tlsMode() (ftp.TLSMode, error) {
	switch g.ssl {
	case "":
		return ftp.TLSOff, nil
	case "try":
		return ftp.TLSTry, nil
	case "require":
		return ftp.TLSRequire, nil
	}
	return 0, usageError("--ssl is \"try\" or \"require\", not %q", g.ssl)
}

// url reads one input. What is no URL is told, and ok false.
func (g *getter) url(input string, err error) (u locus.URL, ok bool) {
	if err == nil {
		u, err = locus.ParseWrapped(input)
	}
	switch {
	case err == nil:
		g.a.noteWrapper(input)
		g.noteUnheeded(u)
		return u, true
	case g.a.flags.json:
		g.failed(locus.Mask(input), err)
	default:
		g.a.refuse(input, err)
	}
	return u, false
}

// heeded are the schemes in which there may be a choice.
var heeded = []string{"gopher", "gophers", "http", "https", "wais"}

// noteUnheeded says which flags, or variables, mean nothing for u.
func (g *getter) noteUnheeded(u locus.URL) {
	if prefers := g.view != "" || g.language != ""; prefers && !slices.Contains(heeded, u.Scheme()) {
		g.a.note("--view and --language choose where there is a choice, as with Gopher+ and HTTP; %s has none", u.Redacted())
	} else if prefers && asksGopherPlus(u) {
		g.a.note("--view and --language don't choose for %s, because its Gopher+ string does: they choose if that is left out", u.Redacted())
	}
	if g.items.given && !g.a.registry.Scheme(u).Traits.Has(scheme.AcceptsItems) {
		g.a.note("--items chooses among the articles of a newsgroup or the hits of a wais search; %s has none", u.Redacted())
	}
	if _, err := g.a.newsServer(); err != nil && slices.Contains(newsSchemes, u.Scheme()) && u.Host() == "" {
		g.a.note("%s", err)
	}
}

// asksGopherPlus reports whether u has a Gopher+ string, as the items have that are on
// menus of Gopher+: it says which view is got, "+" that it is the server's first.
func asksGopherPlus(u locus.URL) bool {
	item, err := gopher.Parse(u)
	if err != nil {
		return false
	}
	plus, _ := item.Plus()
	return plus != ""
}

// later has a note wait until the resource has been shown.
func (g *getter) later(format string, args ...any) {
	g.notes = append(g.notes, fmt.Sprintf(format, args...))
}

// tellNotes tells the notes that waited.
func (g *getter) tellNotes() {
	for _, note := range g.notes {
		g.a.aside()
		g.a.note("%s", note)
	}
	g.notes = nil
}

// trace shows a conversation on standard error.
func (g *getter) trace(locus.URL) scheme.TraceFunc {
	return func(sent bool, line string) {
		if g.a.paging.Load() {
			// The screen is the pager's.
			return
		}
		arrow := "<"
		if sent {
			arrow = ">"
		}
		g.a.verbose(arrow, line)
	}
}

// traceVia shows that a URL goes by way of a gateway.
func (g *getter) traceVia(u locus.URL, gateway access.Gateway) {
	if !g.a.paging.Load() {
		g.a.verbose("*", fmt.Sprintf("%s by way of %s", u.Redacted(), gateway))
	}
}

// verbose shows a line of a conversation, or about it.
func (a *app) verbose(mark, line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(a.errOut, "%s %s\n", mark, term.Safe(locus.MaskText(line)))
}

// failed tells that a URL came to nothing, and raises the status to that of err.
func (g *getter) failed(url string, err error) { g.failedWith(statusOf(kindOf(err)), url, err) }

func (g *getter) failedWith(status int, url string, err error) {
	if g.a.flags.json {
		g.a.raise(status)
		g.a.writeJSON(accessJSON{URL: text(url), Error: newReasonJSON(err)})
		return
	}
	g.a.aside()
	g.a.problem(status, err)
}

// The kinds of failures besides those of access.
const (
	kindFile   access.Kind = "file"   // it has to do with a file here
	kindAnswer access.Kind = "answer" // a form does not take an answer that flags gave
	kindInput  access.Kind = "input"  // the person at the terminal gave no answer
)

func kindOf(err error) access.Kind {
	var wrong *wrongAnswer
	var wrongField *scheme.AnswerError
	switch {
	case errors.As(err, &wrong), errors.As(err, &wrongField):
		return kindAnswer
	case errors.Is(err, errNoAnswer):
		return kindInput
	case errors.Is(err, transfer.ErrFile), errors.Is(err, transfer.ErrExists), errors.Is(err, transfer.ErrForeign),
		errors.Is(err, transfer.ErrName), errors.Is(err, transfer.ErrTwice):
		return kindFile
	case errors.Is(err, transfer.ErrNotObject), errors.Is(err, transfer.ErrCoded):
		return access.Unsupported
	}
	return access.KindOf(err)
}

func statusOf(kind access.Kind) int {
	switch kind {
	case access.Syntax, kindAnswer:
		return statusUsage
	case access.Denied:
		return statusDenied
	case access.Interrupted:
		return statusInterrupted
	}
	return statusAccess
}

// openFolder opens the folder that files go to, and makes it if make is set.
func openFolder(dir string, make bool) (*os.Root, error) {
	if make {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	return os.OpenRoot(dir)
}
