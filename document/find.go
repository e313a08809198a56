package document

import (
	"bytes"
	"fmt"
	"io"

	"github.com/locus-url/locus/internal/charset"
)

type finder struct {
	o       Options
	name    string
	yield   func(Link, error) bool
	done    bool  // whether the caller has ended the loop
	left    int64 // number of bytes that may still be unpacked
	members int   // number of members that may still be read
}

// item is a document, or a member of a document.
type item struct {
	r      io.Reader
	file   file   // the reader r, if r supports random access; otherwise nil
	name   string // name of the item, without the name of its container
	typ    string // media type of the item, if known
	member string // value of Link.Member
	mixed  bool   // the item may be binary, despite its media type
	ready  bool   // the whole item is in memory
	base   string // URL of an archived page; empty if unknown
	depth  int    // number of containers that contain the item
}

// onlyMember returns the only member of a container as an item.
func (it item) onlyMember(r io.Reader, name string) item {
	inner := item{r: r, name: name, typ: it.typ, member: it.member, mixed: it.mixed, depth: it.depth + 1, base: it.base}
	if types[mediaType(it.typ)].isContainer() {
		inner.typ = ""
	}
	return inner
}

// newMember returns a member of a container as an item. The parameter label identifies the member.
func (it item) newMember(r io.Reader, name, label string) item {
	p := it.onlyMember(r, name)
	p.member, p.mixed = label, true
	if it.member != "" {
		p.member = it.member + "/" + label
	}
	return p
}

func (f *finder) fail(it item, err error) {
	if !f.done && !f.yield(Link{}, &Error{f.name, it.member, err}) {
		f.done = true
	}
}

func (f *finder) find(it item) {
	h, err := readHead(&it)
	if err != nil {
		f.fail(it, err)
		return
	}
	defer h.free()
	k := kindOf(it, h)
	switch {
	case k == utf16:
		it.r, it.file = charset.NewReader("utf-16", it.r, -1), nil
		f.find(it)
	case k == binary:
		f.fail(it, ErrBinary)
	case !k.isContainer():
		f.text(it, h, k)
	case it.depth >= f.o.Depth:
		f.fail(it, fmt.Errorf("%w: more than %d nested containers", ErrLimit, f.o.Depth))
	case k == tarArchive:
		f.tar(it)
	case k == zipArchive:
		f.zip(it, h)
	case k == mail:
		f.mail(it, h)
	case k == mailbox:
		f.readMbox(it, h)
	case k == webArchive:
		f.webArchive(it)
	default:
		f.compressed(it, k)
	}
}

// countMember counts a member, and reports whether the caller should read that member.
func (f *finder) countMember(it item) bool {
	if f.done || f.left <= 0 { // exceeding the limit was already reported
		return false
	}
	f.members--
	if f.members < 0 {
		f.fail(it, fmt.Errorf("%w: more than %d members", ErrLimit, f.o.MaxMembers))
	}
	return f.members >= 0
}

// unpacked reads the content of a container, up to the limit MaxUnpacked.
type unpacked struct {
	r io.Reader
	f *finder
}

func (u unpacked) Read(p []byte) (int, error) {
	if u.f.left <= 0 {
		return 0, fmt.Errorf("%w: more than %d bytes unpacked", ErrLimit, u.f.o.MaxUnpacked)
	}
	n, err := u.r.Read(p[:min(int64(len(p)), u.f.left)])
	u.f.left -= int64(n)
	return n, err
}

// readAll reads a whole item into memory. If the item is too large, it returns false and leaves the
// item unchanged.
func (f *finder) readAll(it *item) (text []byte, ok bool, err error) {
	var b bytes.Buffer
	_, err = io.CopyN(&b, it.r, f.o.MaxBuffered+1)
	switch {
	case err == io.EOF:
		return b.Bytes(), true, nil
	case err == nil:
		it.r = io.MultiReader(&b, it.r)
		return nil, false, nil
	}
	return b.Bytes(), true, err
}

// wholeReader returns a reader for the whole item. If the item is a file, the reader reads the file
// directly. Errors contain the description of the item. After an error, r may be truncated or nil.
func (f *finder) wholeReader(it *item, h *head, description string) (r io.ReaderAt, size int64, err error) {
	if section := it.inPlace(len(h.octets)); section != nil {
		return section, section.Size(), nil
	}
	octets, ok, err := f.readAll(it)
	if !ok {
		return nil, 0, fmt.Errorf("%w: %s of more than %d bytes must be read from a file", ErrLimit, description, f.o.MaxBuffered)
	}
	held := bytes.NewReader(octets)
	it.r = held
	return held, held.Size(), err
}
