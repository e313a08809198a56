package archive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/warc"
)

// maxBlock is the maximum unpacked size of a record's block. No resource should be that long, so
// the scanner stops reading a file with a longer block.
const maxBlock = 64 << 30

// scanner reads archives to index them.
type scanner struct {
	store      *Store
	ctx        context.Context
	lines      *bulk.Sorter
	read, size int64 // bytes in all archives
	maxSize    int64 // maximum block size, usually maxBlock
}

// addFile adds the records in a file. It returns only errors of the local system. If an
// archive is damaged, addFile reports the damage with a note, and the records before the
// damage stay valid.
func (c *scanner) addFile(number int) error {
	file := c.store.files[number]
	f, err := os.Open(file.path)
	if err != nil {
		return err
	}
	defer f.Close()
	before := c.read
	r := warc.NewReader(&scanReader{scanner: c, r: f})
	for {
		rec, err := r.Next()
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		if err != nil {
			if err != io.EOF {
				c.store.note(fmt.Errorf("%s: %w", filepath.Base(file.path), err))
			}
			break
		}
		if err := c.addRecord(number, rec); err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, io.LimitReader(rec, c.maxSize))
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		if err == nil && n == c.maxSize {
			c.store.note(fmt.Errorf("%s, offset %d: the record is too large; the rest of the file was ignored", filepath.Base(file.path), rec.Offset))
			break
		}
	}
	c.read = before + file.size
	return nil
}

// scanReader reads a file and reports the progress. When the context ends, reading fails.
type scanReader struct {
	*scanner
	r io.Reader
}

func (r *scanReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	n, err := r.r.Read(p)
	r.read += int64(n)
	if f := r.store.options.Progress; f != nil {
		f(r.read, r.size)
	}
	return n, err
}

// addRecord adds a record that contains a resource.
func (c *scanner) addRecord(number int, rec *warc.Record) error {
	e := entry{kind: kindWhole, file: number, offset: rec.Offset, url: rec.Target(), digest: rec.Get("WARC-Payload-Digest")}
	switch rec.Type {
	case "response":
	case "resource":
		e.media = essence(rec.Get("Content-Type"))
	case "revisit":
		e.kind = kindRevisit
	default:
		return nil
	}
	if e.digest == "" && rec.Type == "resource" {
		e.digest = rec.Get("WARC-Block-Digest")
	}
	if isHTTP(rec) && rec.Length != 0 {
		e.status, e.media = peekResponse(rec)
	}
	var err error
	if e.time, err = stampOf(rec.Date()); err != nil || rec.Date().IsZero() {
		c.store.note(fmt.Errorf("%s, offset %d: the record has no date and was ignored", filepath.Base(c.store.files[number].path), rec.Offset))
		return nil
	}
	return c.store.addEntry(c.lines, &e)
}

// peekResponse returns the status and the media type of a response.
func peekResponse(rec *warc.Record) (status int, media string) {
	copied := *rec
	copied.Type = "response"
	p, ok := copied.Payload()
	if !ok {
		return 0, ""
	}
	return p.Status, essence(p.Type)
}

// isHTTP reports whether a record's block is an HTTP response.
func isHTTP(rec *warc.Record) bool {
	if strings.HasPrefix(rec.Version, "ARC/") {
		return rec.Type == "response"
	}
	return essence(rec.Get("Content-Type")) == "application/http"
}

// essence returns a media type without parameters, in lower case, or "" if it is malformed.
func essence(text string) string {
	kind, _, err := mime.ParseMediaType(text)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return kind
}

