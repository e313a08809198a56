package mirror

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// smallObject is the maximum size of an object in memory. Run writes a larger object to a part
// file, with which a later run can continue.
const smallObject = 256 << 10

// buffers is a pool of buffers of smallObject bytes.
var buffers = sync.Pool{New: func() any { return new([smallObject]byte) }}

// object stores an object, and reads its links if it is a document.
func (c *crawler) object(ctx context.Context, j *job, p prior, part *part, res *access.Result, r *scheme.Object, o *outcome) {
	if r.Encoding != "" {
		o.err = fmt.Errorf("%w: %s", transfer.ErrCoded, locus.Quote(r.Encoding))
		return
	}
	mediaType := typeOf(r.Type, lastName(j.url))
	docType := documentType(mediaType)
	if j.InMenu && c.registry.Scheme(j.url).Traits.Has(scheme.Directories) {
		docType = "" // The document's links are not needed, because the directory lists all resources.
	}
	kept := c.isStored(j, r)
	if docType == "" {
		c.noLinks(j)
		if !kept {
			return
		}
	}
	record := Record{Type: bounded(r.Type), Tag: bounded(r.Tag), Modified: r.ModTime, Private: res.LinkOrigin == policy.FromPrivate, Document: docType != ""}
	if record.Modified.IsZero() && j.Listed != nil {
		record.Modified = j.Listed.Time
	}
	c.describe(&record, j)
	if err := c.place(&record, j, p, false, mediaType); err != nil {
		o.err = err
		return
	}
	limit := int64(smallObject)
	if docType != "" {
		limit = c.o.MaxPage
	}
	text, whole, err := readStart(r, limit)
	defer func() {
		if cap(text) == smallObject {
			buffers.Put((*[smallObject]byte)(text[:smallObject]))
		}
	}()
	if err == nil && whole {
		err = checkSize(r, r.Start+int64(len(text)))
	}
	if err != nil && (docType != "" || !r.Resumable && r.Start == 0) {
		o.err = err
		return
	}
	if whole && err == nil {
		r.Close()
		o.release()
	}
	if docType != "" && r.Start == 0 {
		o.links = c.pageLinks(j, text, docType, j.url, res.LinkOrigin)
		o.partial = !whole
	}
	switch {
	case !kept:
	case whole && err == nil && r.Start == 0:
		c.keepOctets(p, &record, text, o)
	default:
		c.keepPart(ctx, p, &record, part, r, text, err, o)
	}
}

// bounded returns text, or "" if text is too long for the manifest. The server determines the
// length of the text.
func bounded(text string) string {
	const most = 4 << 10
	if len(text) > most {
		return ""
	}
	return text
}

// isStored reports whether the options select an object for storage.
func (c *crawler) isStored(j *job, r *scheme.Object) bool {
	modTime := r.ModTime
	if modTime.IsZero() && j.Listed != nil {
		modTime = j.Listed.Time
	}
	if !modTime.IsZero() && modTime.Before(c.o.Newer) {
		return false
	}
	return j.Needed || c.o.Include == nil || matches(c.o.Include, j.url, c.registry.Port(j.url))
}

// readStart reads up to limit bytes of an object. The result whole reports whether text is the
// whole object.
func readStart(r *scheme.Object, limit int64) (text []byte, whole bool, err error) {
	buffer := buffers.Get().(*[smallObject]byte)
	n, err := io.ReadFull(r.Body, buffer[:min(limit, smallObject)])
	text = buffer[:n]
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return text, true, nil
	case err != nil:
		return text, false, err
	case limit <= smallObject:
		// Reading one more byte shows whether the object is longer.
		var more [1]byte
		n, err := io.ReadFull(r.Body, more[:])
		if n == 0 && err == io.EOF {
			return text, true, nil
		}
		return append(text[:len(text):len(text)], more[:n]...), false, unlessEnd(err)
	}
	rest, err := io.ReadAll(io.LimitReader(r.Body, limit-int64(n)+1))
	return append(text[:n:n], rest...), int64(n+len(rest)) <= limit, err
}

func unlessEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// checkSize returns an error if size differs from the size that the server reported.
func checkSize(r *scheme.Object, size int64) error {
	if r.Size >= 0 && size != r.Size {
		return fmt.Errorf("%w: got %d bytes instead of %d", scheme.ErrProtocol, size, r.Size)
	}
	return nil
}

// place sets the file name in the record r. The name is the name from an earlier run, or a new
// unused name.
func (c *crawler) place(r *Record, j *job, p prior, isMenu bool, mediaType string) error {
	if p.Record != nil && p.Menu == isMenu {
		r.File, r.Page = p.File, p.Page
		return nil
	}
	c.mu.Lock()
	at, claimed := c.ledger.claims[keyOf(j.URL)]
	if claimed = claimed && isMenu == (at.page != ""); !claimed {
		at = place{j.File, j.Page}
	}
	if at.file == "" || isMenu != (at.page != "") {
		at = c.placer.place(j.url, isMenu, mediaType)
	}
	c.mu.Unlock()
	r.File, r.Page = at.file, at.page
	if claimed {
		return nil
	}
	for _, name := range []string{at.file, at.page} {
		if name == "" {
			continue
		}
		if free, err := c.tree.isFree(name); err != nil {
			return c.tree.fail(name, err)
		} else if !free {
			return c.tree.fail(name, fmt.Errorf("%w: it does not belong to this mirror", ErrForeign))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.ledger.claim(j.URL, at); err != nil {
		return c.tree.fail(journalFile, err)
	}
	return nil
}

// keepOctets stores the bytes of an object or menu, unless the existing file contains the same
// bytes.
func (c *crawler) keepOctets(p prior, r *Record, octets []byte, o *outcome) {
	sum := sha256.Sum256(octets)
	r.Size, r.Digest = int64(len(octets)), "sha256:"+hex.EncodeToString(sum[:])
	if c.isSame(p, r, o) {
		c.received(r.Size, false)
		return
	}
	stored, err := c.tree.write(original(r), octets, c.timeOf(r))
	if err != nil {
		o.err = err
		return
	}
	c.received(r.Size, true)
	c.fileWritten(p, r, stored, o)
}

// isSame reports whether the existing file contains the bytes of r. If so, isSame makes the
// existing file the result, without changing its time.
func (c *crawler) isSame(p prior, r *Record, o *outcome) bool {
	if p.Record == nil || !p.intact || p.Digest != r.Digest || p.File != r.File {
		return false
	}
	r.Stored, r.Original, r.Fetched = p.Stored, p.Original, p.Fetched
	o.result = &result{Status: Same, Record: *r}
	return true
}

// fileWritten makes r the result of an attempt that has written the file.
func (c *crawler) fileWritten(p prior, r *Record, stored *Stamp, o *outcome) {
	if p.intact && p.File != r.File {
		c.tree.remove(p.File) // The resource changed from a menu to an object, or the reverse.
	}
	r.Stored, r.Fetched = stored, time.Now().UTC().Truncate(time.Second)
	status := Changed
	switch {
	case p.Record == nil || p.Gone:
		status = Added
	case p.Digest == r.Digest:
		status = Same // The file was missing or was altered.
	}
	o.result = &result{Status: status, Record: *r}
}

func (c *crawler) timeOf(r *Record) time.Time {
	if c.o.NoTimes {
		return time.Time{}
	}
	return r.Modified
}

// received adds to the number of received bytes and files.
func (c *crawler) received(size int64, file bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += size
	if file {
		c.files++
	}
}

// keepPart writes an object that does not fit in memory to a part file. The argument text
// contains the bytes that were already read.
func (c *crawler) keepPart(ctx context.Context, p prior, r *Record, part *part, object *scheme.Object, text []byte, readErr error, o *outcome) {
	if err := part.begin(object); err != nil {
		o.err = err
		return
	}
	before := part.size
	_, err := io.Copy(part, io.MultiReader(bytes.NewReader(text), failing{readErr}, object.Body))
	c.received(part.size-before, false)
	if err == nil {
		err = checkSize(object, part.size)
	}
	if err = errors.Join(err, part.f.Close()); err != nil {
		o.err = cmp.Or(ctx.Err(), err)
		return
	}
	r.Size, r.Digest = part.size, "sha256:"+hex.EncodeToString(part.sum.Sum(nil))
	if c.isSame(p, r, o) {
		part.remove()
		return
	}
	stored, err := c.tree.publish(part.name, original(r), c.timeOf(r))
	if err != nil {
		o.err = err
		return
	}
	part.remove()
	c.received(0, true)
	c.fileWritten(p, r, stored, o)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// part is an incomplete object, which is stored in a temporary file.
type part struct {
	Tag     string    `json:"tag,omitempty"`
	ModTime time.Time `json:"modified,omitzero"`
	Whole   int64     `json:"size"` // size of the whole object; -1 if unknown

	tree *tree
	name string
	size int64
	f    *os.File // open during the transfer
	sum  hash.Hash
}

const maxPartText = 64 << 10

// openPart returns the part for j, which may contain bytes from an earlier run.
func (c *crawler) openPart(j *job) *part {
	p := &part{tree: c.tree, name: partFolder + "/" + urlHash(j.URL)}
	if !c.tree.parts.Load() {
		return p
	}
	stamp := c.tree.stamp(p.name)
	f, err := c.tree.read(p.name + ".json")
	if err != nil || stamp == nil {
		return p
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPartText))
	if err == nil && json.Unmarshal(text, p) == nil && (p.Tag != "" || !p.ModTime.IsZero()) {
		p.size = stamp.Size
	}
	return p
}

// offset returns the offset at which to continue the download.
func (p *part) offset() int64 {
	if p.size < smallObject || p.Whole >= 0 && p.size >= p.Whole {
		p.size = 0
	}
	return p.size
}

// begin opens the part file to append the bytes of o.
func (p *part) begin(o *scheme.Object) error {
	p.sum = sha256.New()
	p.tree.parts.Store(true)
	if o.Start > 0 {
		if o.Start != p.size || p.Tag != "" && o.Tag != "" && p.Tag != o.Tag || !p.ModTime.IsZero() && !o.ModTime.IsZero() && !p.ModTime.Equal(o.ModTime) {
			p.remove()
			return fmt.Errorf("%w: the object has changed since its first part was downloaded", scheme.ErrProtocol)
		}
		f, err := p.tree.root.OpenFile(p.name, os.O_RDWR, 0)
		if err != nil {
			return p.tree.fail(p.name, err)
		}
		if n, err := io.Copy(p.sum, f); err != nil || n != p.size {
			f.Close()
			return p.tree.fail(p.name, cmp.Or(err, io.ErrUnexpectedEOF))
		}
		p.f = f
		return nil
	}
	p.remove()
	p.Tag, p.ModTime, p.Whole, p.size = o.Tag, o.ModTime, o.Size, 0
	text, err := json.Marshal(p)
	if err == nil {
		_, err = p.tree.write(p.name+".json", text, time.Time{})
	}
	if err == nil {
		p.f, err = p.tree.root.OpenFile(p.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return p.tree.fail(p.name, err)
	}
	return nil
}

// Write appends to the part.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.f.Write(b)
	p.size += int64(n)
	p.sum.Write(b[:n])
	if err != nil {
		err = p.tree.fail(p.name, err)
	}
	return n, err
}

func (p *part) remove() {
	p.tree.root.Remove(p.name)
	p.tree.root.Remove(p.name + ".json")
}

// close closes the part file, which a later run can use.
func (p *part) close() {
	if p.f != nil {
		p.f.Close()
	}
}

// lastName returns the last name in the path of u.
func lastName(u locus.URL) string {
	text, _, _ := strings.Cut(u.SchemePart(), "?")
	return text[strings.LastIndexByte(text, '/')+1:]
}
