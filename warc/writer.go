package warc

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// WriterOptions configures [Create]. The zero value selects the defaults.
type WriterOptions struct {
	// Size is the length in bytes after which the Writer begins another file. If Size is set,
	// files are numbered: NAME-00001.warc.gz. Zero means a single file.
	Size int64
	// Info contains additional fields for the "warcinfo" record in each file. The Writer
	// adds the fields format and conformsTo.
	Info []Field
	// Now returns the current time. If Now is nil, the Writer uses [time.Now].
	Now func() time.Time
	// NewID returns a new record identifier. If NewID is nil, the Writer makes random
	// identifiers of the form "urn:uuid:...".
	NewID func() string
}

// Writer writes a web archive in WARC 1.1 (ISO 28500:2017). When a file is complete, the Writer
// writes an index next to the file. A Writer may be used concurrently.
//
// A Writer writes a record completely or not at all. After a file system error, the file ends with
// the last complete record, and every later call returns the same error.
type Writer struct {
	options WriterOptions
	dir     string
	name    string // file name without number and extension
	ext     string // ".warc" or ".warc.gz"

	mu     sync.Mutex
	number int // file number; 0 if the file has no number
	file   *os.File
	out    *bufio.Writer // buffers file
	zip    *gzip.Writer  // writes to out; nil if not compressed
	end    int64         // end of the last complete record
	begun  int64         // end of the "warcinfo" record
	info   string        // ID of the "warcinfo" record
	index  index
	seen   map[string]original // first record for each payload key
	err    error
}

// original is the first record with a payload.
type original struct{ id, target, date string }

// maxSeen is the maximum number of payloads that a Writer remembers. The Writer writes a
// remembered payload only once.
const maxSeen = 1 << 17

// Entry is a record to be written. The Writer adds the identifier, the length and the
// digests.
type Entry struct {
	Type        string    // "response", "resource", "request", "metadata"
	Target      string    // the target URI; empty if there is no target
	Date        time.Time // date of the record; the zero Time means now
	ID          string    // record ID from [Writer.NewID]; empty means a new ID
	ContentType string
	Fields      []Field // additional named fields
	Block       *Block  // block of the record; nil means an empty block
	// Status and Media are the status and media type for the index. For an HTTP response,
	// they come from the response header. Other records have no status, and their media
	// type is the value of ContentType.
	Status int
	Media  string
	// If Dedup is true and the archive already contains the payload, the Writer writes a
	// revisit record.
	Dedup bool
}

// NewID returns a new record identifier.
func (w *Writer) NewID() string {
	if w.options.NewID != nil {
		return w.options.NewID()
	}
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80 // version 4 of RFC 9562
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Write writes a group of records, one after the other in one file, and releases their
// blocks. If Write fails, the records before the error are complete.
func (w *Writer) Write(entries ...*Entry) error {
	defer func() {
		for _, e := range entries {
			if e.Block != nil {
				e.Block.release()
			}
		}
	}()
	for _, e := range entries {
		if err := e.check(); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.options.Size > 0 && w.end >= w.options.Size && w.end > w.begun {
		w.err = w.beginFile()
	}
	for _, e := range entries {
		if w.err == nil {
			w.err = w.write(e)
		}
	}
	return w.err
}

// check rejects text that a reader would parse as another field or record.
func (e *Entry) check() error {
	for _, f := range slices.Concat(e.Fields, []Field{{"WARC-Type", e.Type}, {"Content-Type", e.ContentType}}) {
		if err := f.check(); err != nil {
			return err
		}
	}
	for i := range len(e.Target) {
		if c := e.Target[i]; c <= ' ' || c >= 0x7F || c == '<' || c == '>' {
			return fmt.Errorf("warc: invalid byte %02X at offset %d of the target URI", c, i)
		}
	}
	return nil
}

func (f Field) check() error {
	if f.Name == "" || strings.ContainsFunc(f.Name, func(r rune) bool { return r <= ' ' || r >= 0x7F || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) }) {
		return fmt.Errorf("warc: invalid field name %q", f.Name)
	}
	if i := strings.IndexFunc(f.Value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }); i >= 0 {
		return fmt.Errorf("warc: the value of %s has the control character %02X at offset %d", f.Name, f.Value[i], i)
	}
	return nil
}

