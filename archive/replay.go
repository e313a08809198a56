package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/locus-url/locus"
	menus "github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
)

// Open implements [scheme.Opener] for URLs of every scheme. Open returns the memento of
// req.URL that is nearest to req.At. It repeats the archived response: for a redirect it
// returns a [*scheme.Redirect], and for an error status it may return an error. If the
// archive does not contain the URL, the error wraps [scheme.ErrNotArchived].
//
// If a client can make a form without a server, such as a search form, Open returns the
// form even if the archive does not contain the form.
func (s *Store) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	h, ok, err := s.Nearest(req.URL, req.At)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	if !ok {
		return s.openWithoutRecord(ctx, req)
	}
	if req.Trace != nil {
		file := s.files[min(h.At.entry.file, len(s.files)-1)]
		req.Trace(false, fmt.Sprintf("(archived at %s, in %s at offset %d)", h.At.Time.Format(time.RFC3339), filepath.Base(file.path), h.At.entry.offset))
	}
	res, err := s.replay(ctx, req, h.At)
	if err != nil {
		return nil, fmt.Errorf("archived at %s: %w", h.At.Time.Format(time.RFC3339), err)
	}
	return res, nil
}

// openWithoutRecord opens a URL that is not in the archive, if this requires neither a server
// nor local files. Such a URL denotes a form or a part of a message.
func (s *Store) openWithoutRecord(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	row := s.registry.Scheme(req.URL)
	// Local files and mail are not archived.
	isOwn := row.Traits.Has(scheme.Local) && row.Traits&(scheme.Files|scheme.Messages) != 0
	isFree := !isOwn || row.Traits&(scheme.Contained|scheme.Composes) != 0
	if row.Access.Opener != nil && isFree {
		offline := *req
		offline.Dial, offline.RedirectDialer, offline.Trace = noDialer{}, nil, nil
		res, err := row.Access.Opener.Open(ctx, &offline)
		if err == nil || !errors.Is(err, errDial) {
			return res, err
		}
	}
	near, err := s.Near(req.URL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("archive: %w", err)
	case near.IsZero():
		return nil, scheme.ErrNotArchived
	}
	return nil, scheme.Hint(scheme.ErrNotArchived, "the nearest archived URL is "+near.Shown())
}

// noDialer always fails, so that a replay can't use the network.
type noDialer struct{}

var errDial = errors.New("a replay must not use the network")

func (noDialer) DialContext(context.Context, string, string) (net.Conn, error) { return nil, errDial }

func (s *Store) replay(ctx context.Context, req *scheme.Request, m Memento) (scheme.Resource, error) {
	rec, err := s.openRecord(&m.entry)
	if err != nil {
		return nil, err
	}
	k := &storedBlock{record: rec, date: m.Time}
	if rec.Type == "revisit" {
		if k, err = s.revisitContent(&m.entry, rec); err != nil {
			return nil, err
		}
	}
	source := menus.For(req)
	body := &replayBody{ctx: ctx, r: source.Tee(k), closer: k, date: m.Time, items: req.Items}
	res, err := s.parseBlock(req, k, body)
	if err != nil {
		body.Close()
		return nil, err
	}
	menu, ok := res.(*scheme.Menu)
	switch {
	case !ok:
		body.r = k // discard the bytes that the scheme has already read
	case menu.Source == nil:
		source.Attach(menu, k.mediaType())
	}
	if ok && req.Items != (scheme.ItemRange{}) && !body.selected {
		menu.Note = joinNotes(menu.Note, "all archived items: the selection was not applied")
	}
	return s.applyOptions(req, k, res)
}

// parseBlock lets the scheme parse the block of a record.
func (s *Store) parseBlock(req *scheme.Request, k *storedBlock, body *replayBody) (scheme.Resource, error) {
	mediaType := k.mediaType()
	if r, ok, err := readRedirect(req.URL, mediaType, body); ok {
		return r, err
	}
	if read := s.registry.Scheme(req.URL).Access.Archived; read != nil {
		return read(req.URL, mediaType, body)
	}
	return &scheme.Object{URL: req.URL, Type: mediaType, Size: -1, Body: body}, nil
}

