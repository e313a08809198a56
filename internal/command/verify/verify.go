// Package verify implements the subcommand "locus verify", which reports dead links.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/walk"
	"github.com/locus-url/locus/internal/wholefile"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/file"
	"github.com/locus-url/locus/verify"
)

// verifier is one run of "locus verify".
type verifier struct {
	a *base.App
	o verify.Options

	depth            int
	rate             float64
	noCache          bool
	as, root         string
	rules            string
	baseline         string
	writeBaseline    bool
	strict           bool
	noIgnore, hidden bool
	readsInput       bool // whether standard input is a document
	leftOut          skippedFiles
	choice           selectionFlags

	tell      outputFlags
	ask       requestFlags
	access    client.Options // options for the client that opens URLs
	archive   base.Archive
	log       base.RequestLog
	rulesFile string // name of the rules file, or ""

	start    Start // creates the engine; nil means verify.New
	verifier Engine
	sum      totals
	bad      map[string]bool // keys of the bad links, for the baseline
}

// Engine verifies the links in sources. [verify.Verifier] implements it.
type Engine interface {
	Run(context.Context, iter.Seq[verify.Source]) iter.Seq[verify.Result]
	Progress() verify.Progress
	Slowest(int) []verify.HostTime
}

// Start creates an engine. The parameter o contains the options from the flags and the rules, and
// c contains the options for the clients that open URLs. After the run, the caller must call the
// returned function end, which closes the engine. The caller must pass true to end if it received
// all results.
type Start func(ctx context.Context, o *verify.Options, c client.Options) (e Engine, end func(complete bool) error, err error)

// NewWith returns the subcommand with an engine that the caller provides. The parameter unusedFlags
// lists the names of the flags that have no effect on this engine. The subcommand hides and rejects
// these flags.
func NewWith(a *base.App, start Start, unusedFlags ...string) *cobra.Command {
	v := newVerifier(a)
	v.start = start
	cmd := v.command()
	args := cmd.Args
	for _, name := range unusedFlags {
		cmd.Flags().Lookup(name).Hidden = true
	}
	cmd.Args = func(cmd *cobra.Command, list []string) error {
		for _, name := range unusedFlags {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is not used here", name)
			}
		}
		return args(cmd, list)
	}
	return cmd
}

const verifyLong = `verify reads documents and sites, and requests each URL in them once. An argument is a
file, a directory, the URL of a site, or "-" for a document on standard input.

Documents:
In a directory, verify reads Markdown, HTML, text and mail; with --all-files it reads all
files. On a site it reads the pages below the URL. It looks for fragments in HTML,
Markdown, AsciiDoc and reStructuredText. For a mail address it looks up the domain.

Relative links are resolved against the document. A link from "/" starts at the top of
the Git repository, or else at the named directory. verify skips a link that leads above
the top. Without --root it also skips links in HTML files from "/" to missing files.

Generators:
If a directory or a parent has the configuration file of mdBook, Hugo, Jekyll,
Docusaurus, VitePress, MkDocs, Sphinx, Obsidian or Foam, verify reads documents as pages
of that generator. For VuePress, Astro, Nextra, Eleventy, Antora and Quarto it verifies
only files. For other generators, use --remap, --base-url, --fallback-extensions and
--index-files.

Verdicts:
verify uses the cheapest request that proves a URL is alive: HEAD, SIZE, STAT or a menu.

  dead      the server answered "not found" or "gone", or the file or host does not exist
  warning   the response is inconclusive (401, 403, 429, 5xx, timeout), after retries
  denied    the policy forbids the request: a page must not lead to a private address
            without --allow-private
  ignored   a rule or robots.txt excludes the link, the link of a file leads to a private
            address, or its host is reserved for examples (see --include-reserved)

Cache:
verify caches results for a day (--max-age), and failures for an hour. To resume an
interrupted run, run the same command again.

Rules:
verify reads rules from .locus-verify.toml in the current directory or a parent:

  ignore = ["https://login.*", "*/private/"]     # URLs to skip
  include = ["https:"]                           # verify only these URLs
  exclude-path = ["vendor/", "*.min.html$"]      # files to skip
  remap = ["https://www.example.com/ public/"]   # verify the second instead
  [[accept]]                                     # not a failure
  url = "https://www.example.com/*"
  status = [403, 999]
  reason = "requires a browser"
  [[host]]                                       # settings; docs/verify.md lists all
  url = "api.example.com"
  rate = 2.0
  parallel = 1

ignore, include, url and the first part of remap are patterns. A pattern is the beginning
of URLs, where "*" matches any characters and a final "$" matches the end, or a pattern of
"locus gateway --deny". exclude-path has the same form for paths.

Baseline:
--write-baseline writes the current failures to the file of --baseline, with status 0.
Later runs with --baseline report these links as "known", which is not a failure.

` + tellLong + `

Exit status:
1 for a dead link, a missing fragment, a malformed URL or a TLS problem; 2 if a directory
has no documents; 3 if a document can't be read; 4 if the policy denied a request.`

