package archive

import (
	"cmp"
	"io"
	"iter"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/httpwire"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/warc"
)

// recording records a request and its response.
type recording struct {
	recorder *Recorder
	url      locus.URL
	began    time.Time
	filled   bool // the client submitted a form
	part     bool // the response is only a part of the resource

	mu         sync.Mutex
	transcript conversation
	address    string   // server address
	secrets    []string // texts that must not be recorded, the longest text first
	isHTTP     bool     // each HTTP exchange has its own records
	block      *warc.Block
	kind       string // media type of block
	over       bool
}

// Connected implements [scheme.Recorder].
func (x *recording) Connected(name string, remote net.Addr) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.address == "" {
		x.address = ipAddress(remote)
	}
	x.transcript.connected(name, remote)
}

// Octets implements [scheme.Recorder].
func (x *recording) Octets(name string, sent bool, p []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		x.transcript.add(name, sent, p)
	}
}

// minSecret is the minimum length of a password that the recorder hides in server data. Shorter
// passwords occur in many words.
const minSecret = 4

// Secret implements [scheme.Recorder].
func (x *recording) Secret(text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	forms := []string{text, url.PathEscape(text), url.QueryEscape(text)}
	if decoded, err := escape.Decode(text); err == nil {
		forms = append(forms, decoded)
	}
	for _, form := range forms {
		if len(form) >= minSecret && !slices.Contains(x.secrets, form) {
			x.secrets = append(x.secrets, form)
		}
	}
	// A secret may contain another secret, so hide the longest secret first.
	slices.SortStableFunc(x.secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

func (x *recording) knownSecrets() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.secrets)
}

// Filled implements [access.Recording].
func (x *recording) Filled() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.part, x.filled = true, true
}

// Opened implements [access.Recording].
func (x *recording) Opened(res scheme.Resource, err error) scheme.Resource {
	x.mu.Lock()
	isHTTP := x.isHTTP
	x.mu.Unlock()
	if isHTTP && err == nil {
		x.drop()
		return res
	}
	if err != nil {
		x.finish(err)
		return res
	}
	switch r := res.(type) {
	case *scheme.Object:
		x.mu.Lock()
		if !x.part && r.Start == 0 && !x.over {
			x.block, x.kind = x.recorder.to.NewBlock(), mediaTypeOf(r.Type)
			x.block.BeginPayload()
		}
		x.mu.Unlock()
		r.Body = &recordedBody{ReadCloser: r.Body, recording: x, size: r.Size}
	case *scheme.Menu:
		x.saveMenu(r)
	case *scheme.Redirect:
		x.mu.Lock()
		if list := redirectList(r); len(list) > 0 && !x.over && !x.filled {
			x.block, x.kind = x.recorder.to.NewBlock(), redirectType(r)
			x.block.BeginPayload()
			x.block.Write(list)
		}
		x.mu.Unlock()
		x.finish(nil)
	default:
		x.drop() // sessions are not recorded
	}
	return res
}

// mediaTypeOf returns the server's media type if it is valid, or application/octet-stream.
func mediaTypeOf(text string) string {
	const unknown = "application/octet-stream"
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7F {
			return unknown
		}
	}
	if !strings.Contains(text, "/") {
		return unknown
	}
	return text
}

// drop ends the recording without a record.
func (x *recording) drop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	x.over = true
	x.recorder.ended(x)
	if x.block != nil {
		x.block.Discard()
	}
}

// recordedBody records the bytes that the client reads from an object.
type recordedBody struct {
	io.ReadCloser
	recording *recording
	size, got int64 // guarded by recording.mu
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	x := b.recording
	x.mu.Lock()
	b.got += int64(n)
	if x.block != nil && !x.over {
		x.block.Write(p[:n])
	}
	x.mu.Unlock()
	switch {
	case err == io.EOF:
		x.finish(nil)
	case err != nil:
		x.finish(err)
	}
	return n, err
}

func (b *recordedBody) Close() error {
	err := b.ReadCloser.Close()
	b.recording.mu.Lock()
	whole := b.got == b.size
	b.recording.mu.Unlock()
	if whole {
		b.recording.finish(nil)
	} else {
		b.recording.finish(httpwire.ErrUnread)
	}
	return err
}

// saveMenu makes the recording save the bytes of the menu m after the client has read the
// items.
func (x *recording) saveMenu(m *scheme.Menu) {
	m.Items = x.items(m)
	m.Closer = &menuCloser{m.Closer, x}
}

func (x *recording) items(m *scheme.Menu) iter.Seq2[scheme.Item, error] {
	items := m.Items
	return func(yield func(scheme.Item, error) bool) {
		for item, err := range items {
			if err != nil {
				x.finish(err)
			}
			if !yield(item, err) {
				return
			}
		}
		x.saveSource(m)
		x.finish(nil)
	}
}

// saveSource saves the original bytes of a menu. The client must have read the items of the
// menu before.
func (x *recording) saveSource(m *scheme.Menu) {
	if m.Source == nil {
		return
	}
	octets, kind := m.Source()
	if octets == nil || len(octets) == 0 && m.Form != nil {
		return // the menu is too long, or contains only a form
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || x.part {
		return
	}
	x.block, x.kind = x.recorder.to.NewBlock(), mediaTypeOf(kind)
	x.block.BeginPayload()
	x.block.Write(octets)
}

// menuCloser ends the recording of a menu, even if the client has not read all items.
type menuCloser struct {
	inner     io.Closer // may be nil
	recording *recording
}

func (c *menuCloser) Close() error {
	var err error
	if c.inner != nil {
		err = c.inner.Close()
	}
	c.recording.finish(httpwire.ErrUnread)
	return err
}

// finish writes the records of the resource and the conversation. If the data is incomplete,
// err is the reason. Only the first call of this method has an effect.
func (x *recording) finish(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	x.over = true
	defer x.recorder.ended(x)
	var entries []*warc.Entry
	id := ""
	switch {
	case x.block != nil && err != nil && x.block.Size() == 0:
		x.block.Discard() // the client read nothing
	case x.block != nil:
		id = x.recorder.to.NewID()
		entries = append(entries, &warc.Entry{Type: "resource", ID: id, Target: x.recorder.target(x.url), Date: x.began, ContentType: x.kind, Media: x.kind,
			Fields: sharedFields(x.address, err, nil), Block: x.block, Dedup: err == nil})
	}
	if !x.transcript.isEmpty() {
		x.transcript.setError(err)
		entries = append(entries, x.recorder.conversationEntry(x.url, x.began, x.address, id, &x.transcript, x.secrets))
	}
	if len(entries) > 0 {
		x.recorder.write(entries...)
	}
}
