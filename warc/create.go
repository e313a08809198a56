package warc

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/locus-url/locus/internal/filelock"
)

// ErrName means that the name of an archive does not end in ".warc.gz" or ".warc".
var ErrName = errors.New(`warc: an archive name must end in ".warc.gz" or ".warc"`)

// Create opens the archive with the given name for writing, and creates the archive if it
// is missing. If the archive exists, Create removes an incomplete record at the end, and
// the Writer appends to the archive. Create fails if another process is writing to the
// archive, or if the archive is damaged elsewhere. The options o may be nil.
func Create(name string, o *WriterOptions) (*Writer, error) {
	w := &Writer{dir: filepath.Dir(name), seen: make(map[string]original)}
	if o != nil {
		w.options = *o
	}
	for _, f := range w.options.Info {
		if err := f.check(); err != nil {
			return nil, err
		}
	}
	for _, ext := range []string{".warc.gz", ".warc"} {
		if base, ok := strings.CutSuffix(name, ext); ok && w.ext == "" && filepath.Base(base) != "" {
			w.name, w.ext = base, ext
		}
	}
	if w.ext == "" || strings.HasPrefix(filepath.Base(name), ".warc") {
		return nil, ErrName
	}
	if w.options.Size > 0 {
		var err error
		if w.number, err = w.lastNumber(); err != nil {
			return nil, err
		}
	}
	if err := w.openFile(); err != nil {
		return nil, err
	}
	return w, nil
}

// lastNumber returns the highest file number in the archive, or 1 if there are no files.
func (w *Writer) lastNumber() (int, error) {
	folder, err := os.ReadDir(w.dir)
	if err != nil {
		return 0, fmt.Errorf("warc: %w", err)
	}
	last := 1
	for _, e := range folder {
		text, ok := strings.CutPrefix(e.Name(), filepath.Base(w.name)+"-")
		text, ok2 := strings.CutSuffix(text, w.ext)
		if n, err := strconv.Atoi(text); ok && ok2 && len(text) >= 5 && err == nil {
			last = max(last, n)
		}
	}
	return last, nil
}

func (w *Writer) path() string {
	if w.number == 0 {
		return w.name + w.ext
	}
	return fmt.Sprintf("%s-%05d%s", w.name, w.number, w.ext)
}

// beginFile begins the next file of the archive, and then unlocks the previous file.
func (w *Writer) beginFile() error {
	before, index := w.file, w.index
	w.number++
	if err := w.openFile(); err != nil {
		w.file, w.index = before, index
		return err
	}
	return cmp.Or(before.Sync(), index.write(indexName(before.Name())), before.Close())
}

// openFile opens and locks the file, and writes its "warcinfo" record.
func (w *Writer) openFile() error {
	name := w.path()
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("warc: %s is not a regular file", name)
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	err = filelock.Try(f)
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil // the file system does not support locks
	}
	if errors.Is(err, filelock.ErrLocked) {
		err = fmt.Errorf("warc: another process is writing to %s: choose another name", name)
	}
	if err == nil {
		err = w.prepareFile(f)
	}
	if err != nil {
		w.file = nil
		return errors.Join(err, f.Close())
	}
	return nil
}

// prepareFile prepares the file f for new records. The caller must have locked the file.
func (w *Writer) prepareFile(f *os.File) (err error) {
	w.index = newIndex(w.dir)
	defer func() {
		if err != nil {
			w.index.release()
		}
	}()
	if w.end, err = w.resume(f); err != nil {
		return err
	}
	w.file, w.out, w.info = f, bufio.NewWriterSize(f, 64<<10), ""
	if w.zip = nil; w.ext == ".warc.gz" {
		w.zip = gzip.NewWriter(w.out)
	}
	// An earlier process may have written an index, which does not contain the records of
	// this process.
	if err := os.Remove(indexName(f.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("warc: %w", err)
	}
	return w.writeInfo()
}

// writeInfo writes the "warcinfo" record.
func (w *Writer) writeInfo() error {
	b := w.NewBlock()
	for _, f := range slices.Concat(w.options.Info, []Field{
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
	}) {
		fmt.Fprintf(b, "%s: %s\r\n", f.Name, f.Value)
	}
	id := w.NewID()
	err := w.write(&Entry{Type: "warcinfo", ID: id, ContentType: "application/warc-fields", Block: b,
		Fields: []Field{{"WARC-Filename", filepath.Base(w.file.Name())}}})
	w.info, w.begun = id, w.end
	return err
}

// resume reads an existing file into the index, and removes an incomplete record at its end. It
// returns the end offset of the last complete record, and sets the file position to this offset.
func (w *Writer) resume(f *os.File) (int64, error) {
	good, err := w.scan(f)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, fmt.Errorf("warc: %s is damaged after offset %d, so nothing can be added: choose another name: %w", f.Name(), good, err)
	}
	if err := f.Truncate(good); err != nil {
		return 0, fmt.Errorf("warc: %w", err)
	}
	_, err = f.Seek(good, io.SeekStart)
	return good, err
}

