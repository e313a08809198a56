package message

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/charset"
)

// Part is a part of a message: a small value that refers to its message.
type Part struct {
	Path string // path such as "1.2"; see [Message.Parts]
	// Type is the media type in lower case without parameters. The default is text/plain. Type
	// is application/octet-stream if the Content-Type is invalid or the encoding is unknown.
	Type string
	// Charset is the charset name as written, or "" if the part names no charset.
	Charset string
	// Encoding is the Content-Transfer-Encoding in lower case: "base64",
	// "quoted-printable", "x-uuencode", or "" if the content is not encoded.
	Encoding string
	// Name is the file name in Content-Disposition or Content-Type. Name is decoded, contains
	// no directories or hidden characters, and has at most 255 bytes. Name is only a label for
	// display. The sender chose the name, so callers must not use it to create a file.
	Name string
	// ContentID is the Content-ID without "<" and ">". ContentID is case-sensitive.
	ContentID       string
	ContentLocation string // the Content-Location as written (RFC 2557)
	Disposition     string // "attachment", "inline", or ""
	// Size is the size of the encoded content in bytes. See [Part.DecodedSize].
	Size int64

	m        *Message
	node     int
	enclosed bool
}

// makeParts creates the parts from the nodes. faultNodes contains the index of the node for each
// fault.
func (m *Message) makeParts(faultNodes []int) {
	paths := make([]string, len(m.nodes)) // for each node, the path prefix of its children
	listed := make([]string, len(m.nodes))
	number := make([]int, len(m.nodes))
	for i := range m.nodes {
		n := &m.nodes[i]
		paths[i], listed[i] = m.path(n, paths, number)
		if listed[i] != "" {
			m.parts = append(m.parts, m.part(i, listed[i]))
		}
	}
	for i, n := range faultNodes {
		if n >= 0 {
			m.Faults[i].Path = listed[n]
		}
	}
}

// path returns the path prefix for the children of n, and the path of n itself. If n is not
// listed as a part, ownPath is "".
func (m *Message) path(n *node, paths []string, number []int) (path, ownPath string) {
	within := isMultipart(n.typ) && n.children > 0
	if n.parent < 0 || isMessage(m.nodes[n.parent].typ) {
		// If the content of a message is a multipart, the parts of the multipart are the
		// message's parts.
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

func (m *Message) part(i int, path string) Part {
	n := &m.nodes[i]
	p := Part{Path: path, Type: n.typ, Encoding: n.encoding, Size: n.end - n.body, m: m, node: i, enclosed: n.enclosed}
	if p.Encoding == "binary" {
		p.Encoding = ""
	}
	if n.name != "" {
		p.Name, p.Disposition = displayName(n.name), "attachment"
		return p
	}
	_, params := parseParams(n.header.Get("Content-Type"))
	disposition, of := parseParams(n.header.Get("Content-Disposition"))
	p.Charset = params["charset"]
	p.Disposition = disposition
	if p.Name = displayName(of["filename"]); p.Name == "" {
		p.Name = displayName(params["name"])
	}
	p.ContentID = firstID(n.header.Get("Content-ID"))
	p.ContentLocation = collapseSpace(n.header.Get("Content-Location"))
	return p
}

// Header returns the header of the part. If the message is not a multipart, the header of its
// only part is the header of the message. The header of a uuencoded file is empty.
func (p Part) Header() Header { return p.m.nodes[p.node].header }

// Params returns the decoded parameters of the Content-Type (RFC 2045 section 5.1; RFC 2231),
// keyed by lower-case name. Each call parses the Content-Type again.
func (p Part) Params() map[string]string {
	_, params := parseParams(p.Header().Get("Content-Type"))
	return params
}

// Multipart reports whether p is a multipart whose parts follow p in [Message.Parts].
func (p Part) Multipart() bool { return isMultipart(p.Type) && p.m.nodes[p.node].children > 0 }

// Enclosed returns the header of the message that p, a message/rfc822, encloses. The parts of
// that message follow p in [Message.Parts]. ok is false if p does not enclose a message, or if
// the message was not split into parts.
func (p Part) Enclosed() (h Header, ok bool) {
	if !isMessage(p.Type) || p.m.nodes[p.node].children == 0 {
		return Header{}, false
	}
	return p.m.nodes[p.node+1].header, true
}

// Offset returns the offset of the content in bytes from the start of the message. If p is
// within decoded enclosed messages, Offset counts from the start of the innermost message.
func (p Part) Offset() int64 { return p.m.nodes[p.node].body }

// Raw returns a reader of the encoded content.
func (p Part) Raw() *io.SectionReader { return p.section(p.Offset(), p.Offset()+p.Size) }

// section returns a reader of the bytes between the offsets start and end of the part's
// source.
func (p Part) section(start, end int64) *io.SectionReader {
	r := p.m.nodes[p.node].r
	if r == nil {
		r = p.m.r
	}
	return io.NewSectionReader(r, start, end-start)
}

// Open returns a reader of the decoded content. Open reads from the message's reader as
// needed. Open skips invalid bytes, which [Message.Faults] reports. Reading fails if the
// message's reader fails, or with an error that wraps [ErrLimit] after [Limits].Part bytes.
func (p Part) Open() io.Reader {
	return p.limit(newDecodingReader(p.Encoding, p.Raw(), p.Size))
}

func (p Part) limit(r io.Reader) io.Reader {
	return &limitedReader{r: r, remaining: p.m.limits.Part, limitFault: Fault{
		Rule: RuleLimit, Offset: p.Offset(), Path: p.Path,
		Text: fmt.Sprintf("the part has more than %d bytes", p.m.limits.Part),
	}}
}

// limitedReader reads at most remaining bytes. If more bytes follow, Read returns limitFault.
type limitedReader struct {
	r          io.Reader
	remaining  int64
	limitFault Fault
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.remaining == 0 && len(p) > 0 {
		// Check whether more data follows.
		var one [1]byte
		n, err := l.r.Read(one[:])
		if n > 0 {
			l.remaining, err = -1, nil
		}
		if err != nil || n == 0 {
			return 0, err
		}
	}
	if l.remaining < 0 {
		return 0, l.limitFault
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.remaining)])
	l.remaining -= int64(n)
	return n, err
}

// DecodedSize returns the size of the decoded content in bytes. If the content is encoded, each
// call reads the whole part.
func (p Part) DecodedSize() (int64, error) {
	if p.Encoding == "" && p.Size <= p.m.limits.Part {
		return p.Size, nil
	}
	return io.Copy(io.Discard, p.Open())
}

// Text returns the content as UTF-8 with "\n" for line ends. Text joins each paragraph of
// format=flowed text (RFC 3676) to one line, with a ">" for each quote level. If the charset
// is unknown, Text reads bytes that are not valid UTF-8 as ISO Latin 1. Text omits uuencoded
// files and does not convert HTML.
//
// The text may contain control characters, which callers must remove before writing the text
// to a terminal. Reading fails with the same errors as for [Part.Open].
func (p Part) Text() io.Reader {
	r := p.limit(newDecodingReader(p.Encoding, p.withoutFiles(), p.Size))
	params := p.Params()
	r = charset.NewReader(params["charset"], r, p.Size)
	if p.Type == "text/plain" && isFlowed(params) {
		return newLineReader(r, p.Size, (&flowedJoiner{delSp: strings.EqualFold(params["delsp"], "yes")}).step)
	}
	return newLineReader(r, p.Size, unixLine)
}

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
