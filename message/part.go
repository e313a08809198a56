package message

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/charset"
)

// Part is a part of a message. It is a small value that leads to its message.
type Part struct {
	Path string // "1.2"; see [Message.Parts]
	// Type is the media type in lower case without parameters. It is text/plain where
	// nothing is said, and application/octet-stream where what is said, or how it is
	// encoded, can't be read.
	Type string
	// Charset is that of a text as written; empty: none is named.
	Charset string
	// Encoding is the Content-Transfer-Encoding in lower case: "base64",
	// "quoted-printable", "x-uuencode", or "" if nothing is to be undone.
	Encoding string
	// Name is the name that the message gives to a file, of Content-Disposition or
	// Content-Type: decoded, without directories and hidden characters, at most 255
	// octets. It is a label to show. It is chosen by whoever wrote the message, and is
	// no name to make a file with as it is.
	Name string
	// ContentID is the Content-ID without "<" and ">", read as [MessageIDs] does.
	ContentID       string
	ContentLocation string // of RFC 2557, as written
	Disposition     string // "attachment", "inline", or "" if nothing is said
	// Size is the length of the content as it is encoded, in octets. [Part.DecodedSize]
	// counts what it stands for.
	Size int64

	m        *Message
	node     int
	enclosed bool
}

// finish makes the parts of the nodes. faulty are the nodes that the faults are about.
func (m *Message) finish(faulty []int) {
	paths := make([]string, len(m.nodes)) // what the numbers of children stand behind
	listed := make([]string, len(m.nodes))
	number := make([]int, len(m.nodes))
	for i := range m.nodes {
		n := &m.nodes[i]
		paths[i], listed[i] = m.path(n, paths, number)
		if listed[i] != "" {
			m.parts = append(m.parts, m.part(i, listed[i]))
		}
	}
	for i, n := range faulty {
		if n >= 0 {
			m.Faults[i].Path = listed[n]
		}
	}
}

// path returns the path that the children of n have theirs from, and its own, which is
// empty if it has none.
func (m *Message) path(n *node, paths []string, number []int) (path, own string) {
	within := isMultipart(n.typ) && n.children > 0
	if n.parent < 0 || isMessage(m.nodes[n.parent].typ) {
		// What is the whole of a message: if it is a multipart, its parts are the
		// message's.
		prefix := ""
		if n.parent >= 0 {
			prefix = paths[n.parent]
		}
		if within {
			return prefix, ""
		}
		path = join(prefix, 1)
		return path, path
	}
	number[n.parent]++
	path = join(paths[n.parent], number[n.parent])
	return path, path
}

func join(prefix string, n int) string {
	if prefix == "" {
		return strconv.Itoa(n)
	}
	return prefix + "." + strconv.Itoa(n)
}

// part makes the part of a node.
func (m *Message) part(i int, path string) Part {
	n := &m.nodes[i]
	p := Part{Path: path, Type: n.typ, Encoding: n.encoding, Size: n.end - n.body, m: m, node: i, enclosed: n.enclosed}
	if p.Encoding == "binary" {
		p.Encoding = ""
	}
	if n.name != "" {
		p.Name, p.Disposition = label(n.name), "attachment"
		return p
	}
	_, params := parseParams(n.header.Get("Content-Type"))
	disposition, of := parseParams(n.header.Get("Content-Disposition"))
	p.Charset = params["charset"]
	p.Disposition = disposition
	if p.Name = label(of["filename"]); p.Name == "" {
		p.Name = label(params["name"])
	}
	p.ContentID = firstID(n.header.Get("Content-ID"))
	p.ContentLocation = squeeze(n.header.Get("Content-Location"))
	return p
}

// Header returns the header of the part. Of the one part of a message that is no
// multipart, it is the message's; a uuencoded file has none.
func (p Part) Header() Header { return p.m.nodes[p.node].header }

// Params returns the parameters of the Content-Type (RFC 2045 section 5.1; RFC 2231),
// decoded, by their names in lower case. They are read anew with each call.
func (p Part) Params() map[string]string {
	_, params := parseParams(p.Header().Get("Content-Type"))
	return params
}

