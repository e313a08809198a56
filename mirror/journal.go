package mirror

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/wholefile"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// The manifest describes each file in the mirror. The manifest contains one JSON object per
// line. A run replaces the manifest when it ends. During the run, the journal records each URL
// that the run found, and the result for each URL, so that the next run can continue.
const (
	manifestFile = stateFolder + "/manifest.ndjson"
	journalFile  = stateFolder + "/journal.ndjson"
)

// Record is a line in the manifest. A Record describes a URL and its file.
type Record struct {
	URL      string    `json:"url"`  // URL in canonical form, without a password
	File     string    `json:"file"` // file with the resource's bytes, relative to the mirror's directory
	Page     string    `json:"page,omitempty"`
	Menu     bool      `json:"menu,omitempty"`
	Type     string    `json:"type,omitempty"` // media type
	Size     int64     `json:"size"`           // size of the resource
	Digest   string    `json:"digest"`         // digest of the resource: "sha256:" and hexadecimal digits
	Modified time.Time `json:"modified,omitzero"`
	Tag      string    `json:"tag,omitempty"`
	Fetched  time.Time `json:"fetched"`
	From     string    `json:"from,omitempty"` // URL of the first resource that links to this resource; empty for a starting URL
	Start    string    `json:"start"`          // starting URL from which Run found this resource
	Depth    int       `json:"depth"`          // number of links from Start

	// Listed is the size and time that the menu reports for the resource. Stored is the size
	// and time of the file after Run wrote the file. A file that differs from Stored does not
	// belong to the mirror.
	Listed *Stamp `json:"listed,omitempty"`
	Stored *Stamp `json:"stored,omitempty"`
	// Original is the file with the original bytes of the resource, if links in File were
	// rewritten.
	Original string `json:"original,omitempty"`
	// Document means that Run follows the links in the resource.
	Document bool `json:"document,omitempty"`
	Gone     bool `json:"gone,omitempty"`
	// Private means that the resource came from this machine, or from an address that is not
	// public.
	Private bool `json:"private,omitempty"`
}

// Stamp is the size and time of a file.
type Stamp struct {
	Size int64     `json:"size"`
	Time time.Time `json:"time,omitzero"`
}

func (s *Stamp) equal(t *Stamp) bool {
	return s != nil && t != nil && s.Size == t.Size && s.Time.Equal(t.Time)
}

// job is a URL to fetch. Each job is a line in the journal.
type job struct {
	URL    string          `json:"url"`            // see Record.URL
	File   string          `json:"file,omitempty"` // path of the file; empty while the kind of the resource is unknown
	Page   string          `json:"page,omitempty"`
	From   string          `json:"from,omitempty"`
	Origin policy.Origin   `json:"origin,omitempty"` // origin of the links in From
	Start  string          `json:"start"`
	Depth  int             `json:"depth,omitempty"`
	Hops   int             `json:"hops,omitempty"` // number of redirects before this resource
	Kind   scheme.ItemKind `json:"kind,omitempty"`
	Listed *Stamp          `json:"listed,omitempty"`
	// InMenu means that From is a menu. Needed means that a browser needs this resource to
	// show the page From.
	InMenu bool     `json:"inMenu,omitempty"`
	Needed bool     `json:"needed,omitempty"`
	Above  []uint64 `json:"above,omitempty"` // hashes of the menus above the resource, to detect loops

	seq        int // number of the job
	tries      int
	again      bool // whether only the links of the resource are needed
	url, start locus.URL
}

// line is a line in the journal. Exactly one field is set.
type line struct {
	Begin *begin `json:"begin,omitempty"`
	Job   *job   `json:"job,omitempty"`
	// Write is a claim to a file. A run records the claim before it writes the file under a
	// new name.
	Write *claim  `json:"write,omitempty"`
	Done  *result `json:"done,omitempty"`
	// Same is the URL of a job whose record in the manifest is still correct.
	Same string `json:"same,omitempty"`
	// Links is a number of jobs. The links of the first Links jobs are in the journal.
	Links int `json:"links,omitempty"`
}

