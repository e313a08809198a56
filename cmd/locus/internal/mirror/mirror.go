// Package mirror implements the subcommand "locus mirror", which copies sites and
// directories to a local directory.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/policy"
)

// runner is one run of "locus mirror".
type runner struct {
	a *base.App
	o mirror.Options

	dir, layout, newer      string
	include, exclude, hosts []string
	depth                   int
	rate                    float64
	all                     bool

	archive  base.Archive
	log      base.RequestLog
	progress *base.Progress
	done     int
	octets   int64
}

const mirrorLong = `mirror follows the links of directories, menus and pages, and saves each resource below
the start URLs. Files are named HOST/PATH in the directory of -d. mirror saves a menu
unchanged as ".menu" and, as a page, in "index.html" (".menu.html" for directories of
files). .locus-mirror/manifest.ndjson lists the file, digest, type, time and referring
URL of each URL.

Updates:
To resume an interrupted run, run the same command again. A later run transfers only
changed resources. mirror compares the size and time in the directory listing, or makes
a cheap request, or else compares the content. It reports added, changed, missing and
failed resources.

Deleting:
--delete deletes files whose resources are gone. It deletes nothing if a listing was
incomplete, or if every resource is gone; --max-delete N allows N deletions. mirror never
replaces or deletes files that it did not write.

Patterns:
--include, --exclude and --hosts accept patterns: "example.com", "*/private/", the
beginning of URLs with "*" and a final "$", or a pattern of "locus gateway --deny".
mirror still reads the links of pages that --include does not match, but does not save
these pages.

Servers:
mirror obeys robots.txt and Retry-After. It takes logins from the URL or ~/.netrc.
--warc also records the transfers in a web archive.

Exit status:
3 if a resource could not be fetched; 4 if the policy denied one.`