// New returns the subcommand "locus verify".
func New(a *base.App) *cobra.Command { return newVerifier(a).command() }

func newVerifier(a *base.App) *verifier {
	return &verifier{a: a, bad: map[string]bool{}, leftOut: skippedFiles{}, sum: totals{verdicts: map[verify.Verdict]int{}, causes: map[verify.Cause]int{}, documents: map[string]bool{}}}
}

func (v *verifier) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify FILE|DIR|URL...",
		Short: "Find dead links in documents and sites",
		Long:  verifyLong,
		Example: `  locus verify docs/
  locus verify https://www.example.com/`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`no document given: use . for the current directory, or - for standard input`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	base.AddFlags(cmd, "Input", func(f *pflag.FlagSet) {
		f.StringVar(&v.as, "as", "", "read every document as `TYPE`: text, markdown, html, mail, mbox")
		f.StringVar(&v.root, "root", "", "resolve links from \"/\" in files against `DIR`")
		f.BoolVar(&v.noIgnore, "no-ignore", false, "also read node_modules and files that .gitignore and .ignore exclude")
		f.BoolVar(&v.hidden, "hidden", false, "read hidden files")
		f.IntVar(&v.depth, "depth", -1, "follow a site at most `N` links deep; -1 is unlimited")
		f.IntVar(&v.o.MaxPages, "max-pages", 10_000, "read at most `N` pages of a site")
		f.BoolVar(&v.o.NoRobots, "no-robots", false, "ignore the robots.txt of a site")
	})
	base.AddFlags(cmd, "Requests", func(f *pflag.FlagSet) {
		f.BoolVar(&v.o.Offline, "offline", false, "verify only links to files")
		f.IntVar(&v.o.Parallel, "parallel", 32, "request `N` URLs at once")
		f.IntVar(&v.o.PerHost, "per-host", 0, "request `N` URLs at once from one host (default 2)")
		f.Float64Var(&v.rate, "rate", 10, "send one host at most `N` requests a second; 0 is unlimited")
		f.IntVar(&v.o.Retry, "retry", 2, "retry `N` times after a temporary failure")
		base.DurationVar(f, &v.o.MaxWait, "max-wait", time.Minute, "wait at most `D` when a server requests a delay")
		base.DurationVar(f, &v.o.MaxAge, "max-age", 24*time.Hour, "reuse results younger than `D`; 0 requests everything again")
		f.BoolVar(&v.noCache, "no-cache", false, "neither read nor write the result cache")
	})
	v.addAskFlags(cmd)
	base.AddFlags(cmd, "Rules", func(f *pflag.FlagSet) {
		f.StringVar(&v.rules, "rules", "", "read the rules from `FILE`")
		f.StringVar(&v.baseline, "baseline", "", "treat the links in `FILE` as known failures")
		f.BoolVar(&v.writeBaseline, "write-baseline", false, "write current failures to the file of --baseline")
		f.BoolVar(&v.o.NoFragments, "no-fragments", false, "do not check fragments")
		f.BoolVar(&v.strict, "strict", false, "count warnings as failures")
	})
	v.addTellFlags(cmd)
	v.log.AddFlags(cmd, "Output")
	v.choice.addFlags(cmd, &v.o)
	v.archive.AddFlags(cmd)
	base.UseNetworkFlags(cmd)
	return cmd
}

// verifyTimeout is the default value of --timeout. verifyTimeout is short, because a run checks
// many URLs.
const verifyTimeout = 20 * time.Second