// applyOptions applies the options of the request to a resource.
func (s *Store) applyOptions(req *scheme.Request, k *storedBlock, res scheme.Resource) (scheme.Resource, error) {
	o, ok := res.(*scheme.Object)
	if !ok {
		return res, nil
	}
	if o.Size < 0 && !k.isHTTP() && k.record.Get("WARC-Truncated") == "" {
		o.Size = k.record.Length
	}
	if why := k.record.Get("WARC-Truncated"); why != "" {
		o.Note = joinNotes(o.Note, "archived only in part: "+why)
	}
	if req.Limit > 0 && o.Size > req.Limit {
		o.Close()
		return nil, fmt.Errorf("%w: %d bytes, but the limit is %d", scheme.ErrTooLarge, o.Size, req.Limit)
	}
	if req.Probe {
		o.Close()
		o.Body = io.NopCloser(strings.NewReader(""))
		return o, nil
	}
	o.Body = scheme.Limit(o.Body, req.Limit)
	return o, nil
}

func joinNotes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// storedBlock is the block of a record, or the combined blocks of a revisit record and its
// original record.
type storedBlock struct {
	record *record   // record with the bytes
	head   []byte    // HTTP header that replaces the header in the field record
	skip   io.Reader // the rest of the record after its header
	date   time.Time
	first  io.Closer // the revisit record
}

func (k *storedBlock) isHTTP() bool { return isHTTP(k.record.Record) }

// mediaType returns the media type for Access.Archived. For a whole HTTP response, mediaType
// returns the media type of an HTTP message. Otherwise it returns the type that the server stated.
func (k *storedBlock) mediaType() string {
	if k.isHTTP() {
		return "application/http; msgtype=response"
	}
	// A recording program writes application/octet-stream if it did not receive a media
	// type.
	if kind := k.record.Get("Content-Type"); essence(kind) != "application/octet-stream" {
		return kind
	}
	return ""
}

func (k *storedBlock) Read(p []byte) (int, error) {
	if len(k.head) > 0 {
		n := copy(p, k.head)
		k.head = k.head[n:]
		return n, nil
	}
	if k.skip != nil {
		return k.skip.Read(p)
	}
	return k.record.Read(p)
}

func (k *storedBlock) Close() error {
	if k.first != nil {
		k.first.Close()
	}
	return k.record.Close()
}

// errRevisit means that the record to which a revisit refers is missing.
var errRevisit = fmt.Errorf("%w: the record with the content of this duplicate is missing", scheme.ErrNotFound)

// revisitContent returns the content of a revisit record, which consists of its own header and
// the payload of the original record. It finds the original record by URL and date, or by the
// digest. The original record is never a revisit record.
func (s *Store) revisitContent(e *entry, rec *record) (*storedBlock, error) {
	original, err := s.findOriginal(e, rec)
	if err != nil {
		rec.Close()
		return nil, err
	}
	whole, err := s.openRecord(original)
	if err != nil {
		rec.Close()
		return nil, err
	}
	k := &storedBlock{record: whole, date: e.date(), first: rec}
	if rec.Length == 0 || !isHTTP(rec.Record) || !k.isHTTP() {
		return k, nil
	}
	newer, err := readHead(bufio.NewReaderSize(rec, maxHead))
	if err != nil || len(newer) == 0 || isNotModified(newer[0]) {
		return k, nil
	}
	in := bufio.NewReaderSize(whole, maxHead)
	older, err := readHead(in)
	if err != nil {
		k.Close()
		return nil, fmt.Errorf("%w: archived header: %w", scheme.ErrProtocol, err)
	}
	k.head, k.skip = mergeHeads(newer, older), in
	return k, nil
}