// begin identifies the run to which the journal belongs.
type begin struct {
	Layout  Layout    `json:"layout"`
	Options string    `json:"options,omitempty"` // hash of the options that affect the result
	Time    time.Time `json:"time"`
}

// claim records the paths of a URL's files as a line in the journal.
type claim struct {
	URL  string `json:"url"`
	File string `json:"file"`
	Page string `json:"page,omitempty"`
}

// result is the outcome of a job.
type result struct {
	Status  Status `json:"status"`
	Record  `json:"record"`
	Missing bool `json:"missing,omitempty"` // the server reported that the resource does not exist
	Again   bool `json:"again,omitempty"`   // the resource already has a result
}

// key is a hash that identifies a URL.
type key [16]byte

func keyOf(url string) key {
	sum := sha256.Sum256([]byte(url))
	return key(sum[:16])
}

// known is the ledger's entry for a URL. The fields manifest and result are the offsets of the
// URL's lines in the manifest and in the journal, plus 1.
type known struct {
	manifest, result int64
	found            bool // whether this run found the URL
	same             bool // whether the record in the manifest is still correct
	missing          bool // whether the server no longer has the resource
}

// ledger combines the manifest and the journal of a mirror. A ledger is not safe for
// concurrent use.
type ledger struct {
	root     *os.Root
	begin    begin
	manifest *lineFile // nil if the manifest is missing
	journal  *lineFile
	jobs     []int64 // offset of each job in the journal
	seq      int     // number of jobs that nextJob has returned
	index    map[key]known
	claims   map[key]place // places without a result, where files may exist

	resumed int            // number of jobs whose links the interrupted run added
	counts  map[Status]int // results of the interrupted run
}

// openLedger reads the manifest and journal of earlier runs. openLedger calls the function
// take for each place whose file names are in use.
func openLedger(root *os.Root, b begin, take func(place)) (*ledger, error) {
	l := &ledger{root: root, begin: b, index: map[key]known{}, claims: map[key]place{}, counts: map[Status]int{}}
	if err := l.open(take); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *ledger) open(take func(place)) (err error) {
	if err = l.openManifest(take); err != nil {
		return err
	}
	if l.journal, err = openLines(l.root, journalFile, os.O_RDWR|os.O_CREATE); err != nil {
		return err
	}
	continues, err := l.load(take)
	if continues || err != nil {
		return err
	}
	if l.journal.size > 0 {
		// The interrupted run had other options, but its results are still valid.
		if err = l.finish(nil); err != nil {
			return err
		}
		clear(l.index)
		clear(l.counts)
		l.jobs, l.resumed = nil, 0
		if err = l.openManifest(func(place) {}); err != nil {
			return err
		}
	}
	l.append(line{Begin: &l.begin})
	return l.flush()
}

var (
	// ErrLayout means that the directory contains a mirror with another layout. [Run] returns
	// an error that wraps ErrLayout.
	ErrLayout = errors.New("the folder has a mirror of another layout")
	// ErrManifest means that the manifest can't be read. [Run] returns an error that wraps
	// ErrManifest.
	ErrManifest = errors.New("the manifest is damaged")
)

func (l *ledger) checkLayout(b *begin) error {
	if b.Layout != l.begin.Layout {
		return fmt.Errorf("%w: %q instead of %q", ErrLayout, b.Layout, l.begin.Layout)
	}
	return nil
}

