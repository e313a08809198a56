package mirror

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/policy"
)

// Options of [Run]. The zero value, and nil, select the defaults.
type Options struct {
	// Depth is how many links a resource may be away from the URL that was given; 0: any
	// number, [StartsOnly]: none.
	Depth int
	// Include and Exclude describe the URLs that are kept: those of Include, nil: all, but
	// those of Exclude. Menus and pages that Include leaves out are read for their links.
	Include, Exclude []policy.Pattern
	// Hosts describe URLs that are mirrored besides those below the given ones.
	Hosts []policy.Pattern
	// PageRequisites also mirrors what pages need to be shown, wherever it is: images,
	// style sheets and scripts.
	PageRequisites bool
	// MaxBytes and MaxFiles end the run after so many bytes and files were fetched; 0: no
	// limit. Files that are being fetched are finished.
	MaxBytes int64
	MaxFiles int
	// Newer leaves out resources with an older time. The zero time: none.
	Newer time.Time

	Layout Layout // empty: LayoutHost; that of a mirror can't be changed
	// Relink rewrites links between files of the mirror, and makes the others absolute.
	Relink bool
	// Delete removes files whose resources are gone.
	Delete bool
	// MaxDelete is the most resources whose files Delete removes: if more are gone, no file
	// is removed, and Run returns an [*ManyGoneError]. 0: any number, but not all that
	// the mirror has of a given URL, because a server that has lost its files, or shows
	// another place, looks the same.
	MaxDelete int
	// NoTimes gives files the time of their writing. Otherwise a file has the time of
	// its resource, if the server tells that.
	NoTimes bool
	// NoRobots ignores robots.txt.
	NoRobots bool

	// Politeness limits the requests. A host that asks for a longer pause than MaxWait gets no
	// more requests in this run.
	access.Politeness
	// MaxPage is the most bytes of a page that are read for its links; 0: 16 MiB.
	MaxPage int64

	// Report receives the outcome of each resource. It is not called concurrently.
	Report func(Event)
}

// StartsOnly is an Options.Depth of 0.
const StartsOnly = -1

func (o *Options) orDefault() (Options, error) {
	var r Options
	if o != nil {
		r = *o
	}
	switch r.Layout {
	case "", LayoutHost, LayoutURL, LayoutFlat, LayoutType:
	default:
		return r, fmt.Errorf("mirror: %w: unknown layout %s: write host, url, flat or type", locus.ErrValue, locus.Quote(string(r.Layout)))
	}
	if r.MaxBytes < 0 || r.MaxFiles < 0 || r.MaxDelete < 0 || r.MaxPage < 0 {
		return r, errors.New("mirror: limits must not be negative; 0 selects the default")
	}
	r.Layout = cmp.Or(r.Layout, LayoutHost)
	r.Politeness = crawl.Settle(r.Politeness)
	r.MaxPage = cmp.Or(r.MaxPage, 16<<20)
	return r, nil
}

// hash returns a hash of the options that decide about what is mirrored: a run with
// others does not continue an interrupted one.
func (o *Options) hash(names []string) string {
	text, _ := json.Marshal([]any{names, o.Depth, o.Include, o.Exclude, o.Hosts, o.PageRequisites, o.MaxBytes, o.MaxFiles, o.Newer, o.Relink, o.NoTimes, o.NoRobots})
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Status is the outcome of a resource.
type Status string

const (
	Added   Status = "added"   // it is new
	Changed Status = "changed" // its file was replaced
	Same    Status = "same"    // its file is as it was
	Gone    Status = "gone"    // the server has it no more, or no menu and page links to it
	Failed  Status = "failed"  // it can't be read or written
)

// Event is the outcome of a resource.
type Event struct {
	URL    string // without its password
	File   string // relative to the folder of the mirror; empty if none
	Status Status
	Size   int64
	Digest string // "sha256:" and hexadecimal digits
	Err    error  // of Failed
}

// Summary is the outcome of a run. An interrupted run that was continued is part of it.
type Summary struct {
	Added, Changed, Same, Gone, Failed int

	Deleted int   // files
	Robots  int   // URLs that a robots.txt excludes
	Loops   int   // menus that repeat those above them, whose items were not followed
	Bytes   int64 // received in this process
	// Whole reports that all menus and pages were read to their end, and no limit was met.
	// Otherwise it can't be told what is gone.
	Complete bool
}
