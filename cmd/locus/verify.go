package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/walk"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/verify"
)

// verifying is one run of "locus verify".
type verifying struct {
	a *app
	o verify.Options

	depth            int
	rate             float64
	retry            int
	maxAge           time.Duration
	noCache          bool
	root             string
	rules            string
	baseline         string
	writeBaseline    bool
	suggest          bool
	format           string
	all, strict      bool
	noIgnore, hidden bool

	verifier *verify.Verifier
	report   reporter
	sum      verifySum
	bad      []string // links for the baseline
	seen     map[string]bool
}

const verifyLong = `Find every URL in documents and dereference it, in every scheme: which are dead, and
where the others have moved to. Each argument is a file, a folder, whose files are
read as "locus extract -r" reads them, or a URL: a site, whose pages are read as far
as they are below it. Partial forms are resolved against the document, fragments are
looked for in HTML and Markdown, and of mail addresses the domain is looked up.

Each URL is asked for once, with as little as proves it: HEAD, SIZE, STAT, a menu.
"dead" is what somebody says is not there; what nobody can tell (401, 403, 429, 5xx,
no answer in time) is a "warning", after it was tried again. What the policy does not
allow is "denied", such as an address that is not public, which a document may not
lead to without --allow-private. A site's robots.txt is obeyed.

What was found out is kept, and not asked for again for a day (--max-age; what was
bad, for an hour): a run that was stopped goes on where it was.

Rules are read from the file .locus-verify.toml in this folder or one above it:

  ignore = ["http://localhost*", "https://*.example.net/*"]   # not asked for
  [[accept]]                                                  # good all the same
  url = "https://www.example.com/*"
  status = [403, 999]
  reason = "it wants a browser"

With --write-baseline what is bad now is written to the file of --baseline; later
runs with that file call it "known", and it is no failure.

The status is 1 if there is a dead link, a missing fragment or what is no URL, 3 if a
document can't be read, 4 if the policy denied something.`