// write writes one record. The caller must hold w.mu.
func (w *Writer) write(e *Entry) error {
	b := e.Block
	if b == nil {
		b = w.NewBlock()
	}
	if b.err != nil {
		return w.explain(b.err)
	}
	date := e.Date
	if date.IsZero() {
		date = w.Now()
	}
	id := e.ID
	if id == "" {
		id = w.NewID()
	}
	r := &draft{typ: e.Type, end: b.size}
	r.add("WARC-Record-ID", "<"+id+">")
	r.add("WARC-Date", date.UTC().Format(time.RFC3339))
	if e.Target != "" {
		r.add("WARC-Target-URI", e.Target)
	}
	if w.info != "" {
		r.add("WARC-Warcinfo-ID", "<"+w.info+">")
	}
	r.fields = append(r.fields, e.Fields...)
	blockDigest := formatDigest(b.sum)
	payload := ""
	if b.payload != nil {
		payload = formatDigest(b.payload)
		r.add("WARC-Payload-Digest", payload)
	}
	if e.Dedup && b.payload != nil && b.size > b.start {
		this := original{id, e.Target, date.UTC().Format(time.RFC3339)}
		if first, ok := w.firstRecord(payloadKey(e.Type, e.ContentType, payload), this); ok {
			var err error
			if blockDigest, err = w.makeRevisit(r, b, first); err != nil {
				return w.explain(err)
			}
		}
	}
	r.add("WARC-Block-Digest", blockDigest)
	contentType := ""
	if r.end > 0 {
		contentType = e.ContentType
	}
	if contentType != "" {
		r.add("Content-Type", contentType)
	}
	r.add("Content-Length", strconv.FormatInt(r.end, 10))
	start := w.end
	if err := w.appendRecord(r, b); err != nil {
		return w.explain(err)
	}
	if isIndexed(r.typ) && e.Target != "" {
		// Use the same values that [Writer.indexed] gets from a record.
		media, status := mediaType(e.Media), e.Status
		switch {
		case r.typ == "revisit":
			media = "warc/revisit"
		case r.typ == "resource":
			media, status = mediaType(contentType), 0
		}
		w.index.add(CDXJ{Key: Key(e.Target), Time: date.UTC().Truncate(time.Second), URL: e.Target, Type: media, Status: status,
			Digest: payload, Offset: start, Length: w.end - start, File: filepath.Base(w.file.Name())})
	}
	return nil
}

// isIndexed reports whether a record of the given type contains a response for its target.
func isIndexed(typ string) bool { return typ == "response" || typ == "resource" || typ == "revisit" }

// makeRevisit changes the draft r to a revisit record, because an earlier record contains the
// same payload. It returns the digest of the block that will be written.
func (w *Writer) makeRevisit(r *draft, b *Block, earlier original) (string, error) {
	r.typ, r.end = "revisit", b.start
	r.add("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
	if earlier.id != "" {
		r.add("WARC-Refers-To", "<"+earlier.id+">")
	}
	r.add("WARC-Refers-To-Target-URI", earlier.target)
	r.add("WARC-Refers-To-Date", earlier.date)
	return b.headerDigest()
}

// draft is a record that will be written, with a complete header.
type draft struct {
	typ    string
	fields []Field
	end    int64 // number of block bytes to write
}

func (r *draft) add(name, value string) { r.fields = append(r.fields, Field{name, value}) }

func (r *draft) header() string {
	var b strings.Builder
	b.WriteString("WARC/1.1\r\nWARC-Type: " + r.typ + "\r\n")
	for _, f := range r.fields {
		b.WriteString(f.Name + ": " + f.Value + "\r\n")
	}
	b.WriteString("\r\n")
	return b.String()
}

// appendRecord writes a record at the end of the file. If it fails, it restores the length of
// the file.
func (w *Writer) appendRecord(r *draft, b *Block) error {
	in, err := b.reader(0, r.end)
	if err == nil {
		err = w.member(r.header(), in, r.end)
	}
	if err == nil {
		w.end, err = w.file.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		return nil
	}
	return errors.Join(err, w.file.Truncate(w.end))
}

func (w *Writer) member(header string, block io.Reader, length int64) error {
	out := io.Writer(w.out)
	if w.zip != nil {
		w.zip.Reset(w.out)
		out = w.zip
	}
	_, err := io.WriteString(out, header)
	if err == nil {
		_, err = io.CopyN(out, block, length)
	}
	if err == nil {
		_, err = io.WriteString(out, "\r\n\r\n")
	}
	if err == nil && w.zip != nil {
		err = w.zip.Close()
	}
	return cmp.Or(err, w.out.Flush())
}

// explain adds the state of the recording after the failure to err.
func (w *Writer) explain(err error) error {
	return fmt.Errorf("warc: recording stopped after the last complete record: %w", err)
}

// Now returns the current time for the date of a new record.
func (w *Writer) Now() time.Time {
	if w.options.Now != nil {
		return w.options.Now()
	}
	return time.Now()
}

// Close writes the index and closes the file. If an earlier error ended the recording,
// Close returns this error.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return w.err
	}
	err := cmp.Or(w.err, w.closeFile())
	if w.err == nil {
		w.err = errClosed
	}
	return err
}

var errClosed = errors.New("warc: the writer is closed")

// closeFile closes the file and writes the index of the file, even after an error.
func (w *Writer) closeFile() error {
	name := w.file.Name()
	err := cmp.Or(w.file.Sync(), w.index.write(indexName(name)), w.file.Close())
	w.file = nil
	return err
}