// addEntry adds an entry to the index, with the key for the URL of the entry.
func (s *Store) addEntry(lines *bulk.Sorter, e *entry) error {
	u, err := locus.Parse(e.url)
	if e.kind == kindWhole && e.status == http.StatusNotModified {
		return nil // the client already had the resource, but the archive does not contain the resource
	}
	if err != nil || !s.registry.Known(u) || printableText(e.url, 64<<10) == "" {
		return nil // no client can request the URL u
	}
	e.key = keyOf(s.registry, u)
	e.media, e.digest = printableText(e.media, maxMedia), printableText(e.digest, maxDigest)
	if err := lines.Add(nil, e.append(nil)); err != nil {
		return err
	}
	if e.digest == "" || e.kind == kindRevisit {
		return nil
	}
	byDigest := *e
	byDigest.key = digestKey(e.digest)
	return lines.Add(nil, byDigest.append(nil))
}

// maxCDXJ is the maximum length of a CDXJ line.
const maxCDXJ = 1 << 20

// readLists adds the records in CDXJ files. The result listed contains the numbers of the
// archives that a CDXJ file lists, unless that CDXJ file is older than the archive. The caller
// need not read these archives.
func (s *Store) readLists(ctx context.Context, lists []list, lines *bulk.Sorter) (listed map[int]bool, err error) {
	listed = map[int]bool{}
	for _, l := range lists {
		if err := s.readList(ctx, l, lines, listed); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

// namedBy returns the numbers of the archives that a CDXJ file may name. The keys are file names
// without directories. The result includes archives in the directory of the CDXJ file. It also
// includes archives elsewhere below the root directory if their names are unique. It omits archives
// that are newer than the CDXJ file, which was modified at the given time.
func (s *Store) namedBy(l list, modified time.Time) map[string]int {
	beside, below, count := map[string]int{}, map[string]int{}, map[string]int{}
	for i, file := range s.files {
		name := filepath.Base(file.path)
		if rest, err := filepath.Rel(l.root, file.path); err != nil || !filepath.IsLocal(rest) {
			continue
		}
		count[name]++
		switch {
		case modified.Before(file.modified):
		case filepath.Dir(file.path) == filepath.Dir(l.path):
			beside[name] = i
		default:
			below[name] = i
		}
	}
	for name, i := range below {
		if _, ok := beside[name]; !ok && count[name] == 1 {
			beside[name] = i
		}
	}
	return beside
}

// readList reads one CDXJ file. Its lines may name only archives in the store. If a line can't be
// read, readList ignores the rest of the file, and the caller reads the archives instead.
func (s *Store) readList(ctx context.Context, l list, lines *bulk.Sorter, listed map[int]bool) error {
	name := l.path
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	usable := s.namedBy(l, info.ModTime())
	if len(usable) == 0 {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxCDXJ)
	named := map[int]bool{}
	for number := 1; in.Scan(); number++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		line := in.Text()
		if strings.HasPrefix(line, "!") || line == "" {
			continue // a comment
		}
		e, file, err := cdxjEntry(line)
		if err != nil {
			s.note(fmt.Errorf("%s, line %d: %w; reading the archives instead", filepath.Base(name), number, err))
			return nil
		}
		i, ok := usable[path.Base(file)]
		if !ok {
			continue
		}
		if e.offset >= s.files[i].size {
			s.note(fmt.Errorf("%s, line %d: offset %d is after the end of %s; reading the archives instead", filepath.Base(name), number, e.offset, file))
			return nil
		}
		e.file, named[i] = i, true
		if err := s.addEntry(lines, &e); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("a line is longer than %d bytes", maxCDXJ)
		}
		s.note(fmt.Errorf("%s: %w; reading the archives instead", filepath.Base(name), err))
		return nil
	}
	for i := range named {
		listed[i] = true
	}
	return nil
}

// cdxjEntry returns the entry for a CDXJ line, and the archive that the line names.
func cdxjEntry(line string) (e entry, file string, err error) {
	c, err := warc.ParseCDXJ(line)
	if err != nil {
		return e, "", err
	}
	e = entry{kind: kindWhole, offset: c.Offset, status: c.Status, media: c.Type, digest: c.Digest, url: c.URL}
	if e.media == "warc/revisit" {
		e.kind, e.media = kindRevisit, ""
	}
	e.time, err = stampOf(c.Time)
	return e, c.File, err
}
