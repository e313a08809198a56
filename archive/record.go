// Package archive records the requests of a client in web archives, and replays them.
//
// A [Recorder] writes the requests of an [access.Client] to a web archive (package warc).
// It writes HTTP requests and responses exactly as transmitted. For any other scheme it
// writes the object or menu as a resource record, and a transcript of the connection. A
// Recorder does not write passwords or cookies. See docs/archive.md.
package archive

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/httpwire"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/warc"
)

// Recorder records the requests of clients. It may be used concurrently.
type Recorder struct {
	to        *warc.Writer
	registry  *scheme.Registry
	onFailure func(error)

	records, errors atomic.Uint64 // see Counts

	mu     sync.Mutex
	active map[ender]struct{}
	over   bool
	err    error
}

// Counts counts the writes of a [Recorder].
type Counts struct {
	Records uint64 // records that were written
	Errors  uint64 // failed writes
}

// Counts returns the number of writes so far.
func (r *Recorder) Counts() Counts { return Counts{r.records.Load(), r.errors.Load()} }

// ender is a recording in progress.
type ender interface{ finish(err error) }

// NewRecorder returns a recorder that writes to w. It uses the registry to convert URLs to
// canonical form. If a write fails, the recording ends early, and the Recorder calls onFailure
// once. If onFailure is nil, only Close returns the error.
func NewRecorder(w *warc.Writer, registry *scheme.Registry, onFailure func(error)) *Recorder {
	return &Recorder{to: w, registry: registry, onFailure: onFailure, active: make(map[ender]struct{})}
}

// Record begins to record a request. A program sets [access.Options].Record to this method.
// After the recording has failed or ended, Record returns nil.
func (r *Recorder) Record(req *scheme.Request) access.Recording {
	x := &recording{recorder: r, url: req.URL, began: r.to.Now(), part: isPart(req)}
	if !r.register(x) {
		return nil
	}
	return x
}

// isPart reports whether the response to req may be only a part of the resource.
func isPart(req *scheme.Request) bool {
	return req.Probe || req.Offset > 0 || len(req.Like) > 0 || req.Items != scheme.ItemRange{}
}

// Close ends the recordings in progress, writes the data that was read so far, and closes
// the archive. Close returns the first error of the recording.
func (r *Recorder) Close() error {
	r.mu.Lock()
	active := slices.Collect(maps.Keys(r.active))
	r.mu.Unlock()
	for _, x := range active {
		x.finish(fs.ErrClosed)
	}
	r.mu.Lock()
	r.over = true
	err := r.err
	r.mu.Unlock()
	if closeErr := r.to.Close(); err == nil {
		err = closeErr
	}
	return err
}

// register adds a recording to the set of recordings in progress. It returns false if the
// recorder has ended.
func (r *Recorder) register(x ender) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	r.active[x] = struct{}{}
	return true
}

func (r *Recorder) ended(x ender) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.active, x)
}

// write writes records. A file system error ends the recording.
func (r *Recorder) write(entries ...*warc.Entry) {
	r.mu.Lock()
	over := r.over
	r.mu.Unlock()
	if over {
		for _, e := range entries {
			e.Block.Discard()
		}
		return
	}
	err := r.to.Write(entries...)
	if err == nil {
		r.records.Add(uint64(len(entries)))
		return
	}
	r.errors.Add(1)
	r.mu.Lock()
	first := r.err == nil
	if first {
		r.err, r.over = err, true
	}
	r.mu.Unlock()
	if first && r.onFailure != nil {
		r.onFailure(err)
	}
}

// target returns the URI for a resource record: the canonical form of u without a password.
func (r *Recorder) target(u locus.URL) string {
	if canonical, _, err := r.registry.Canonical(u); err == nil {
		u = canonical
	}
	return uri(u.WithoutPassword())
}

// webTarget returns the URI for an HTTP request, without userinfo.
func webTarget(u locus.URL) string {
	p := u.Parts()
	p.User, p.Password = nil, nil
	if without, err := p.URL(); err == nil {
		u = without
	}
	return uri(u.WithoutPassword())
}

// uri returns u without its fragment, and escapes the bytes that a URI can't contain.
func uri(u locus.URL) string {
	return string(escape.AppendSafer(nil, u.WithoutFragment().String(), escape.Chars("<>\"{}|\\^` "), escape.Set{}))
}

// truncationReason returns the WARC-Truncated value for err, the reason why a record is
// incomplete. If err is nil, it returns "".
func truncationReason(err error) string {
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		return ""
	case errors.Is(err, scheme.ErrTooLarge):
		return "length"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "time"
	case errors.Is(err, httpwire.ErrUnread), errors.Is(err, fs.ErrClosed), errors.Is(err, context.Canceled):
		return "unspecified"
	}
	return "disconnect"
}

// ipAddress returns the value of WARC-IP-Address, without port and zone. It returns "" if the
// address is unknown.
func ipAddress(a net.Addr) string {
	if a == nil {
		return ""
	}
	p, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return ""
	}
	return p.Addr().Unmap().WithZone("").String()
}

// sharedFields returns the header fields for records with data from the given address.
func sharedFields(address string, err error, masked []string) []warc.Field {
	var list []warc.Field
	if address != "" {
		list = append(list, warc.Field{Name: "WARC-IP-Address", Value: address})
	}
	if why := truncationReason(err); why != "" {
		list = append(list, warc.Field{Name: "WARC-Truncated", Value: why})
	}
	if len(masked) > 0 {
		list = append(list, maskedField(masked))
	}
	return list
}