func newVerify(a *app) *cobra.Command {
	v := &verifying{a: a, seen: map[string]bool{}}
	cmd := &cobra.Command{
		Use:   "verify FILE|DIR|URL...",
		Short: "Find every URL in documents and dereference it: which are dead",
		Long:  verifyLong,
		Example: `  printf 'Gone: <URL:file:///none/at/all>\n' >dead.txt; locus verify --no-cache dead.txt || true
  printf '# Title\n[here](#title)\n' >a.md; locus verify --all --json a.md`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(`no document given; "." is this folder, and "-" reads names from standard input, one a line`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.IntVar(&v.depth, "depth", -1, "of a site: pages at most `N` links away from the first; 0 is that alone (default any)")
	f.IntVar(&v.o.MaxPages, "max-pages", 10_000, "of a site: at most `N` pages")
	f.BoolVar(&v.o.NoRobots, "no-robots", false, "of a site: go also where robots.txt says that programs should not")
	f.IntVar(&v.o.Parallel, "parallel", 32, "dereference `N` URLs at once")
	f.IntVar(&v.o.PerHost, "per-host", 0, "of them, `N` from one host (default 2)")
	f.Float64Var(&v.rate, "rate", 10, "ask one host at most `N` times a second; 0 is as often as it answers")
	f.IntVar(&v.retry, "retry", 2, "try `N` times more after a failure that may pass")
	f.DurationVar(&v.o.MaxWait, "max-wait", time.Minute, "wait at most `D` when a server asks for time; one that wants more is left alone")
	f.DurationVar(&v.maxAge, "max-age", 24*time.Hour, "take what was found out `D` ago as good; 0 asks for everything anew")
	f.BoolVar(&v.noCache, "no-cache", false, "neither use nor keep what is found out")
	f.BoolVar(&v.o.NoFragments, "no-fragments", false, "leave fragments alone")
	f.StringVar(&v.root, "root", "", "the folder that \"/\" means in the partial forms of files is `DIR`")
	f.StringVar(&v.rules, "rules", "", "read the rules from `FILE`")
	f.StringVar(&v.baseline, "baseline", "", "the links in `FILE` are known to be bad")
	f.BoolVar(&v.writeBaseline, "write-baseline", false, "write what is bad now to the file of --baseline")
	f.BoolVar(&v.suggest, "suggest", false, "look for what is dead in the archive of the configuration (verify.archive)")
	f.StringVar(&v.format, "format", "text", "write `FORMAT`: text, json, junit, markdown or github")
	f.BoolVar(&v.all, "all", false, "show links that are good, too")
	f.BoolVar(&v.strict, "strict", false, "a warning is a failure as well")
	f.BoolVar(&v.o.Document.Context, "context", false, "show the line that a link is on")
	f.BoolVar(&v.noIgnore, "no-ignore", false, "of a folder: read what .gitignore and .ignore leave out")
	f.BoolVar(&v.hidden, "hidden", false, "of a folder: read hidden files")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json", "junit", "markdown", "github"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// verifyPatience is how long a connection, a silence or an answer may take, if nothing
// says so: a checker has more to do than to wait for one server.
const verifyPatience = 20 * time.Second

// longest is more than any run takes, and a time.Duration holds it.
const longest = float64(100 * 365 * 24 * time.Hour)

// prepare makes the options of what was asked for.
func (v *verifying) prepare() error {
	a, o := v.a, &v.o
	switch {
	case o.MaxPages < 1 || o.Parallel < 1 || o.PerHost < 0 || v.retry < 0:
		return usageError("--max-pages and --parallel are at least 1, and --per-host and --retry can't be negative")
	case o.Parallel > verify.MaxParallel:
		return usageError("--parallel is at most %d", verify.MaxParallel)
	case v.rate < 0 || o.MaxWait < 0 || v.maxAge < 0:
		return usageError("--rate, --max-wait and --max-age can't be negative")
	case v.writeBaseline && v.baseline == "":
		return usageError("--write-baseline writes the file that --baseline names")
	case v.suggest && a.config.Verify.Archive == "":
		return usageError("--suggest needs an archive: verify.archive in the configuration names one")
	}
	switch {
	case v.depth < 0:
		o.Depth = 0
	case v.depth == 0:
		o.Depth = verify.FirstPage
	default:
		o.Depth = v.depth
	}
	o.Retry = orLess(v.retry)
	if o.PerHost == 0 {
		o.PerHost = a.config.PerHost
	}
	o.Interval = verify.None
	if v.rate > 0 {
		o.Interval = max(time.Duration(min(float64(time.Second)/v.rate, longest)), 1)
	}
	if o.MaxWait == 0 {
		o.MaxWait = verify.None
	}
	o.MaxAge = v.maxAge
	if v.maxAge == 0 {
		o.MaxAge = verify.None
	}
	if a.flags.timeout == 0 {
		a.flags.timeout = verifyPatience
	}
	o.Timeout = 3 * a.flags.timeout
	o.Document.Unpacked = a.flags.maxSize
	if v.suggest {
		o.Archive = a.config.Verify.Archive.of
	}
	if v.root != "" {
		if info, err := os.Stat(v.root); err != nil {
			return usageError("--root: %w", err)
		} else if !info.IsDir() {
			return usageError("--root: %s is no folder", locus.Quote(v.root))
		}
		u, err := fileURL(v.root, true)
		if err != nil {
			return usageError("--root: %w", err)
		}
		o.Root = u
	}
	if err := v.readRules(); err != nil {
		return err
	}
	if err := v.readBaseline(); err != nil {
		return err
	}
	var err error
	v.report, err = v.newReporter()
	return err
}

// orLess is n, or what says none where 0 says the usual.
func orLess(n int) int {
	if n == 0 {
		return verify.NoRetry
	}
	return n
}

// run verifies what args stand for.
func (v *verifying) run(ctx context.Context, args []string) error {
	if err := v.prepare(); err != nil {
		return err
	}
	a := v.a
	client, closeAll, err := a.client(clientOptions{quiet: true, alone: true})
	if err != nil {
		return err
	}
	defer closeAll()
	if closeStore := v.openStore(); closeStore != nil {
		defer closeStore()
	}
	v.verifier = verify.New(client, &v.o)
	progress := v.startProgress()
	defer progress.Close()
	for r := range v.verifier.Run(ctx, v.sources(ctx, args)) {
		v.take(&r)
		if a.broken() {
			break
		}
	}
	v.report.end()
	progress.Close()
	v.finish(ctx)
	return nil
}

// take counts a result and writes it.
func (v *verifying) take(r *verify.Result) {
	a := v.a
	if r.Err != nil {
		a.raise(statusAccess)
	}
	v.sum.add(r)
	switch {
	case r.IsBad(), v.strict && r.Verdict == verify.Warning && !r.Accepted:
		a.raise(statusNo)
	case r.Verdict == verify.Denied && !r.Accepted:
		a.raise(statusDenied)
	}
	if r.Err == nil && r.Verdict.IsBad() && !r.Accepted {
		if link := r.Key(); !v.seen[link] {
			v.seen[link] = true
			v.bad = append(v.bad, link)
		}
	}
	v.report.result(r)
}

// finish writes what is left to say.
func (v *verifying) finish(ctx context.Context) {
	a := v.a
	if ctx.Err() != nil || a.broken() {
		return
	}
	if v.writeBaseline {
		if err := v.saveBaseline(); err != nil {
			a.problem(statusAccess, err)
		}
		return
	}
	if v.o.Baseline == nil {
		return
	}
	good := 0
	for _, link := range v.o.Baseline.Links() {
		if !v.seen[link] {
			good++
		}
	}
	if good > 0 {
		a.note("%d of the links in %s are no longer bad, or no longer there; --write-baseline leaves them out", good, v.baseline)
	}
}

// readRules reads the file of rules: that of --rules, or the nearest one.
func (v *verifying) readRules() error {
	name := v.rules
	if name == "" {
		name = nearest(".locus-verify.toml")
	}
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return usageError("--rules: %w", err)
	}
	if v.o.Rules, err = verify.ParseRules(string(text)); err != nil {
		return usageError("%s: %w", name, err)
	}
	return nil
}

// nearest returns the path of the file of that name in this folder or the nearest
// one above it; empty: there is none.
func nearest(name string) string {
	dir, err := os.Getwd()
	for err == nil {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return ""
}

func (v *verifying) readBaseline() error {
	if v.baseline == "" {
		return nil
	}
	text, err := os.ReadFile(v.baseline)
	if v.writeBaseline && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return usageError("--baseline: %w", err)
	}
	if v.o.Baseline, err = verify.ParseBaseline(string(text)); err != nil {
		return usageError("%s: %w", v.baseline, err)
	}
	return nil
}

// saveBaseline replaces the file of the baseline, or leaves it as it is.
func (v *verifying) saveBaseline() error {
	f, err := os.CreateTemp(filepath.Dir(v.baseline), filepath.Base(v.baseline)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = verify.WriteBaseline(f, v.bad)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), v.baseline)
}

// openStore opens what earlier runs found out. Without it the run goes on. closeStore
// may be nil.
func (v *verifying) openStore() (closeStore func()) {
	a := v.a
	if v.noCache {
		return nil
	}
	dir := a.ownFolder("XDG_CACHE_HOME", ".cache")
	if dir == "" {
		a.note("no result is kept for the next run, because %s (--no-cache: keep none)", noOwnFolder)
		return nil
	}
	store, err := verify.OpenStore(filepath.Join(dir, "verify.db"))
	if err != nil {
		a.note("nothing is kept of this run: %v", err)
		return nil
	}
	if store.Rebuilt() {
		a.note("what earlier runs had found out was damaged, and is now beside %s", filepath.Join(dir, "verify.db"))
	}
	v.o.Store = store
	return func() {
		if err := store.Close(); err != nil {
			a.note("%v", err)
		}
	}
}

// sources yields the documents that args stand for.
func (v *verifying) sources(ctx context.Context, args []string) iter.Seq[verify.Source] {
	return func(yield func(verify.Source) bool) {
		for arg, err := range v.a.inputs(args) {
			if err != nil {
				v.a.refuse(arg, err)
				continue
			}
			if arg == "" {
				if !isStandardInput(args) {
					v.a.problem(statusUsage, errors.New(`an empty argument is no document; "." is this folder`))
				}
				continue
			}
			if !v.argument(ctx, arg, yield) {
				return
			}
		}
	}
}

// argument yields the documents that one argument stands for.
func (v *verifying) argument(ctx context.Context, arg string, yield func(verify.Source) bool) bool {
	if _, err := os.Lstat(arg); err != nil {
		u, bad := locus.ParseWrapped(arg)
		_, why := v.a.registry.Suggest(u)
		switch {
		case bad == nil && v.a.registry.Known(u):
			v.a.noteWrapper(arg)
			return yield(verify.Source{Name: u.WithoutPassword().Redacted(), URL: u})
		case errors.Is(bad, locus.ErrWindowsPath):
			v.a.problem(statusUsage, v.a.atLine(bad))
		case strings.Contains(arg, "://") || why != "":
			if bad == nil {
				bad = fmt.Errorf("%s: %w %s", locus.Quote(u.Redacted()), scheme.ErrNoScheme, locus.Quote(u.Scheme()))
			}
			if why != "" {
				bad = scheme.Hint(bad, why)
			}
			v.a.problem(statusUsage, v.a.atLine(bad))
		default:
			v.a.problem(statusAccess, v.a.atLine(err))
		}
		return true
	}
	o := &walk.Options{NoIgnore: v.noIgnore, Hidden: v.hidden, Global: walk.GlobalIgnore(v.a.env)}
	for f, err := range walk.Files(ctx, []string{arg}, o) {
		if ctx.Err() != nil {
			return false
		}
		if err == nil {
			err = v.file(f.Path, yield)
		}
		if err == errEnough {
			return false
		}
		if err != nil {
			v.a.problem(statusAccess, err)
		}
	}
	return true
}

var errEnough = errors.New("no more is wanted")

// file yields a file.
func (v *verifying) file(path string, yield func(verify.Source) bool) error {
	u, err := fileURL(path, false)
	if err != nil {
		return err
	}
	open := func(ctx context.Context) (io.ReadCloser, error) { return openDocument(ctx, path) }
	if !yield(verify.Source{Name: filepath.ToSlash(path), URL: u, Open: open}) {
		return errEnough
	}
	return nil
}

// openDocument opens a file. What may not end, as a pipe, ends with ctx.
func openDocument(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := openContext(ctx, path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return struct {
			io.Reader
			io.Closer
		}{contextReader{ctx, f}, f}, nil
	}
	return f, nil
}

// contextReader reads until a context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) { return readContext(c.ctx, c.r, p) }

// fileURL is the URL of a file, or of a folder.
func fileURL(path string, folder bool) (locus.URL, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return locus.URL{}, err
	}
	abs = filepath.ToSlash(abs)
	if runtime.GOOS == "windows" {
		abs = "/" + abs
	}
	text := (&url.URL{Path: abs}).EscapedPath()
	if folder && !strings.HasSuffix(text, "/") {
		text += "/"
	}
	return locus.Parse("file://" + text)
}

// archive is a template of an archive's URLs.
type archive string

// UnmarshalText reads a template, which says where the URL goes.
func (t *archive) UnmarshalText(text []byte) error {
	*t = ""
	if len(text) == 0 {
		return nil
	}
	try := archive(text)
	if !strings.Contains(string(text), "{url}") && !strings.Contains(string(text), "{escaped}") || try.of(locus.MustParse("http://example.com/")).IsZero() {
		return errors.New(`an archive is written as a URL with "{url}" or "{escaped}" in it: "https://archive.example/web/{url}"`)
	}
	*t = try
	return nil
}

// of is where the archive would have u.
func (t archive) of(u locus.URL) locus.URL {
	text := strings.NewReplacer("{url}", u.String(), "{escaped}", string(escape.AppendEncode(nil, u.String(), escape.Unreserved()))).Replace(string(t))
	archived, err := locus.Parse(text)
	if err != nil {
		return locus.URL{}
	}
	return archived
}
