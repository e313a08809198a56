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

// The pipelines.
const (
	Unique  = "unique"
	Check   = "check"
	Extract = "extract"
	Join    = "join"
	Graph   = "graph"
)

// Names returns the names of the pipelines.
func Names() []string { return []string{Unique, Check, Extract, Join, Graph} }

// Options say what a pipeline reads, does and writes.
type Options struct {
	// Pipeline is its name; empty: Unique.
	Pipeline string
	// Input has names of files, each of which may be a pattern of the file system: "*", "?"
	// and "[]". At least one.
	Input []string
	// With has the other list of Join.
	With []string
	// Output is what the names of all output files begin with.
	Output string
	// Format is that of the output: FormatText, FormatNDJSON or FormatParquet; empty:
	// FormatText.
	Format string
	// Compression of text and NDJSON: "none", "gzip" or "zstd"; empty: none.
	Compression string
	// Shards is the number of output files; 0: as many as the runner has bundles.
	Shards int
	// Overwrite: replace the files of an earlier run.
	Overwrite bool
	// Rules are those of Check: a name of [profile.Parse]; empty: rfc1738.
	Rules string
	// Samples is how many samples Check keeps of each row; 0: 3; NoSamples: none.
	Samples int
	// Field and Delimiter say which field of a line is the URL ([lines.Field]); Field 0: the
	// whole line. An empty Delimiter is a TAB.
	Field     int
	Delimiter string
	// Key is the path of the URL in a line of JSON ([lines.Key]); empty: not JSON.
	Key string
	// NoLift: send each record on, instead of one for all records of a key in a bundle.
	NoLift bool
	// Salts is how many parts a hot key is counted in; 0: 16; NoSalts: one.
	Salts int
	// Job is a name for temporary files, different in each run; empty: a random one.
	Job string
}

const (
	// NoSamples is the number of Options.Samples for none.
	NoSamples = -1
	// NoSalts is the number of Options.Salts that does not salt hot keys.
	NoSalts = -1

	defaultSamples = 3
	defaultSalts   = 16
	maxSalts       = 256
)

// Checked returns o with its defaults, or what is wrong with it. The messages name fields as
// flags do.
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
		return o, errors.New("a pipeline can't read standard input: give a file, or ./- for a file named " - "")
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

// hasName reports whether a name such as s3://bucket/out has more than a bucket.
func hasName(output string) bool {
	_, rest, remote := strings.Cut(output, "://")
	return !remote || strings.Contains(rest, "/")
}

// maxShards is how many files the names have digits for.
const maxShards = 99_999

// hasFields reports whether lines have more than a URL.
func (o Options) hasFields() bool { return o.Field != 0 || o.Key != "" }

// finder returns the Finder of the fields; nil: the content of a file tells.
func (o Options) finder() (*lines.Finder, error) {
	switch {
	case o.Field != 0:
		// A TAB is hard to write in most shells.
		return lines.Field(o.Field, strings.ReplaceAll(cmp.Or(o.Delimiter, "\t"), `\t`, "\t"))
	case o.Key != "":
		return lines.Key(o.Key)
	}
	return nil, nil
}

// rules returns the rules of Check.
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
