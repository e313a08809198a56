// Package command implements the command locus-beam.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // registers all runners

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/beam/pipeline"
	"github.com/locus-url/locus/internal/agent"
	"github.com/locus-url/locus/internal/term"
)

// The exit statuses, which have the same values as in the command locus.
const (
	statusDone        = 0
	statusUsage       = 2
	statusFailed      = 3
	statusInterrupted = 130
)

const usage = `Run an Apache Beam pipeline over many URLs.

  locus-beam links.txt
  locus-beam graph --input 's3://crawl/*.warc.wat.gz' --output s3://out/graph --runner flink --endpoint HOST:8099

Usage: locus-beam [PIPELINE] [FLAGS] [INPUT...]
       locus-beam server|worker [--port N]
       locus-beam version

Pipelines:
  unique   count how often each canonical form occurs (the default)
  check    count findings by rule, and URLs by scheme and host
  extract  list the URLs in text, HTML, Markdown, archives, WARC and WAT
  join     list the canonical forms that are in both --input and --with
  graph    count links between hosts, from WARC, WAT or lines "URL TAB URL"

Input and output:
  --input GLOB         read these files; also gs:// and s3:// (repeatable)
  --with GLOB          join: read the second list from these files (repeatable)
  --output PREFIX      begin names of output files with PREFIX (default: the pipeline)
  --format FORMAT      write text, ndjson or parquet
  --compression NAME   compress text and ndjson: gzip or zstd
  --num_shards N       write at most N files
  --overwrite          replace the files of an earlier run

Records:
  --field N            read the URL from field N of a line; -1 is the last
  --delimiter TEXT     separate fields by TEXT (default: TAB)
  --key PATH           read the URL at PATH in a JSON line, or from a Parquet column
  --rules NAME         check: use rfc1738, rfc1630, rfc3986 or whatwg
  --samples N          check: store N samples in each row (default 3)
  --salts N            split frequent keys into N parts (default 16)
  --lift=false         send every record instead of combining them in a bundle

Runner (Beam's flags):
  --runner NAME        prism (the default, embedded), universal, flink, spark, dataflow
  --endpoint ADDRESS   connect to the job service at ADDRESS
  --environment_type   LOOPBACK, EXTERNAL, PROCESS or DOCKER; see also --environment_config
  --verbose            show Beam's log
  --help_runner        list all flags of Beam
`

// list is the value of a flag that may be repeated.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// flags holds the flags of this command. The same FlagSet also contains the flags of the Beam SDK.
type flags struct {
	options        pipeline.Options
	input, with    list
	lift, verbose  bool
	helpRunner     bool
	version        bool
	samples, salts int
	port           int
	stdout, stderr io.Writer
	subcommand     string
	afterwards     string // message about the job, which is written after an interrupt
}

// newFlags adds the flags to the flag set.
func newFlags(set *flag.FlagSet, stdout, stderr io.Writer) *flags {
	f := &flags{stdout: stdout, stderr: stderr}
	o := &f.options
	set.Var(&f.input, "input", "")
	set.Var(&f.with, "with", "")
	set.StringVar(&o.Output, "output", "", "")
	set.StringVar(&o.Format, "format", "", "")
	set.StringVar(&o.Compression, "compression", "", "")
	set.IntVar(&o.Shards, "num_shards", 0, "")
	set.BoolVar(&o.Overwrite, "overwrite", false, "")
	set.IntVar(&o.Field, "field", 0, "")
	set.StringVar(&o.Delimiter, "delimiter", "", "")
	set.StringVar(&o.Key, "key", "", "")
	set.StringVar(&o.Rules, "rules", "", "")
	set.IntVar(&f.samples, "samples", 3, "")
	set.IntVar(&f.salts, "salts", 16, "")
	set.BoolVar(&f.lift, "lift", true, "")
	set.BoolVar(&f.verbose, "verbose", false, "")
	set.BoolVar(&f.helpRunner, "help_runner", false, "")
	set.BoolVar(&f.version, "version", false, "")
	set.IntVar(&f.port, "port", defaultPort, "")
	return f
}