func (v *verifier) prepare() error {
	a, o := v.a, &v.o
	switch {
	case o.MaxPages < 1 || o.Parallel < 1 || o.PerHost < 0 || o.Retry < 0:
		return errors.New("--max-pages and --parallel must be at least 1; --per-host and --retry can't be negative")
	case o.Parallel > access.MaxParallel:
		return fmt.Errorf("--parallel must be at most %d", access.MaxParallel)
	case v.rate < 0 || o.MaxWait < 0 || o.MaxAge < 0:
		return errors.New("--rate, --max-wait and --max-age can't be negative")
	case v.writeBaseline && v.baseline == "":
		return errors.New("--write-baseline needs --baseline FILE")
	case a.Flags.Header.Get("Authorization")+a.Flags.Header.Get("Cookie") != "":
		return errors.New(`--header can't set Authorization or Cookie: all hosts in the documents would receive it; write "HOST: NAME: VALUE", or use ~/.netrc`)
	case v.tell.suggest && a.Config.Verify.Archive == "":
		return errors.New("--suggest needs verify.archive in the configuration")
	}
	// The flag --depth 0 selects the first page, but a Depth of zero in the options means no
	// limit.
	if v.depth >= 0 {
		o.Depth = cmp.Or(v.depth, verify.FirstPage)
	}
	o.Politeness = a.Politeness(o.Politeness, v.rate)
	o.MaxAge = cmp.Or(o.MaxAge, verify.None)
	a.Flags.Timeout = cmp.Or(a.Flags.Timeout, verifyTimeout)
	o.Timeout = cmp.Or(a.Flags.MaxTime, 3*a.Flags.Timeout)
	o.Document.MaxUnpacked = a.Flags.MaxSize
	if v.tell.suggest {
		o.Archive = a.Config.Verify.Archive.URLOf
	}
	if v.root != "" {
		if info, err := os.Stat(v.root); err != nil {
			return fmt.Errorf("--root: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("--root: %s is not a directory", locus.Quote(v.root))
		}
		var err error
		if v.choice.root, err = folderURL(v.root); err != nil {
			return fmt.Errorf("--root: %w", err)
		}
	}
	var err error
	if o.Document.Type, err = base.DocumentType(v.as); err != nil {
		return err
	}
	name, named := v.rulesPath()
	if v.rulesFile = name; name != "" {
		if o.Rules, err = readFile("--rules", name, verify.ParseRules); err != nil {
			return err
		}
	}
	if err := v.choice.applyFlags(a, o, name); err != nil {
		return err
	}
	v.access = client.Options{NoProgress: true, NoPrompt: true}
	if err = v.prepareAsk(&v.access, named); err != nil {
		return err
	}
	if v.baseline != "" {
		o.Baseline, err = readFile("--baseline", v.baseline, verify.ParseBaseline)
		if err != nil && !(v.writeBaseline && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return v.prepareTell()
}

func (v *verifier) run(ctx context.Context, args []string) error {
	if err := v.prepare(); err != nil {
		return err
	}
	defer v.discardOutputs()
	a := v.a
	if !v.o.NoRobots {
		v.archive.Robots = "classic"
	}
	if ok, err := v.archive.Open(a); !ok {
		return err
	}
	defer v.archive.Close()
	v.access.Record = v.archive.Record()
	format := a.Config.Verify.LogFormat
	if v.start != nil {
		format = a.Config.Fleet.LogFormat // locus-fleet has its own engine and its own setting
	}
	v.access.Observe = v.log.Observe(a, format)
	end, err := v.openEngine(ctx)
	if err != nil {
		return err
	}
	complete := false
	defer func() {
		if err := end(complete); err != nil && ctx.Err() == nil {
			a.Fail(base.StatusAccess, err)
		}
	}()
	progress := v.startProgress()
	defer progress.Close()
	for r := range v.verifier.Run(ctx, v.sources(ctx, args)) {
		v.handleResult(&r)
		if v.isUseless() {
			break
		}
	}
	complete = ctx.Err() == nil && !v.isUseless()
	if !v.choice.dump {
		v.endOutputs()
	}
	progress.Close()
	v.endFix(ctx)
	v.finish(ctx)
	return nil
}

// openEngine creates the engine. The function closeEngine closes it.
func (v *verifier) openEngine(ctx context.Context) (closeEngine func(complete bool) error, err error) {
	if v.start != nil {
		v.verifier, closeEngine, err = v.start(ctx, &v.o, v.access)
		return closeEngine, err
	}
	c, closeAll, err := client.New(v.a, v.access)
	if err != nil {
		return nil, err
	}
	closeStore := v.openStore()
	v.verifier = verify.New(c, &v.o)
	return func(bool) error {
		closeStore()
		closeAll()
		return nil
	}, nil
}

func (v *verifier) handleResult(r *verify.Result) {
	if v.choice.dump {
		v.writeLink(r)
		return
	}
	v.excuseIgnored(r)
	v.a.RaiseStatus(v.status(r))
	v.sum.add(r)
	if r.Err == nil && r.Verdict.IsBad() && !r.Accepted {
		v.bad[r.Key()] = true
	}
	v.tellResult(r)
}

// excuseIgnored changes the verdict on a link to a missing file to Ignored if Git ignores the file,
// because a build may create such files.
func (v *verifier) excuseIgnored(r *verify.Result) {
	if r.Err != nil || r.Verdict != verify.Dead {
		return
	}
	path, err := file.Path(r.URL.WithoutFragment())
	if err == nil && walk.Ignored(path, v.walkOptions()) {
		r.Verdict, r.Cause, r.Detail = verify.Ignored, verify.NeedsBuild, "the file is generated: .gitignore or .ignore excludes it"
		r.Known, r.Accepted = false, false
	}
}

func (v *verifier) walkOptions() *walk.Options {
	return &walk.Options{NoIgnore: v.noIgnore, Hidden: v.hidden, Global: walk.GlobalIgnore(v.a.Getenv)}
}

// finish writes the notes about the run, and the baseline.
func (v *verifier) finish(ctx context.Context) {
	a := v.a
	if ctx.Err() != nil || a.OutputFailed() {
		return
	}
	v.noteCauses()
	v.noteInput()
	v.noteLeftOut()
	if p := v.verifier.Progress(); p.Documents > 0 && p.Documents == p.Binary && v.sum.links+v.sum.unread == 0 {
		a.Fail(base.StatusUsage, errors.New("no documents: binary files are not read (use --as text to read them)"))
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
		if !v.bad[link] {
			good++
		}
	}
	if good > 0 {
		a.Note("%d links in %s were not found broken; after a run over all documents, --write-baseline removes them", good, v.baseline)
	}
}

// readFile reads the file that a flag names, and parses the content by calling the function parse.
func readFile[T any](flag, name string, parse func(string) (T, error)) (value T, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return value, fmt.Errorf("%s: %w", flag, err)
	}
	if value, err = parse(string(text)); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return value, err
}

// nearest looks for a file in the current directory, and then in each parent directory. It returns
// the path of the first file that exists, or "".
func nearest(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for above := ""; dir != above; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		above = dir
	}
	return ""
}

// saveBaseline replaces the baseline file atomically.
func (v *verifier) saveBaseline() error {
	f, err := wholefile.NewReplacement(v.baseline)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := verify.WriteBaseline(f, slices.Collect(maps.Keys(v.bad))); err != nil {
		return err
	}
	return f.Commit()
}

// openStore opens the store with the results of earlier runs. If it can't open the store, the run
// continues without these results.
func (v *verifier) openStore() (closeStore func()) {
	none := func() {}
	if v.noCache || v.choice.dump {
		return none
	}
	dir, reason := v.a.CacheFolder()
	if dir == "" {
		v.a.Note("results are not cached: %s (--no-cache turns the cache off)", reason)
		return none
	}
	path := filepath.Join(dir, "verify.db")
	store, err := verify.OpenStore(path)
	if err != nil {
		v.a.Note("results are not cached: %v", err)
		return none
	}
	if store.Rebuilt() {
		v.a.Note("the result cache was damaged or of another version; it was renamed, next to %s", path)
	}
	v.o.Store = store
	return func() {
		if err := store.Close(); err != nil {
			v.a.Note("%v", err)
		}
	}
}

func (v *verifier) sources(ctx context.Context, args []string) iter.Seq[verify.Source] {
	return func(yield func(verify.Source) bool) {
		for _, arg := range args {
			switch {
			case ctx.Err() != nil || v.isUseless():
				return
			case arg == "":
				v.a.Fail(base.StatusUsage, errors.New(`empty argument: use . for the current directory`))
			case !v.argument(ctx, arg, yield):
				return
			}
		}
	}
}

func (v *verifier) argument(ctx context.Context, arg string, yield func(verify.Source) bool) bool {
	if arg == "-" {
		open := func(ctx context.Context) (io.ReadCloser, error) { return pipe{io.NopCloser(nil), v.a.In, ctx}, nil }
		if v.choice.changedSince != "" {
			v.a.Fail(base.StatusUsage, errors.New("--changed-since needs files: standard input has no history"))
			return true
		}
		s := verify.Source{Name: arg, URL: v.choice.url, Open: open, Layout: v.plainLayout(ctx, "")}
		v.choice.setBase(&s, "", "")
		v.readsInput = true
		return yield(s)
	}
	if _, err := os.Lstat(arg); err != nil {
		u, bad := locus.ParseWrapped(arg)
		_, why := v.a.Registry.Suggest(u)
		switch {
		case bad == nil && v.a.Registry.Known(u):
			v.a.NoteWrapper(arg)
			if v.choice.changedSince != "" {
				v.a.Fail(base.StatusUsage, errors.New("--changed-since needs files: a site has no history"))
				return true
			}
			return yield(verify.Source{Name: u.WithoutPassword().Shown(), URL: u})
		case errors.Is(bad, locus.ErrWindowsPath):
			v.a.Fail(base.StatusUsage, bad)
		case strings.Contains(arg, "://") || why != "":
			if bad == nil {
				bad = fmt.Errorf("%s: %w %s", locus.Quote(u.Shown()), scheme.ErrNoScheme, locus.Quote(u.Scheme()))
			}
			if why != "" {
				bad = scheme.Hint(bad, why)
			}
			v.a.Fail(base.StatusUsage, bad)
		default:
			v.a.Fail(base.StatusAccess, err)
		}
		return true
	}
	o := v.walkOptions()
	empty := true
	for f, err := range walk.Files(ctx, []string{arg}, o) {
		if ctx.Err() != nil {
			return false
		}
		if err == nil && !f.Named && v.isOutput(f.Path) {
			continue
		}
		wasEmpty := empty
		empty = false
		u := locus.URL{}
		if err == nil {
			u, err = base.FileURL(f.Path)
		}
		if err != nil {
			v.a.Fail(base.StatusAccess, err)
			continue
		}
		if !f.Named && !v.choice.isDocument(f.Path) {
			empty = wasEmpty
			v.leftOut.countFile(f.Path)
			continue
		}
		s := verify.Source{Name: filepath.ToSlash(f.Path), URL: u}
		v.choice.setBase(&s, arg, f.Path)
		if v.choice.isExcluded(u) {
			continue
		}
		if rev := v.choice.changedSince; rev != "" {
			changed, err := v.choice.changes.changedSince(ctx, f.Path, rev)
			if ctx.Err() != nil {
				return false
			} else if err != nil {
				v.a.Fail(base.StatusUsage, err)
				return false
			}
			if changed == nil {
				continue
			}
			s.Lines = changed.contains
		}
		if s.Layout = v.layoutFor(ctx, arg, f.Path, u); ctx.Err() != nil {
			return false
		}
		s.Open = func(ctx context.Context) (io.ReadCloser, error) { return openDocument(ctx, f.Path) }
		if !yield(s) {
			return false
		}
	}
	if empty {
		v.a.Fail(base.StatusUsage, scheme.Hint(fmt.Errorf("%s has no documents", arg), "use --all-files, --hidden or --no-ignore to read more files"))
	}
	return true
}

// openDocument opens a file. If the file is a pipe and ctx is cancelled, reading ends with an
// error.
func openDocument(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := base.OpenContext(ctx, path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return pipe{f, f, ctx}, nil
	}
	return f, nil
}

type pipe struct {
	io.Closer
	r   io.Reader
	ctx context.Context
}

func (p pipe) Read(b []byte) (int, error) { return base.ReadContext(p.ctx, p.r, b) }
