package archive

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/warc"
)

// Exchange implements [scheme.Recorder].
func (x *recording) Exchange() scheme.Exchange {
	x.mu.Lock()
	x.isHTTP = true
	x.mu.Unlock()
	e := &exchange{recording: x, began: x.recorder.to.Now()}
	if !x.recorder.register(e) {
		e.over = true
	}
	return e
}

// exchange records an HTTP request and its response.
type exchange struct {
	recording *recording
	began     time.Time

	mu                sync.Mutex
	address           string
	request, response *warc.Block // nil before the first byte
	sent, received    []string    // names of header fields with hidden values
	method            string
	status            int
	kind              string // media type
	isRepeated, over  bool
}

// Connected implements [scheme.Exchange].
func (e *exchange) Connected(remote net.Addr) { e.withLock(func() { e.address = ipAddress(remote) }) }

// withLock calls the function f while it holds the lock, unless the exchange has ended.
func (e *exchange) withLock(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		f()
	}
}

// Request implements [scheme.Exchange].
func (e *exchange) Request(header []byte, masked []string) {
	e.withLock(func() {
		e.request, e.sent = e.recording.recorder.to.NewBlock(), masked
		e.request.Write(header)
		e.method, _, _ = strings.Cut(string(header[:min(len(header), 32)]), " ")
	})
}

// Response implements [scheme.Exchange].
func (e *exchange) Response(header []byte, masked []string) {
	e.withLock(func() {
		header, names := hideInFields(header, e.recording.knownSecrets())
		e.response, e.received = e.recording.recorder.to.NewBlock(), append(masked, names...)
		e.response.Write(header)
		e.response.BeginPayload()
		if resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(header)), nil); err == nil {
			e.status, e.kind = resp.StatusCode, resp.Header.Get("Content-Type")
		}
	})
}

// structuralFields lists the header fields that determine how to read a body. minStructural is
// the minimum length of a secret that the recorder hides in these fields, because a shorter
// secret may be an ordinary word.
var structuralFields = []string{"Connection", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Date", "Transfer-Encoding"}

const minStructural = 8

// hideInFields hides secrets that the server repeats in the reason phrase and in the field values
// of a response header. It returns the new header and the names of the changed fields.
func hideInFields(header []byte, secrets []string) (shown []byte, names []string) {
	if len(secrets) == 0 {
		return header, nil
	}
	separator := " " // separator in the first line
	for line := range strings.Lines(string(header)) {
		before, value, _ := strings.Cut(line, separator)
		name := http.CanonicalHeaderKey(strings.TrimSpace(before))
		masked := value
		for _, s := range secrets {
			if len(s) >= minStructural || !slices.Contains(structuralFields, name) {
				masked = strings.ReplaceAll(masked, s, hidden)
			}
		}
		if masked != value {
			line = before + separator + masked
			if separator == ":" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		shown, separator = append(shown, line...), ":"
	}
	return shown, names
}

// Body implements [scheme.Exchange].
func (e *exchange) Body(p []byte) {
	e.withLock(func() {
		if e.response != nil {
			e.response.Write(p)
		}
	})
}

// Reset implements [scheme.Exchange].
func (e *exchange) Reset() { e.withLock(e.reset) }

func (e *exchange) reset() {
	for _, b := range []*warc.Block{e.request, e.response} {
		if b != nil {
			b.Discard()
		}
	}
	e.request, e.response, e.began = nil, nil, e.recording.recorder.to.Now()
}

// Repeated implements [scheme.Exchange].
func (e *exchange) Repeated() { e.withLock(func() { e.isRepeated = true }) }

// End implements [scheme.Exchange].
func (e *exchange) End(err error) { e.finish(err) }

func (e *exchange) finish(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	e.over = true
	r := e.recording.recorder
	defer r.ended(e)
	switch {
	case e.request == nil:
		e.reset()
	case e.response == nil, e.method != http.MethodGet, e.isRepeated, e.status == http.StatusNotModified:
		e.writeConversation(err)
	default:
		e.writePair(err)
	}
}

// writePair writes the response and its request.
func (e *exchange) writePair(err error) {
	r, target := e.recording.recorder, webTarget(e.recording.url)
	id, requestID := r.to.NewID(), r.to.NewID()
	r.write(&warc.Entry{Type: "response", ID: id, Target: target, Date: e.began, ContentType: "application/http;msgtype=response",
		Fields: append(sharedFields(e.address, err, e.received), concurrent(requestID)),
		Block:  e.response, Status: e.status, Media: e.kind, Dedup: err == nil && e.status == http.StatusOK,
	}, &warc.Entry{Type: "request", ID: requestID, Target: target, Date: e.began, ContentType: "application/http;msgtype=request",
		Fields: append(sharedFields(e.address, nil, e.sent), concurrent(id)), Block: e.request,
	})
}

func concurrent(id string) warc.Field {
	return warc.Field{Name: "WARC-Concurrent-To", Value: "<" + id + ">"}
}

// writeConversation writes an exchange without an object. In such an exchange the response is
// missing, the method is not GET, or another request for the same URL followed.
func (e *exchange) writeConversation(err error) {
	defer e.reset()
	var transcript conversation
	for _, side := range []struct {
		sent  bool
		block *warc.Block
	}{{true, e.request}, {false, e.response}} {
		if side.block == nil {
			continue
		}
		in, readErr := side.block.Reader()
		if readErr != nil {
			continue // ignored, because Write returns a disk error
		}
		head := make([]byte, min(side.block.Size(), maxPiece))
		if _, readErr := io.ReadFull(in, head); readErr == nil {
			transcript.add("", side.sent, head)
			transcript.countOmitted(side.block.Size() - int64(len(head)))
		}
	}
	transcript.setError(err)
	x := e.recording
	entry := x.recorder.conversationEntry(x.url, e.began, e.address, "", &transcript, x.knownSecrets())
	if masked := append(slices.Clone(e.sent), e.received...); len(masked) > 0 {
		entry.Fields = append(entry.Fields, maskedField(masked))
	}
	x.recorder.write(entry)
}

// maskedField returns a field that lists the header fields with hidden values.
func maskedField(names []string) warc.Field {
	return warc.Field{Name: "Locus-Masked", Value: strings.Join(names, " ")}
}