// Multipart reports whether p is a multipart whose parts are listed behind it.
func (p Part) Multipart() bool { return isMultipart(p.Type) && p.m.nodes[p.node].children > 0 }

// Enclosed returns the header of the message that p, a message/rfc822, is. ok is false
// if it is none that was looked into. Its parts are listed behind p.
func (p Part) Enclosed() (h Header, ok bool) {
	if !isMessage(p.Type) || p.m.nodes[p.node].children == 0 {
		return Header{}, false
	}
	return p.m.nodes[p.node+1].header, true
}

// Offset returns where the content begins, in octets; it has Size of them. They are
// octets of the message, or of the innermost message within that had to be decoded.
func (p Part) Offset() int64 { return p.m.nodes[p.node].body }

// Raw returns the content as it is encoded.
func (p Part) Raw() *io.SectionReader { return p.section(p.Offset(), p.Offset()+p.Size) }

// section returns what is from start to end in what the part is read from.
func (p Part) section(start, end int64) *io.SectionReader {
	r := p.m.nodes[p.node].r
	if r == nil {
		r = p.m.r
	}
	return io.NewSectionReader(r, start, end-start)
}

// Open returns the content with its transfer encoding undone. It is read from where
// the message is, piece by piece, and never held. What is damaged is skipped; that is
// in [Message.Faults]. The only errors are the reader's, and one that wraps [ErrLimit]
// behind the first [Limits.Part] octets.
func (p Part) Open() io.Reader {
	return p.limited(decoded(p.Encoding, p.Raw(), p.Size))
}

func (p Part) limited(r io.Reader) io.Reader {
	return &limited{r: r, left: p.m.limits.Part, fault: Fault{
		Rule: RuleLimit, Offset: p.Offset(), Path: p.Path,
		Text: fmt.Sprintf("the part has more than %d octets", p.m.limits.Part),
	}}
}

// limited ends with a fault where there is more than may be.
type limited struct {
	r     io.Reader
	left  int64
	fault Fault
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left == 0 && len(p) > 0 {
		// Is there more?
		var one [1]byte
		n, err := l.r.Read(one[:])
		if n > 0 {
			l.left, err = -1, nil
		}
		if err != nil || n == 0 {
			return 0, err
		}
	}
	if l.left < 0 {
		return 0, l.fault
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// DecodedSize returns how many octets [Part.Open] gives. Where something is to be
// undone, they are counted each time by reading all of the part.
func (p Part) DecodedSize() (int64, error) {
	if p.Encoding == "" && p.Size <= p.m.limits.Part {
		return p.Size, nil
	}
	return io.Copy(io.Discard, p.Open())
}

// Text returns the content as text: of its charset in UTF-8, "\n" for line ends, and
// format=flowed joined to a line for each paragraph, with ">" for each depth of quotes
// and a space before what is quoted (RFC 3676). Octets of a charset that is unknown or
// not named are read as UTF-8 where they are that, and else as ISO Latin 1. Of a text
// with uuencoded files, it is what is around them. HTML stays HTML.
//
// Control characters stay as they are: whoever writes to a terminal filters them.
// Errors are as those of [Part.Open].
func (p Part) Text() io.Reader {
	r := p.limited(decoded(p.Encoding, p.withoutFiles(), p.Size))
	params := p.Params()
	r = charset.NewReader(params["charset"], r, p.Size)
	if p.Type == "text/plain" && isFlowed(params) {
		return newLineReader(r, p.Size, (&flowed{delSp: strings.EqualFold(params["delsp"], "yes")}).step)
	}
	return newLineReader(r, p.Size, unixLine)
}

// withoutFiles returns the content without the files that are uuencoded in it.
func (p Part) withoutFiles() io.Reader {
	if isMultipart(p.Type) || isMessage(p.Type) || p.m.nodes[p.node].children == 0 {
		return p.Raw()
	}
	var list []io.Reader
	at := p.Offset()
	for i := p.node + 1; i < len(p.m.nodes) && p.m.nodes[i].parent == p.node; i++ {
		file := &p.m.nodes[i]
		list = append(list, p.section(at, file.start))
		at = file.end
	}
	list = append(list, p.section(at, p.Offset()+p.Size))
	return io.MultiReader(list...)
}