// errOther means that the records of an archive are not compressed one by one. A reader can't begin
// to read such an archive at a record in the middle.
var errOther = errors.New("its records are not compressed one by one")

// scan reads the records in f into the index, and returns the end offset of the last complete
// record. At the end of the file the error is io.EOF.
func (w *Writer) scan(f *os.File) (good int64, err error) {
	in := NewReader(f)
	zipped := w.ext == ".warc.gz"
	for {
		rec, err := in.Next()
		if err == nil && rec.Offset < good {
			err = errOther
		}
		if err == nil && (in.z != nil) != zipped {
			err = fmt.Errorf("%w: the content does not match the extension %s", ErrFormat, w.ext)
		}
		if err == nil && rec.Length < 0 {
			err = ErrFormat
		}
		if err != nil {
			if tail, _ := f.Seek(0, io.SeekEnd); errors.Is(err, ErrFormat) && tail-good == 1 {
				err = io.ErrUnexpectedEOF // the file ends after the first byte of a gzip member
			}
			return good, err
		}
		entry := w.indexEntry(rec)
		if err := in.skipRest(); err != nil {
			return good, err
		}
		good = in.in.n
		if in.z == nil {
			good -= int64(in.r.Buffered())
		}
		if entry.Key != "" {
			entry.Offset, entry.Length, entry.File = rec.Offset, good-rec.Offset, filepath.Base(f.Name())
			w.index.add(entry)
		}
	}
}

// skipRest reads the rest of the record, and then the empty lines or the end of the gzip
// member. For a truncated record it returns io.ErrUnexpectedEOF.
func (r *Reader) skipRest() error {
	if _, err := io.Copy(io.Discard, r.record.block); err != nil {
		return err
	}
	var tail [4]byte
	if _, err := io.ReadFull(r.r, tail[:]); err != nil || string(tail[:]) != "\r\n\r\n" {
		return cmp.Or(atEnd(err), ErrFormat)
	}
	if r.z == nil {
		return nil
	}
	if _, err := r.r.ReadByte(); err != io.EOF {
		return cmp.Or(err, errOther)
	}
	return nil
}

func atEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// indexEntry returns the index entry for a record, without the offset. For a record that does
// not belong in the index, the entry is zero. It also remembers the payload of the record.
func (w *Writer) indexEntry(rec *Record) CDXJ {
	target, date := rec.Target(), rec.Date()
	if !isIndexed(rec.Type) || target == "" {
		return CDXJ{}
	}
	c := CDXJ{Key: Key(target), Time: date.UTC().Truncate(time.Second), URL: target, Digest: rec.Get("WARC-Payload-Digest")}
	if rec.Type == "revisit" {
		c.Type, c.Status = "warc/revisit", statusOf(rec)
		return c
	}
	if p, ok := rec.Payload(); ok {
		c.Status, c.Type = p.Status, mediaType(p.Type)
	}
	if c.Digest != "" && rec.Get("WARC-Truncated") == "" {
		this := original{strings.Trim(rec.Get("WARC-Record-ID"), "<>"), target, rec.Get("WARC-Date")}
		w.firstRecord(payloadKey(rec.Type, rec.Get("Content-Type"), c.Digest), this)
	}
	return c
}

// payloadKey returns the key of a payload. If the writer has already written a payload with the
// same key, the record may become a revisit record. For a resource, the key includes the media
// type. For a response, the key does not include the media type, because a revisit record stores
// the header of the response.
func payloadKey(typ, contentType, digest string) string {
	if typ == "response" {
		contentType = ""
	}
	return typ + " " + contentType + " " + digest
}

// firstRecord returns the first record with the given payload key. If there is no such record
// yet, firstRecord remembers the candidate as the first record, and ok is false.
func (w *Writer) firstRecord(key string, candidate original) (first original, ok bool) {
	first, ok = w.seen[key]
	if !ok && len(w.seen) < maxSeen {
		w.seen[key] = candidate
	}
	return first, ok
}

// statusOf returns the HTTP status at the start of a block, or 0 if the block is not an
// HTTP response.
func statusOf(r io.Reader) int {
	head := make([]byte, len("HTTP/1.1 200"))
	n, _ := io.ReadFull(r, head)
	name, text, _ := strings.Cut(string(head[:n]), " ")
	status, err := strconv.Atoi(text)
	if !strings.HasPrefix(name, "HTTP/") || err != nil {
		return 0
	}
	return status
}

// mediaType returns a media type without parameters, in lower case.
func mediaType(text string) string {
	text, _, _ = strings.Cut(text, ";")
	return strings.ToLower(strings.TrimSpace(text))
}
