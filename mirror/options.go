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

// Options configures [Run]. The zero value, and nil, select the defaults.
type Options struct {
	// Depth is the maximum number of links between a given URL and a resource. Zero means
	// no limit. [StartsOnly] selects only the given URLs.
	Depth int
	// Include restricts the mirror to matching URLs. If nil, all URLs match. Exclude
	// applies after Include. If Include does not match a menu or page, Run still reads
	// the links in that menu or page.
	Include, Exclude []policy.Pattern
	// Hosts matches URLs that are mirrored in addition to those below the given ones.
	Hosts []policy.Pattern
	// PageRequisites also mirrors the images, style sheets and scripts that pages need, on
	// any host.
	PageRequisites bool
	// MaxBytes is the number of downloaded bytes after which the run ends, and MaxFiles
	// the number of downloaded files. Downloads in progress are completed. Zero means no
	// limit.
	MaxBytes int64
	MaxFiles int
	// Newer skips resources with an older time. The zero Time skips none.
	Newer time.Time

	Layout Layout // layout of the files; empty means LayoutHost; the layout of a mirror can't be changed
	// Relink rewrites links between files in the mirror, and makes all other links absolute.
	Relink bool
	// Delete removes the files of resources that are gone.
	Delete bool
	// MaxDelete is the maximum number of resources that Delete removes. If more are gone, Run
	// removes no file and returns a [*ManyGoneError]. Zero means no limit. But if all resources
	// below a given URL are gone, Run never removes them, because the server may have lost its
	// files or may show another directory.
	MaxDelete int
	// NoTimes gives files the time when they are written. Otherwise a file has the time of
	// its resource, if the server reports it.
	NoTimes bool
	// NoRobots ignores robots.txt.
	NoRobots bool

	// Politeness limits the requests. A host that requests a longer pause than MaxWait
	// receives no more requests in this run.
	access.Politeness
	// MaxPage is the maximum number of bytes of a page that Run reads for links. Zero means
	// 16 MiB.
	MaxPage int64

	// Report receives the outcome of each resource. Run does not call it concurrently.
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

// hash returns a hash of the options that select the mirrored resources. A run with another
// hash does not continue an interrupted run.
func (o *Options) hash(names []string) string {
	text, _ := json.Marshal([]any{names, o.Depth, o.Include, o.Exclude, o.Hosts, o.PageRequisites, o.MaxBytes, o.MaxFiles, o.Newer, o.Relink, o.NoTimes, o.NoRobots})
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Status is the outcome of a resource.
type Status string

const (
	Added   Status = "added"   // the resource is new
	Changed Status = "changed" // the run replaced its file
	Same    Status = "same"    // its file is unchanged
	Gone    Status = "gone"    // the server no longer has it, or no menu or page links to it
	Failed  Status = "failed"  // reading or writing failed
)

// Event is the outcome of a resource.
type Event struct {
	URL    string // URL without its password
	File   string // path relative to the mirror's directory; empty if none
	Status Status
	Size   int64
	Digest string // "sha256:" and hexadecimal digits
	Err    error  // error that is the reason for Failed
}

// Summary is the outcome of a run. If the run continued an interrupted run, the Summary
// includes the interrupted run.
type Summary struct {
	Added, Changed, Same, Gone, Failed int

	Deleted int   // deleted files
	Robots  int   // URLs excluded by robots.txt
	Loops   int   // menus that repeat their parents; Run did not follow their items
	Bytes   int64 // bytes received in this process
	// Complete reports that all menus and pages were read to their end, and no limit was met.
	// Otherwise the run can't determine which resources are gone.
	Complete bool
}