// openManifest opens the manifest and indexes its lines.
func (l *ledger) openManifest(take func(place)) (err error) {
	if l.manifest != nil {
		l.manifest.file.Close()
	}
	l.manifest, err = openLines(l.root, manifestFile, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for text, at := range l.manifest.lines() {
		var r struct {
			Record
			Mirror *begin `json:"mirror"`
		}
		err := json.Unmarshal(text, &r)
		switch {
		case err == nil && at == 0 && r.Mirror != nil:
			if err := l.checkLayout(r.Mirror); err != nil {
				return err
			}
			continue
		case err != nil || at == 0 || !r.isSafe():
			return fmt.Errorf("%s: %w", manifestFile, damagedAt(at))
		}
		l.index[keyOf(r.URL)] = known{manifest: at + 1}
		take(place{r.File, r.Page})
	}
	return nil
}

// isSafe reports whether all paths in r are inside the mirror's directory.
func (r *Record) isSafe() bool {
	return r.URL != "" && isLocal(r.File) && (r.Page == "" || isLocal(r.Page)) && (r.Original == "" || isLocal(r.Original))
}

func isLocal(name string) bool { return fs.ValidPath(name) && name != "." && filepath.IsLocal(name) }

// load reads the journal of an interrupted run, and truncates the journal after its last valid
// line. The result continues reports whether this run has the same URLs and options as the
// interrupted run.
func (l *ledger) load(take func(place)) (continues bool, err error) {
	end := int64(0)
	for text, at := range l.journal.lines() {
		var n line
		if json.Unmarshal(text, &n) != nil {
			break
		}
		end = at + int64(len(text)) + 1
		switch {
		case n.Begin != nil:
			if err := l.checkLayout(n.Begin); err != nil {
				return false, err
			}
			continues = n.Begin.Options == l.begin.Options
		case n.Job != nil:
			if continues && isLocal(n.Job.File) { // with other options, a name without a file is free again
				take(place{n.Job.File, n.Job.Page})
			}
			l.change(n.Job.URL, func(e *known) { e.found = true })
			l.jobs = append(l.jobs, at)
		case n.Write != nil && isLocal(n.Write.File):
			take(place{n.Write.File, n.Write.Page})
			l.claims[keyOf(n.Write.URL)] = place{n.Write.File, n.Write.Page}
		case n.Done != nil:
			l.apply(n.Done, at)
			if !n.Done.Again {
				l.counts[n.Done.Status]++
			}
		case n.Same != "":
			l.change(n.Same, func(e *known) { e.found, e.same = true, true })
			l.counts[Same]++
		case n.Links > 0:
			l.resumed = n.Links
		}
	}
	return continues, l.journal.cut(end)
}

func (l *ledger) change(url string, f func(*known)) {
	k := keyOf(url)
	e := l.index[k]
	f(&e)
	l.index[k] = e
}

// apply records a result, whose journal line is at the offset at.
func (l *ledger) apply(r *result, at int64) {
	l.change(r.URL, func(e *known) {
		e.missing = r.Missing
		if r.Status != Failed && r.isSafe() {
			e.result = at + 1
		}
	})
	delete(l.claims, keyOf(r.URL))
}

// append adds a line to the journal. Only flush returns an error.
func (l *ledger) append(n line) (at int64) { return l.journal.append(n) }

// flush writes the journal to the file, so that it survives if this process is killed.
func (l *ledger) flush() error { return l.journal.flush() }

func (l *ledger) add(j *job) {
	l.change(j.URL, func(e *known) { e.found = true })
	l.jobs = append(l.jobs, l.append(line{Job: j}))
}

func (l *ledger) isFound(url string) bool { return l.index[keyOf(url)].found }

// claim records that the mirror owns the files at a place.
func (l *ledger) claim(url string, at place) error {
	l.claims[keyOf(url)] = at
	l.append(line{Write: &claim{url, at.file, at.page}})
	return l.flush()
}

// same records that the manifest record for a URL is still correct.
func (l *ledger) same(url string) {
	l.change(url, func(e *known) { e.found, e.same = true, true })
	l.append(line{Same: url})
}

// hasResult reports whether this run has recorded a result for a URL. A failure does not count
// as a result.
func (l *ledger) hasResult(url string) bool {
	e := l.index[keyOf(url)]
	return e.same || e.result > 0
}

func (l *ledger) done(r *result) { l.apply(r, l.append(line{Done: r})) }

// nextJob reads the next job from the journal. If the journal contains no further job, nextJob
// returns nil. A later call may return a job that was added in the meantime.
func (l *ledger) nextJob() (*job, error) {
	if l.seq == len(l.jobs) {
		return nil, nil
	}
	at := l.jobs[l.seq]
	var n line
	err := l.journal.read(at, &n)
	if err == nil && n.Job == nil {
		err = damagedAt(at)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", journalFile, err)
	}
	n.Job.seq = l.seq
	l.seq++
	return n.Job, nil
}

// records returns the manifest's record for a URL as before, and this run's result as now.
// Each result may be nil.
func (l *ledger) records(url string) (before *Record, now *result) {
	e := l.index[keyOf(url)]
	if e.manifest > 0 {
		before = new(Record)
		if l.manifest.read(e.manifest-1, before) != nil || before.URL != url {
			before = nil
		}
	}
	if e.same && before != nil {
		now = &result{Status: Same, Record: *before}
	}
	if e.result > 0 {
		var n line
		if l.journal.read(e.result-1, &n) == nil && n.Done != nil && n.Done.URL == url {
			now = n.Done
		}
	}
	return before, now
}

// finish writes a new manifest with the results of this run, and removes the journal. The
// function lost is called for each record whose resource this run did not find, or that the
// server no longer has. If lost returns true or is nil, the record stays in the manifest.
func (l *ledger) finish(lost func(*Record) bool) error {
	if err := l.flush(); err != nil {
		return err
	}
	f, err := wholefile.NewReplacementIn(l.root, manifestFile, manifestFile+".new", 0o666)
	if err != nil {
		return err
	}
	defer f.Discard()
	w := bufio.NewWriterSize(f, 64<<10)
	head := l.begin
	head.Options = ""
	w.Write(encode(map[string]any{"mirror": head}))
	for url, text := range l.all() {
		e := l.index[keyOf(url)]
		if e.found && !e.missing || lost == nil {
			w.Write(text)
			w.WriteByte('\n')
			continue
		}
		if r := decode(text); r != nil && lost(r) {
			w.Write(encode(r))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Commit(); err != nil {
		return err
	}
	return l.journal.cut(0)
}

// all yields the URL and the JSON text of each record for the new manifest. Records of the old
// manifest come first, in the same order. Records that this run added follow. Each text is
// valid until the next iteration.
func (l *ledger) all() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		if l.manifest != nil {
			for text := range l.manifest.lines() {
				url := urlOf(text)
				if url == "" {
					continue // the first line
				}
				if l.index[keyOf(url)].result > 0 {
					if _, now := l.records(url); now != nil {
						text = bytes.TrimSuffix(encode(&now.Record), []byte("\n"))
					}
				}
				if !yield(url, text) {
					return
				}
			}
		}
		for text, at := range l.journal.lines() {
			var n map[string]struct{ Record json.RawMessage }
			if !bytes.HasPrefix(text, []byte(`{"done":`)) || json.Unmarshal(text, &n) != nil {
				continue
			}
			record := n["done"].Record
			url := urlOf(record)
			if e := l.index[keyOf(url)]; e.manifest > 0 || e.result != at+1 {
				continue
			}
			if !yield(url, record) {
				return
			}
		}
	}
}

// urlOf returns the URL in a JSON record, or "" if the text is not a record.
func urlOf(text []byte) string {
	const start = `{"url":"`
	if rest, ok := bytes.CutPrefix(text, []byte(start)); ok {
		if end := bytes.IndexAny(rest, `"\`); end >= 0 && rest[end] == '"' {
			return string(rest[:end])
		}
	}
	if r := decode(text); r != nil {
		return r.URL
	}
	return ""
}

func decode(text []byte) *Record {
	r := new(Record)
	if json.Unmarshal(text, r) != nil || r.URL == "" {
		return nil
	}
	return r
}

func (l *ledger) close() {
	for _, f := range []*lineFile{l.manifest, l.journal} {
		if f != nil {
			f.file.Close()
		}
	}
}
