// Package get implements the subcommand "locus get", which fetches URLs to standard output
// or files.
package get

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/scheme/ftp"
)

// getter is one run of "locus get".
type getter struct {
	show.Viewer

	output     string // value of the flag -o
	remoteName bool   // value of the flag -O
	dir        string // value of the flag -d
	resume     bool
	overwrite  bool
	noTimes    bool
	polite     access.Politeness // limits from the flags
	script
	cwd, ssl    string
	active      bool
	literalTabs bool
	answer      []string // values of --answer
	answersFile string   // value of --answers
	archives    client.Archives
	answers     *answers // answers from both flags; may be nil
	archive     base.Archive
}

const getLong = `get writes an object to standard output, or with -o or -O to a file. It fetches several
files concurrently. A menu, such as a directory, is written as a table on a terminal.
Elsewhere each line has the title, a TAB and the URL.

Files:
-o replaces the named file. It writes through a symbolic link only with --overwrite.
-O takes the file name from the URL and makes it safe. It writes to the current directory
or the directory of -d, and replaces a file only with --overwrite. If two URLs have the
same file name, the second file name gets ".1". Files get the server's time.

get writes data to NAME.part and renames it to NAME when it is complete.
NAME.part.json records the source. After an interrupt or a failure, -C resumes the
download if the object is unchanged and the server supports it; otherwise -C restarts
it. -C skips complete files. If another process is fetching the same file, get waits.

An object in an unknown content coding ("br") is an error; --raw stores the encoded data.

Terminal output:
On a terminal, get escapes control characters in text and rejects binary data. --raw
writes everything unchanged. --json describes an object, and writes its data only with
-o or -O.

Mail and news:
On a terminal, get formats messages and lists their parts. --part selects one part and
decodes it. --json describes the header and the parts. A newsgroup lists its newest 1000
articles and a wais search its best 40 hits; --items selects others. The configuration
names the news server and the mail: see "locus help configuration".

Forms:
For a form or search, get lists the fields. --answer and --answers fill them in. "locus
open" prompts for the answers. See "locus help forms".

Sessions:
For a telnet, rlogin or tn3270 URL, get runs the steps of --send, --expect and --press in
order, and writes the host's output. See "locus help sessions".

Archives:
--warc records the transfers in a web archive (WARC 1.1) and writes an index next to it.
It appends to an existing archive. With --from, get reads WARC and ARC files instead of
the network. It selects the newest capture, or the one nearest to --at.

Logins:
get takes a login from the URL or ~/.netrc, or prompts for it when a server requires one.`

const getExamples = `  locus get ftp://ftp.example.net/pub/
  locus get -O ftp://ftp.example.net/pub/README`

// New returns the subcommand "get".
func New(a *base.App) *cobra.Command {
	g := &getter{Viewer: show.Viewer{App: a}, polite: access.Politeness{MaxWait: time.Minute}}
	g.RunSession = g.session
	cmd := &cobra.Command{
		Use:     "get URL...",
		Short:   "Fetch URLs of any scheme and write them to standard output or files",
		Long:    getLong,
		Example: getExamples,
		Args:    base.RequireURLs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := g.settle(cmd, args); err != nil {
				return err
			}
			return g.run(cmd.Context(), args)
		},
	}
	base.AddFlags(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&g.Raw, "raw", false, "write unmodified data, even to a terminal")
		f.BoolVar(&g.NoFollow, "no-follow", false, "show the target of a redirect instead of following it")
		g.AddVerboseFlag(f)
	})
	base.AddFlags(cmd, "Files", func(f *pflag.FlagSet) {
		f.StringVarP(&g.output, "output", "o", "", "write the object to `FILE`; \"-\" is standard output")
		f.BoolVarP(&g.remoteName, "remote-name", "O", false, "write each object to a file named as in its URL")
		f.StringVarP(&g.dir, "dir", "d", "", "write files below `DIR`, created if missing")
		f.BoolVarP(&g.resume, "continue", "C", false, "continue partial files of an earlier get")
		f.BoolVar(&g.overwrite, "overwrite", false, "replace existing files; write through a symbolic link")
		f.BoolVar(&g.noTimes, "no-times", false, "do not set file times from the server")
		f.IntVar(&g.polite.Parallel, "parallel", 0, "fetch `N` files at once (default 8)")
		f.IntVar(&g.polite.PerHost, "per-host", 0, "fetch `N` files at once from one host (default 2)")
		f.IntVar(&g.polite.Retry, "retry", 0, "retry `N` times after a temporary failure")
	})
	g.archive.AddFlags(cmd)
	base.AddFlags(cmd, "Selection", g.AddSelectionFlags)
	base.AddFlags(cmd, "Archives", g.archives.AddFlags)
	base.AddFlags(cmd, "Forms", func(f *pflag.FlagSet) {
		f.StringArrayVar(&g.answer, "answer", nil, "answer the field with this number or prompt: `FIELD=TEXT` (repeatable)")
		f.StringVar(&g.answersFile, "answers", "", "answer a form from the JSON `FILE`; \"-\" is standard input")
	})
	base.AddFlags(cmd, "Sessions", func(f *pflag.FlagSet) {
		g.script.addFlags(f)
		g.Screen.AddFlags(f)
	})
	base.AddFlags(cmd, "Protocols", func(f *pflag.FlagSet) {
		f.StringVar(&g.cwd, "cwd", "", "ftp: change directory by `MODE`: multi (RFC 1738, default), single, none")
		f.BoolVar(&g.active, "active", false, "ftp: let the server open the data connection")
		f.StringVar(&g.ssl, "ssl", "", "ftp: use TLS before the login: `MODE` try or require")
		f.BoolVar(&g.literalTabs, "literal-tabs", false, "gopher: send two TABs before a Gopher+ string (RFC 1738 3.4.3)")
	})
	base.UseNetworkFlags(cmd)
	show.CompleteScreenFlags(cmd)
	return cmd
}

