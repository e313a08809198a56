package pipeline

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/lines"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/scheme/all"
)

// The names of the pipelines.
const (
	Unique  = "unique"
	Check   = "check"
	Extract = "extract"
	Join    = "join"
	Graph   = "graph"
)

// Names returns the names of the pipelines.
func Names() []string { return []string{Unique, Check, Extract, Join, Graph} }

// Options holds the input, settings and output of a pipeline.
type Options struct {
	// Pipeline is the name of the pipeline. An empty name selects [Unique].
	Pipeline string
	// Input lists the input files. Each name may be a file system pattern with "*", "?" and "[]".
	// Input must not be empty.
	Input []string
	// With lists the files that contain the second list for [Join].
	With []string
	// Output is the prefix of the names of all output files.
	Output string
	// Format is the output format: [FormatText], [FormatNDJSON] or [FormatParquet]. An empty
	// Format selects FormatText.
	Format string
	// Compression is the compression of text and NDJSON: "none", "gzip" or "zstd". An empty
	// Compression selects "none".
	Compression string
	// Shards is the number of output files. If Shards is zero, each bundle (the elements that
	// the runner processes together) gets its own file.
	Shards int
	// Overwrite permits the pipeline to replace the files of an earlier run.
	Overwrite bool
	// Rules selects the rules of [Check] by a name for [profile.Parse]. An empty name selects
	// "rfc1738".
	Rules string
	// Samples is the number of samples in each row of [Check]. Zero means 3, and [NoSamples] means
	// none.
	Samples int
	// Field and Delimiter select the field that contains the URL in each line, as in
	// [lines.Field]. If Field is zero, the whole line is the URL. An empty Delimiter selects a
	// TAB.
	Field     int
	Delimiter string
	// Key is the path of the URL in a JSON line, as in [lines.Key]. If Key is empty, the
	// pipeline does not parse lines as JSON.
	Key string
	// NoLift makes the pipeline send every record to the workers that sum the counts. By
	// default, the pipeline adds up the records in a bundle and sends one tally for each key.
	NoLift bool
	// Salts is the number of parts into which the pipeline splits a hot key (a very frequent
	// key), so that several workers can count the parts. Zero means 16 parts, and [NoSalts]
	// means one part.
	Salts int
	// Job is a name for temporary files. It must differ in each run. If Job is empty, the
	// pipeline uses a random name.
	Job string
}

const (
	// NoSamples is the value of Options.Samples that turns samples off.
	NoSamples = -1
	// NoSalts is the value of Options.Salts that does not split hot keys.
	NoSalts = -1

	defaultSamples = 3
	defaultSalts   = 16
	maxSalts       = 256
)

// Checked validates the options. It returns a copy of o in which default values replace the zero
// values. Errors contain lowercase field names.
func (o Options) Checked() (Options, error) {
	o.Pipeline = cmp.Or(o.Pipeline, Unique)
	o.Format = cmp.Or(o.Format, FormatText)
	o.Compression = cmp.Or(o.Compression, compressNone)
	o.Rules = cmp.Or(o.Rules, locus.RFC1738.String())
	o.Samples = cmp.Or(o.Samples, defaultSamples)
	o.Salts = cmp.Or(o.Salts, defaultSalts)
	o.Job = cmp.Or(o.Job, rand.Text())
	switch {
	case !slices.Contains(Names(), o.Pipeline):
		return o, fmt.Errorf("unknown pipeline %q: choose %s", o.Pipeline, strings.Join(Names(), ", "))
	case len(o.Input) == 0 || slices.Contains(o.Input, ""):
		return o, errors.New("no input: give a file or a pattern")
	case slices.Contains(o.Input, "-") || slices.Contains(o.With, "-"):
		return o, errors.New("a pipeline can't read standard input: give a file, or ./- for a file named -")
	case o.Output == "" || strings.HasSuffix(o.Output, "/"):
		return o, fmt.Errorf("output %q is not a prefix of file names: write one such as out/links", o.Output)
	case strings.ContainsAny(o.Output, `*?[\`):
		return o, fmt.Errorf("output %q contains a pattern character: omit *, ?, [ and \\", o.Output)
	case !hasName(o.Output):
		return o, fmt.Errorf("output %q has no name after the bucket: write one such as s3://bucket/links", o.Output)
	case o.Pipeline == Join && (len(o.With) == 0 || slices.Contains(o.With, "")):
		return o, errors.New("join needs a second list: set \"with\"")
	case o.Pipeline != Join && len(o.With) > 0:
		return o, fmt.Errorf(`"with" applies only to join, not to %s`, o.Pipeline)
	case !slices.Contains(Formats(), o.Format):
		return o, fmt.Errorf("unknown format %q: choose %s", o.Format, strings.Join(Formats(), ", "))
	case !slices.Contains(Compressions(), o.Compression):
		return o, fmt.Errorf("unknown compression %q: choose %s", o.Compression, strings.Join(Compressions(), ", "))
	case o.Format == FormatParquet && o.Compression != compressNone:
		return o, errors.New("format parquet compresses its columns itself: omit compression")
	case o.Shards < 0 || o.Shards > maxShards:
		return o, fmt.Errorf("%d shards is out of range (0-%d)", o.Shards, maxShards)
	case o.Salts > maxSalts:
		return o, fmt.Errorf("%d salts is out of range (1-%d)", o.Salts, maxSalts)
	case o.Field != 0 && o.Key != "":
		return o, errors.New("field and key exclude each other: choose one")
	case o.Delimiter != "" && o.Field == 0:
		return o, errors.New("a delimiter needs a field number")
	case o.Pipeline == Graph && o.hasFields():
		return o, errors.New("graph reads web archives, or lines of two URLs separated by a TAB: omit field and key")
	case o.Pipeline == Extract && o.hasFields():
		return o, errors.New("extract reads documents: omit field and key")
	}
	if _, err := o.finder(); err != nil {
		return o, err
	}
	_, err := o.rules()
	return o, err
}

// hasName reports whether a name such as s3://bucket/out contains more than a bucket.
func hasName(output string) bool {
	_, rest, remote := strings.Cut(output, "://")
	return !remote || strings.Contains(rest, "/")
}

// maxShards is the maximum number of output files. A larger number would need more digits in the
// file names.
const maxShards = 99_999

// hasFields reports whether lines contain more than a URL.
func (o Options) hasFields() bool { return o.Field != 0 || o.Key != "" }

// finder returns the Finder for the selected fields. If the Finder is nil, the format of each file
// determines the position of the URL.
func (o Options) finder() (*lines.Finder, error) {
	switch {
	case o.Field != 0:
		// Accept "\t", because a TAB is hard to type in most shells.
		return lines.Field(o.Field, strings.ReplaceAll(cmp.Or(o.Delimiter, "\t"), `\t`, "\t"))
	case o.Key != "":
		return lines.Key(o.Key)
	}
	return nil, nil
}

func (o Options) rules() (profile.Rules, error) {
	known := []locus.Profile{locus.RFC1738, locus.RFC1630, locus.RFC3986, locus.WHATWG}
	list, err := profile.Parse(o.Rules, known)
	if err != nil {
		return profile.Rules{}, err
	}
	if len(list) != 1 {
		return profile.Rules{}, fmt.Errorf("rules %q: choose one of %s", o.Rules, profile.Names(known))
	}
	registry, err := all.Registry()
	return profile.Rules{Profile: list[0], Registry: registry}, err
}