// findOriginal finds the record to which a revisit record refers.
func (s *Store) findOriginal(e *entry, rec *record) (*entry, error) {
	key := e.key
	if target := strings.Trim(rec.Get("WARC-Refers-To-Target-URI"), "<>"); target != "" {
		if u, err := locus.Parse(target); err == nil {
			key = keyOf(s.registry, u)
		}
	}
	digest := printableText(rec.Get("WARC-Payload-Digest"), maxDigest)
	if date, err := time.Parse(time.RFC3339Nano, rec.Get("WARC-Refers-To-Date")); err == nil {
		if stamp, err := stampOf(date); err == nil {
			if found, err := s.firstRecord(key+"\t"+stamp+"\t", digest, e); found != nil || err != nil {
				return found, err
			}
		}
	}
	if digest != "" {
		if found, err := s.firstRecord(digestKey(digest)+"\t", "", e); found != nil || err != nil {
			return found, err
		}
	}
	return nil, errRevisit
}

// firstRecord returns the first complete record whose index line begins with prefix. It skips
// the excluded entry, and records with another digest. If there is no such record, it returns
// nil.
func (s *Store) firstRecord(prefix, digest string, excluded *entry) (*entry, error) {
	for e, err := range s.index.entriesFrom(prefix) {
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(e.key+"\t"+e.time+"\t", prefix) {
			break
		}
		isOther := digest != "" && e.digest != "" && digestKey(e.digest) != digestKey(digest)
		if e.kind == kindWhole && !isOther && (e.file != excluded.file || e.offset != excluded.offset) {
			return &e, nil
		}
	}
	return nil, nil
}

// maxHead is the maximum size of a response header.
const maxHead = 256 << 10

// readHead reads a header and the empty line after it. The buffer of the reader must hold
// maxHead bytes.
func readHead(in *bufio.Reader) (lines []string, err error) {
	for size := 0; ; {
		line, err := in.ReadSlice('\n')
		if size += len(line); size > maxHead || errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("longer than %d bytes", maxHead)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if err == nil && text == "" {
			return lines, nil
		}
		if text != "" {
			lines = append(lines, text)
		}
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// isNotModified reports whether a status line means that the client already has the resource.
func isNotModified(line string) bool {
	f := strings.Fields(line)
	return len(f) > 1 && f[1] == "304"
}

// framingFields lists the header fields that determine the end and the coding of a body.
var framingFields = []string{"transfer-encoding:", "content-length:", "content-encoding:", "trailer:"}

func isFraming(line string) bool {
	for _, name := range framingFields {
		if len(line) >= len(name) && strings.EqualFold(line[:len(name)], name) {
			return true
		}
	}
	return false
}

// mergeHeads returns the newer header, but takes the fields that describe the bytes of the body
// from the older header.
func mergeHeads(newer, older []string) []byte {
	var b bytes.Buffer
	for i, line := range newer {
		if i == 0 || !isFraming(line) {
			b.WriteString(line + "\r\n")
		}
	}
	for _, line := range older[min(1, len(older)):] {
		if isFraming(line) {
			b.WriteString(line + "\r\n")
		}
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// replayBody reads the bytes of a record until its context ends.
type replayBody struct {
	ctx    context.Context
	r      io.Reader
	closer io.Closer
	date   time.Time

	items    scheme.ItemRange // item range of the request
	selected bool             // the scheme itself applies the item range
}

// Items returns the item range of the request. Access.Archived calls this method.
func (b *replayBody) Items() scheme.ItemRange {
	b.selected = true
	return b.items
}

// Date returns the time at which the bytes were archived. Access.Archived calls this
// method.
func (b *replayBody) Date() time.Time { return b.date }

func (b *replayBody) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	n, err := b.r.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: the archive is damaged: %w", scheme.ErrProtocol, err)
	}
	return n, err
}

func (b *replayBody) Close() error { return b.closer.Close() }