type archiveError = client.ArchiveError

// settle checks the combination of flags, and sets missing values from the configuration.
func (g *getter) settle(cmd *cobra.Command, args []string) error {
	set := cmd.Flags().Changed
	files := g.remoteName || set("output") && g.output != "-"
	switch {
	case set("output") && g.output == "":
		return errors.New("-o needs a file name")
	case set("output") && g.remoteName:
		return errors.New("-o and -O can't be used together")
	case set("output") && len(args) > 1:
		return errOneObject
	case !files && (g.resume || g.overwrite || g.noTimes || set("dir") || set("retry")):
		return errors.New("-C, -d, --overwrite, --no-times and --retry need -o or -O")
	case files && g.NoFollow:
		return errors.New("--no-follow writes no file: it can't be used with -o or -O")
	case set("output") && g.output == "-" && g.App.Flags.JSON:
		return errors.New("-o - can't be used with --json: both write to standard output")
	case g.resume && g.archive.Wanted():
		return errors.New("-C can't be used with --warc: an archive needs complete objects")
	case g.resume && g.archives.Used():
		return errors.New("-C can't be used with --from: archived objects are read from the start")
	case g.polite.Parallel < 0 || g.polite.PerHost < 0 || g.polite.Retry < 0:
		return errors.New("--parallel, --per-host and --retry can't be negative")
	}
	if err := g.CheckPreferences(); err != nil {
		return err
	}
	if err := g.Selection.Check(g.App, args); err != nil {
		return err
	}
	if err := g.script.settleFlags(g.App, args); err != nil {
		return err
	}
	if err := g.Screen.Apply(cmd.Flags(), &g.App.Config.TN3270); err != nil {
		return err
	}
	var err error
	if g.answers, err = newAnswers(g.App, g.answer, g.answersFile, base.IsStdin(args)); err != nil {
		return err
	}
	config := &g.App.Config
	if set("active") {
		config.FTP.Active = g.active
	}
	if set("literal-tabs") {
		config.Gopher.LiteralTabs = g.literalTabs
	}
	if set("cwd") {
		if err := config.FTP.CWD.UnmarshalText([]byte(g.cwd)); err != nil {
			return fmt.Errorf("--cwd: %w", err)
		}
	}
	return nil
}

// run fetches the URLs. It immediately reports the failure of a URL, and returns only usage
// errors.
func (g *getter) run(ctx context.Context, args []string) error {
	o := client.Options{Raw: g.Raw, NoProgress: g.Verbose, Archives: g.archives}
	if g.Verbose {
		o.Trace, o.Observe = g.Trace, g.TraceProxies
	}
	if g.answers != nil {
		o.Fill = g.answers.fill
		defer func() {
			if !g.answers.asked.Load() {
				g.App.Note("the answers were not used: the URL is not a form")
			}
		}()
	}
	mode, ok := map[string]ftp.TLSMode{"": ftp.TLSOff, "try": ftp.TLSTry, "require": ftp.TLSRequire}[g.ssl]
	if !ok {
		return fmt.Errorf("--ssl: unknown mode %q: choose try or require", g.ssl)
	}
	o.FTPTLS = mode
	if ok, err := g.archive.Open(g.App); !ok {
		return err
	}
	defer g.archive.Close()
	o.Record = g.archive.Record()
	client, closeAll, err := client.New(g.App, o)
	if failed := (*archiveError)(nil); errors.As(err, &failed) {
		g.App.Fail(base.StatusAccess, err)
		return nil
	}
	if err != nil {
		return err
	}
	defer closeAll()
	g.Client = client
	switch {
	case g.remoteName:
		return g.toNames(ctx, args)
	case g.output != "" && g.output != "-":
		return g.toFile(ctx, args)
	}
	return g.toStream(ctx, args, g.Stdout())
}