// Run runs the command and returns its exit status. It must be called at most once in a process,
// because it uses [flag.CommandLine], to which the Beam SDK adds its flags.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	set := flag.CommandLine
	set.Init("locus-beam", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	f := newFlags(set, stdout, stderr)
	err := f.parse(set, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		io.WriteString(stdout, usage)
		return statusDone
	case f.helpRunner:
		set.SetOutput(stdout)
		set.PrintDefaults()
		return statusDone
	case err != nil:
		return f.fail(statusUsage, err)
	case f.version || f.subcommand == "version":
		fmt.Fprintln(stdout, "locus-beam version "+agent.Build())
		return statusDone
	}
	beam.Init() // on a worker, this call does not return
	f.setLogging()
	switch f.subcommand {
	case "server":
		return f.serve(ctx)
	case "worker":
		return f.work(ctx)
	}
	o, err := f.options.Checked()
	if err != nil {
		return f.fail(statusUsage, err)
	}
	switch err := f.run(ctx, o); {
	case ctx.Err() != nil && err != nil:
		fmt.Fprintln(stderr, "locus-beam: interrupted"+f.afterwards)
		return statusInterrupted
	case isUsage(err):
		return f.fail(statusUsage, err)
	case err != nil:
		return f.fail(statusFailed, err)
	}
	return statusDone
}

// setLogging sets the log level. Without --verbose, the command shows only the final error,
// because Beam logs each error five times, together with the whole execution plan.
func (f *flags) setLogging() {
	switch {
	case f.verbose:
		log.SetupLogging("info", "text")
	case f.subcommand != "":
		log.SetupLogging("warn", "text")
	default:
		slog.SetDefault(slog.New(slog.DiscardHandler))
		log.SetLogger(&log.Standard{Level: log.SevFatal})
	}
}

// parse parses the arguments. Flags may come before and after the inputs.
func (f *flags) parse(set *flag.FlagSet, args []string) error {
	var named bool
	for len(args) > 0 {
		if err := set.Parse(args); err != nil {
			return flagError(err)
		}
		args = set.Args()
		if len(args) == 0 {
			break
		}
		first := args[0]
		args = args[1:]
		switch {
		case named || len(f.input) > 0:
			f.input = append(f.input, first)
		case first == "server" || first == "worker" || first == "version":
			f.subcommand, named = first, true
		case slices.Contains(pipeline.Names(), first):
			f.options.Pipeline, named = first, true
		default:
			named = true
			f.input = append(f.input, first)
		}
	}
	o := &f.options
	o.Input, o.With, o.NoLift = f.input, f.with, !f.lift
	if o.Samples = f.samples; f.samples <= 0 {
		o.Samples = pipeline.NoSamples
	}
	if o.Salts = f.salts; f.salts <= 1 {
		o.Salts = pipeline.NoSalts
	}
	if o.Output == "" {
		o.Output = "unique"
		if o.Pipeline != "" {
			o.Output = o.Pipeline
		}
	}
	if f.subcommand != "" && len(f.input) > 0 {
		return fmt.Errorf("%s takes no input; got %q", f.subcommand, f.input[0])
	}
	return nil
}

// flagError rewrites an error so that each flag begins with two hyphens, as users write it.
func flagError(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	text, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if unknown {
		return fmt.Errorf(`unknown flag --%s: see "locus-beam --help", or "locus-beam --help_runner" for the flags of Beam`, text)
	}
	return errors.New(strings.NewReplacer("flag -", "flag --", "argument: -", "argument: --").Replace(text))
}

// fail writes an error message without passwords and control characters.
func (f *flags) fail(status int, err error) int {
	fmt.Fprintf(f.stderr, "locus-beam: %s\n", term.Safe(locus.MaskText(reason(err.Error()))))
	return status
}

// reason returns the last line of a Beam error message, which contains the reason for the failure.
// The other lines contain the execution plan and the names of all steps.
func reason(message string) string {
	message = strings.TrimSpace(message)
	return strings.TrimSpace(message[strings.LastIndexByte(message, '\n')+1:])
}
