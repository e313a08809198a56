// Package verify is the subcommand "locus verify", which reports dead links.
package verify

import (
	"cmp"
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
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/client"
	"github.com/locus-url/locus/internal/walk"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/verify"
)

// verifier is one run of "locus verify".
type verifier struct {
	a *base.App
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

const verifyLong = `Each argument is a file, a folder, whose files are read as "locus extract -r" does, or
the URL of a site, whose pages are read as far as they are below it. Partial forms are
resolved against the document. Fragments are looked for in HTML and Markdown. Of mail
addresses the domain is looked up.

Each URL is requested once, with as little as proves it: HEAD, SIZE, STAT, a menu.
"dead" means that the server says so. Inconclusive answers (401, 403, 429, 5xx, timeouts)
are retried and then a "warning". "denied" means that the policy does not allow it: for
example, a document may lead to an address that is not public only with --allow-private.
The robots.txt of a site is obeyed.

Results are kept for a day (--max-age), bad ones for an hour. An interrupted run resumes
next time.

Rules are read from the file .locus-verify.toml in this folder or one above it:

  ignore = ["http://localhost*", "https://*.example.net/*"]   # not requested
  [[accept]]                                                  # not a failure
  url = "https://www.example.com/*"
  status = [403, 999]
  reason = "it wants a browser"

--write-baseline writes the bad links of now to the file of --baseline. Later runs with
that file call them "known", which is not a failure.

The status is 1 for a dead link, a missing fragment or a malformed URL, 3 if a document
can't be read, 4 if the policy denied something.`

// New returns the subcommand.
func New(a *base.App) *cobra.Command {
	v := &verifier{a: a, seen: map[string]bool{}}
	cmd := &cobra.Command{
		Use:   "verify FILE|DIR|URL...",
		Short: "Find dead links: dereference every URL in documents and sites",
		Long:  verifyLong,
		Example: `  printf 'Gone: <URL:file:///none/at/all>\n' >dead.txt; locus verify --no-cache dead.txt || true
  printf '# Title\n[here](#title)\n' >a.md; locus verify --all --json a.md`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`no document given; "." is this folder, and "-" reads names from standard input, one a line`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	base.AddFlags(cmd, "Input", func(f *pflag.FlagSet) {
		f.StringVar(&v.root, "root", "", "resolve \"/\" in partial forms of files to `DIR`")
		f.BoolVar(&v.noIgnore, "no-ignore", false, "read files that .gitignore and .ignore exclude")
		f.BoolVar(&v.hidden, "hidden", false, "read hidden files")
		f.IntVar(&v.depth, "depth", -1, "follow a site at most `N` links deep (default unlimited)")
		f.IntVar(&v.o.MaxPages, "max-pages", 10_000, "read at most `N` pages of a site")
		f.BoolVar(&v.o.NoRobots, "no-robots", false, "ignore the robots.txt of a site")
	})
	base.AddFlags(cmd, "Requests", func(f *pflag.FlagSet) {
		f.IntVar(&v.o.Parallel, "parallel", 32, "request `N` URLs at once")
		f.IntVar(&v.o.PerHost, "per-host", 0, "request `N` URLs at once from one host (default 2)")
		f.Float64Var(&v.rate, "rate", 10, "send one host at most `N` requests a second; 0 is unlimited")
		f.IntVar(&v.retry, "retry", 2, "retry `N` times after a temporary failure")
		base.DurationVar(f, &v.o.MaxWait, "max-wait", time.Minute, "wait at most `D` if a server asks for time")
		base.DurationVar(f, &v.maxAge, "max-age", 24*time.Hour, "reuse results of the last `D`; 0 requests everything again")
		f.BoolVar(&v.noCache, "no-cache", false, "neither use nor keep results")
	})
	base.AddFlags(cmd, "Rules", func(f *pflag.FlagSet) {
		f.StringVar(&v.rules, "rules", "", "read the rules from `FILE`")
		f.StringVar(&v.baseline, "baseline", "", "the links in `FILE` are known to be bad")
		f.BoolVar(&v.writeBaseline, "write-baseline", false, "write the bad links to the file of --baseline")
		f.BoolVar(&v.o.NoFragments, "no-fragments", false, "do not check fragments")
		f.BoolVar(&v.strict, "strict", false, "count warnings as failures")
	})
	base.AddFlags(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&v.format, "format", "text", "write `FORMAT`: text, json, junit, markdown or github")
		f.BoolVar(&v.all, "all", false, "show good links, too")
		f.BoolVar(&v.o.Document.Context, "context", false, "show the line of each link")
		f.BoolVar(&v.suggest, "suggest", false, "look for dead links in an archive (verify.archive)")
	})
	base.UseNetworkFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json", "junit", "markdown", "github"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// verifyPatience is the default of --timeout. It is short, because many URLs are
// checked.
const verifyPatience = 20 * time.Second

// longest is longer than any run, and fits into a time.Duration.
const longest = float64(100 * 365 * 24 * time.Hour)

// prepare turns the flags into options.
func (v *verifier) prepare() error {
	a, o := v.a, &v.o
	switch {
	case o.MaxPages < 1 || o.Parallel < 1 || o.PerHost < 0 || v.retry < 0:
		return errors.New("--max-pages and --parallel must be at least 1; --per-host and --retry can't be negative")
	case o.Parallel > verify.MaxParallel:
		return fmt.Errorf("--parallel must be at most %d", verify.MaxParallel)
	case v.rate < 0 || o.MaxWait < 0 || v.maxAge < 0:
		return errors.New("--rate, --max-wait and --max-age can't be negative")
	case v.writeBaseline && v.baseline == "":
		return errors.New("--write-baseline needs --baseline FILE")
	case v.suggest && a.Config.Verify.Archive == "":
		return errors.New("--suggest needs verify.archive in the configuration")
	}
	switch {
	case v.depth < 0:
		o.Depth = 0
	case v.depth == 0:
		o.Depth = verify.FirstPage
	default:
		o.Depth = v.depth
	}
	o.Retry = retries(v.retry)
	if o.PerHost == 0 {
		o.PerHost = a.Config.PerHost
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
	if a.Flags.Timeout == 0 {
		a.Flags.Timeout = verifyPatience
	}
	o.Timeout = cmp.Or(a.Flags.MaxTime, 3*a.Flags.Timeout)
	o.Document.Unpacked = a.Flags.MaxSize
	if v.suggest {
		o.Archive = a.Config.Verify.Archive.URLOf
	}
	if v.root != "" {
		if info, err := os.Stat(v.root); err != nil {
			return fmt.Errorf("--root: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("--root: %s is not a folder", locus.Quote(v.root))
		}
		u, err := fileURL(v.root, true)
		if err != nil {
			return fmt.Errorf("--root: %w", err)
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

// retries returns n, or the name of none: verify.Options has another default for 0.
func retries(n int) int {
	if n == 0 {
		return verify.NoRetry
	}
	return n
}

// run verifies the documents of args.
func (v *verifier) run(ctx context.Context, args []string) error {
	if err := v.prepare(); err != nil {
		return err
	}
	a := v.a
	client, closeAll, err := client.New(a, client.Options{NoProgress: true, NoPrompt: true})
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
		if a.OutputFailed() {
			break
		}
	}
	v.report.end()
	progress.Close()
	v.finish(ctx)
	return nil
}

// take counts and writes a result.
func (v *verifier) take(r *verify.Result) {
	a := v.a
	if r.Err != nil {
		a.RaiseStatus(base.StatusAccess)
	}
	v.sum.add(r)
	switch {
	case r.IsBad(), v.strict && r.Verdict == verify.Warning && !r.Accepted:
		a.RaiseStatus(base.StatusNo)
	case r.Verdict == verify.Denied && !r.Accepted:
		a.RaiseStatus(base.StatusDenied)
	}
	if r.Err == nil && r.Verdict.IsBad() && !r.Accepted {
		if link := r.Key(); !v.seen[link] {
			v.seen[link] = true
			v.bad = append(v.bad, link)
		}
	}
	v.report.result(r)
}

// finish writes the baseline or the note about it.
func (v *verifier) finish(ctx context.Context) {
	a := v.a
	if ctx.Err() != nil || a.OutputFailed() {
		return
	}
	if v.writeBaseline {
		if err := v.saveBaseline(); err != nil {
			a.Fail(base.StatusAccess, err)
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
		a.Note("%d links in %s are no longer bad or no longer there; --write-baseline removes them", good, v.baseline)
	}
}

// readRules reads the rules of --rules, or else of the nearest file.
func (v *verifier) readRules() error {
	name := v.rules
	if name == "" {
		name = nearest(".locus-verify.toml")
	}
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("--rules: %w", err)
	}
	if v.o.Rules, err = verify.ParseRules(string(text)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// nearest returns the path of a file in this folder or the nearest one above it; "" if
// there is none.
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

func (v *verifier) readBaseline() error {
	if v.baseline == "" {
		return nil
	}
	text, err := os.ReadFile(v.baseline)
	if v.writeBaseline && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--baseline: %w", err)
	}
	if v.o.Baseline, err = verify.ParseBaseline(string(text)); err != nil {
		return fmt.Errorf("%s: %w", v.baseline, err)
	}
	return nil
}

// saveBaseline replaces the file of the baseline in one step.
func (v *verifier) saveBaseline() error {
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

// openStore opens the results of earlier runs. Without them the run continues.
// closeStore may be nil.
func (v *verifier) openStore() (closeStore func()) {
	a := v.a
	if v.noCache {
		return nil
	}
	dir, reason := a.CacheFolder()
	if dir == "" {
		a.Note("results are not kept: %s (--no-cache turns this off)", reason)
		return nil
	}
	store, err := verify.OpenStore(filepath.Join(dir, "verify.db"))
	if err != nil {
		a.Note("results are not kept: %v", err)
		return nil
	}
	if store.Rebuilt() {
		a.Note("the results of earlier runs were damaged, and were moved beside %s", filepath.Join(dir, "verify.db"))
	}
	v.o.Store = store
	return func() {
		if err := store.Close(); err != nil {
			a.Note("%v", err)
		}
	}
}

// sources yields the documents of args.
func (v *verifier) sources(ctx context.Context, args []string) iter.Seq[verify.Source] {
	return func(yield func(verify.Source) bool) {
		for arg, err := range v.a.Inputs(args) {
			if err != nil {
				v.a.FailInput(arg, err)
				continue
			}
			if arg == "" {
				if !base.IsStdin(args) {
					v.a.Fail(base.StatusUsage, errors.New(`an empty argument is not a document; "." is this folder`))
				}
				continue
			}
			if !v.argument(ctx, arg, yield) {
				return
			}
		}
	}
}

// argument yields the documents of one argument.
func (v *verifier) argument(ctx context.Context, arg string, yield func(verify.Source) bool) bool {
	if _, err := os.Lstat(arg); err != nil {
		u, bad := locus.ParseWrapped(arg)
		_, why := v.a.Registry.Suggest(u)
		switch {
		case bad == nil && v.a.Registry.Known(u):
			v.a.NoteWrapper(arg)
			return yield(verify.Source{Name: u.WithoutPassword().Redacted(), URL: u})
		case errors.Is(bad, locus.ErrWindowsPath):
			v.a.Fail(base.StatusUsage, v.a.AtLine(bad))
		case strings.Contains(arg, "://") || why != "":
			if bad == nil {
				bad = fmt.Errorf("%s: %w %s", locus.Quote(u.Redacted()), scheme.ErrNoScheme, locus.Quote(u.Scheme()))
			}
			if why != "" {
				bad = scheme.Hint(bad, why)
			}
			v.a.Fail(base.StatusUsage, v.a.AtLine(bad))
		default:
			v.a.Fail(base.StatusAccess, v.a.AtLine(err))
		}
		return true
	}
	o := &walk.Options{NoIgnore: v.noIgnore, Hidden: v.hidden, Global: walk.GlobalIgnore(v.a.Getenv)}
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
			v.a.Fail(base.StatusAccess, err)
		}
	}
	return true
}

var errEnough = errors.New("no more is wanted")

// file yields a file.
func (v *verifier) file(path string, yield func(verify.Source) bool) error {
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

// openDocument opens a file. Reading a pipe ends with ctx.
func openDocument(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := base.OpenContext(ctx, path)
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

func (c contextReader) Read(p []byte) (int, error) { return base.ReadContext(c.ctx, c.r, p) }

// fileURL returns the URL of a file, or of a folder.
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