// New returns the subcommand "mirror".
func New(a *base.App) *cobra.Command {
	r := &runner{a: a}
	cmd := &cobra.Command{
		Use:   "mirror URL...",
		Short: "Copy directories, menus and sites of any scheme to a local directory",
		Long:  mirrorLong,
		Example: `  locus mirror -d copy ftp://ftp.example.net/pub/
  locus mirror --depth 2 --page-requisites https://www.example.com/docs/`,
		Args: base.RequireURLs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.settle(cmd.Flags()); err != nil {
				return err
			}
			return r.run(cmd.Context(), args)
		},
	}
	base.AddFlags(cmd, "Files", func(f *pflag.FlagSet) {
		f.StringVarP(&r.dir, "dir", "d", ".", "write files below `DIR`, created if missing")
		f.StringVar(&r.layout, "layout", "host", "name files by `LAYOUT`: host, url, flat or type")
		f.BoolVar(&r.o.Relink, "relink", false, "rewrite links for offline reading")
		f.BoolVar(&r.o.Delete, "delete", false, "delete files whose resources are gone")
		f.IntVar(&r.o.MaxDelete, "max-delete", 0, "delete nothing if more than `N` resources are gone")
		f.BoolVar(&r.o.NoTimes, "no-times", false, "do not set file times from the server")
	})
	base.AddFlags(cmd, "Selection", func(f *pflag.FlagSet) {
		f.IntVar(&r.depth, "depth", -1, "follow links at most `N` deep; -1 is unlimited")
		f.StringArrayVar(&r.include, "include", nil, "mirror only URLs that match `PATTERN` (repeatable)")
		f.StringArrayVar(&r.exclude, "exclude", nil, "skip URLs that match `PATTERN` (repeatable)")
		f.StringArrayVar(&r.hosts, "hosts", nil, "also mirror URLs elsewhere that match `PATTERN` (repeatable)")
		f.BoolVar(&r.o.PageRequisites, "page-requisites", false, "also mirror images, styles and scripts from any host")
		f.StringVar(&r.newer, "newer", "", "skip resources older than `DATE` (2006-01-02) or than a file")
		f.Var((*config.Size)(&r.o.MaxBytes), "max-bytes", "stop after `N` bytes (10M, 5G)")
		f.IntVar(&r.o.MaxFiles, "max-files", 0, "stop after writing `N` files")
	})
	base.AddFlags(cmd, "Requests", func(f *pflag.FlagSet) {
		f.IntVar(&r.o.Parallel, "parallel", 0, "request `N` URLs at once (default 8)")
		f.IntVar(&r.o.PerHost, "per-host", 0, "request `N` URLs at once from one host (default 2)")
		f.Float64Var(&r.rate, "rate", 0, "send one host at most `N` requests a second; 0 is unlimited")
		f.IntVar(&r.o.Retry, "retry", 2, "retry `N` times after a temporary failure")
		base.DurationVar(f, &r.o.MaxWait, "max-wait", time.Minute, "wait at most `D` when a server requests a delay")
		f.BoolVar(&r.o.NoRobots, "no-robots", false, "ignore robots.txt")
	})
	base.AddFlags(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&r.all, "all", false, "also show unchanged files")
	})
	r.log.AddFlags(cmd, "Output")
	r.archive.AddFlags(cmd)
	base.UseNetworkFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("layout", cobra.FixedCompletions(layouts, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// layouts lists the values of the flag that selects the layout. It must not be modified.
var layouts = []string{"host", "url", "flat", "type"}

// settle converts the flags to the options of package mirror.
func (r *runner) settle(flags *pflag.FlagSet) (err error) {
	o := &r.o
	switch {
	case r.dir == "":
		return errors.New("-d needs the name of a directory")
	case !slices.Contains(layouts, r.layout):
		return fmt.Errorf("--layout: unknown layout %s: choose host, url, flat or type", locus.Quote(r.layout))
	case o.MaxBytes < 0 || o.MaxFiles < 0 || o.MaxDelete < 0 || o.Parallel < 0 || o.PerHost < 0 || o.Retry < 0 || o.MaxWait < 0 || r.rate < 0:
		return errors.New("--max-bytes, --max-files, --max-delete, --parallel, --per-host, --rate, --retry and --max-wait can't be negative")
	case r.a.Flags.Header.Get("Authorization")+r.a.Flags.Header.Get("Cookie") != "" && (o.PageRequisites || len(r.hosts)+flags.NArg() > 1):
		return errors.New(`--header can't set Authorization or Cookie for several hosts; write "HOST: NAME: VALUE", or use ~/.netrc`)
	}
	o.Layout = mirror.Layout(r.layout)
	if o.Depth = r.depth; r.depth == 0 {
		o.Depth = mirror.StartsOnly
	} else if r.depth < 0 {
		o.Depth = 0
	}
	o.Politeness = r.a.Politeness(o.Politeness, r.rate)
	for _, list := range []struct {
		flag  string
		texts []string
		to    *[]policy.Pattern
	}{{"--include", r.include, &o.Include}, {"--exclude", r.exclude, &o.Exclude}, {"--hosts", r.hosts, &o.Hosts}} {
		if *list.to, err = r.patterns(list.flag, list.texts); err != nil {
			return err
		}
	}
	o.Newer, err = newerThan(r.newer)
	return err
}

func (r *runner) patterns(flag string, texts []string) (list []policy.Pattern, err error) {
	known := func(name string) bool { _, ok := r.a.Registry.Lookup(name); return ok }
	for _, text := range texts {
		p, err := policy.ParsePattern(text, known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// newerThan parses a date or the name of a file. For a file name, it returns the modification time
// of the file.
func newerThan(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02 15:04", time.DateTime} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	info, err := os.Stat(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("--newer: %s is neither a date nor a file: write 2006-01-02", locus.Quote(text))
	}
	return info.ModTime(), nil
}

// run mirrors the URLs. It immediately reports each failure.
func (r *runner) run(ctx context.Context, args []string) error {
	var starts []locus.URL
	for input, err := range r.a.URLs(args) {
		u, err := r.a.ReadURL(input, err)
		if err != nil {
			if r.a.Flags.JSON {
				input = locus.Mask(input)
			}
			r.a.FailInput(input, err)
			continue
		}
		starts = append(starts, u)
	}
	if len(starts) == 0 || ctx.Err() != nil {
		return nil
	}
	if !r.o.NoRobots {
		r.archive.Robots = "classic"
	}
	if ok, err := r.archive.Open(r.a); !ok {
		return err
	}
	defer r.archive.Close()
	c, closeAll, err := client.New(r.a, client.Options{NoProgress: true, NoPrompt: true, Record: r.archive.Record(), Observe: r.log.Observe(r.a, r.a.Config.Mirror.LogFormat)})
	if err != nil {
		return err
	}
	defer closeAll()
	r.progress = base.StartProgress(r.a, r.dir)
	defer r.progress.Close()
	r.o.Report = r.report
	sum, err := mirror.Run(ctx, c, r.dir, starts, &r.o)
	r.progress.Close()
	many := (*mirror.ManyGoneError)(nil)
	if err == nil || ctx.Err() != nil || sum != (mirror.Summary{}) {
		r.summarize(sum, err == nil || errors.As(err, &many))
	}
	switch {
	case many != nil:
		r.a.Fail(base.StatusNo, fmt.Errorf("%w (use --max-delete %d to allow it)", err, many.Gone))
	case ctx.Err() != nil:
		r.a.Note("interrupted; run the same command to resume")
	case err != nil:
		r.a.Fail(statusOf(err), err)
	}
	return nil
}
