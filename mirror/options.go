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

// Options configures [Run]. The zero value and a nil *Options select the defaults.
type Options struct {
	// Depth is the maximum number of links between a starting URL and a resource. Zero means
	// no limit. [StartsOnly] selects only the starting URLs.
	Depth int
	// Include restricts the mirror to matching URLs. If Include is nil, all URLs match.
	// Exclude omits matching URLs after Include is applied. If Include does not match a menu
	// or page, Run still reads the links in that menu or page.
	Include, Exclude []policy.Pattern
	// Hosts selects URLs to mirror in addition to the URLs below the starting URLs.
	Hosts []policy.Pattern
	// PageRequisites means that Run also mirrors the images, style sheets and scripts that
	// pages need, on any host.
	PageRequisites bool
	// MaxBytes is the number of downloaded bytes after which the run ends. MaxFiles is the
	// number of downloaded files after which the run ends. Run completes downloads in
	// progress. Zero means no limit.
	MaxBytes int64
	MaxFiles int
	// Newer is the time before which Run skips resources. If Newer is the zero Time, Run skips
	// no resources.
	Newer time.Time

	Layout Layout // file layout, which can't change between runs; empty means LayoutHost
	// Relink means that Run rewrites links between files in the mirror, and makes all other
	// links absolute.
	Relink bool
	// Delete means that Run removes the files of resources that are gone.
	Delete bool
	// MaxDelete is the maximum number of resources that Delete removes. If more resources are
	// gone, Run removes no file and returns a [*ManyGoneError]. Zero means no limit. Even
	// then, Run removes no file if all resources below a starting URL are gone, because the
	// server may have lost its files or may show another directory.
	MaxDelete int
	// NoTimes means that a file's modification time is the time of writing. Otherwise, the
	// file gets the time that the server reports for the resource, if any.
	NoTimes bool
	// NoRobots means that Run ignores robots.txt.
	NoRobots bool

	// Politeness limits the requests. If a host requests a longer pause than MaxWait, Run
	// sends no more requests to the host.
	access.Politeness
	// MaxPage is the maximum size in bytes of a page that Run reads for links. Zero means 16
	// MiB.
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

// hash returns a hash of the starting URLs and of the options that select resources. Run
// continues an interrupted run only if the hash is the same.
func (o *Options) hash(names []string) string {
	text, _ := json.Marshal([]any{names, o.Depth, o.Include, o.Exclude, o.Hosts, o.PageRequisites, o.MaxBytes, o.MaxFiles, o.Newer, o.Relink, o.NoTimes, o.NoRobots})
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Status is the outcome of a resource.
type Status string

const (
	Added   Status = "added"   // the resource is new
	Changed Status = "changed" // the run replaced the resource's file
	Same    Status = "same"    // the resource's file is unchanged
	Gone    Status = "gone"    // the server no longer has the resource, or no menu or page links to it
	Failed  Status = "failed"  // reading or writing failed
)

// Event is the outcome of a resource.
type Event struct {
	URL    string // URL without its password
	File   string // path relative to the mirror's directory; empty if there is no file
	Status Status
	Size   int64
	Digest string // "sha256:" and hexadecimal digits
	Err    error  // reason for the status Failed
}

// Summary is the outcome of a run. A Summary includes the results of an interrupted run that
// the run continued.
type Summary struct {
	Added, Changed, Same, Gone, Failed int

	Deleted int   // deleted files
	Robots  int   // URLs excluded by robots.txt
	Loops   int   // menus whose items Run did not follow, because they repeat parent menus
	Bytes   int64 // bytes received in this process
	// Complete reports whether the run read all menus and pages to their end, and reached no
	// limit. Otherwise, the run can't determine which resources are gone.
	Complete bool
}
