package waistest

func appendCompressed(b []byte, n int) []byte {
	for shift := 7 * (compressedSize(n) - 1); shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n&0x7f))
}

// compressedSize returns the size of a compressed integer in octets.
func compressedSize(n int) int {
	size := 1
	for n >>= 7; n > 0; n >>= 7 {
		size++
	}
	return size
}

func appendHead(b []byte, tag, size int) []byte {
	return appendCompressed(appendCompressed(b, tag), size)
}

// elementSize returns the size of an element in octets. The argument size is the size of the
// element's content.
func elementSize(tag, size int) int { return compressedSize(tag) + compressedSize(size) + size }

func appendElement[T ~string | ~[]byte](b []byte, tag int, content T) []byte {
	return append(appendHead(b, tag, len(content)), content...)
}

// appendNumber appends an element with a number, in as few octets as possible.
func appendNumber(b []byte, tag int, n uint32) []byte {
	size := 1
	for n>>(8*size) > 0 {
		size++
	}
	b = appendHead(b, tag, size)
	for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
		b = append(b, byte(n>>shift))
	}
	return b
}

// appendInitReply appends an Init-Response with the name of freeWAIS-sf 2.2.10.
func appendInitReply(b []byte, refused bool, size int) []byte {
	header := append([]byte{apduInitReply, 1}, 3, 1, 0x80, 4, 1, 0x80)
	if refused {
		header[1] = 0
	}
	header = appendNumber(header, 5, uint32(size))
	header = appendNumber(header, 6, uint32(size))
	header = appendElement(header, 8, "LS6")
	header = appendElement(header, 9, "University of Dortmund Informatik VI")
	header = appendElement(header, 10, "2.2.10")
	b = append(b, byte(len(header)>>8), byte(len(header)))
	b = append(b, header...)
	return append(b, 99, 6, 100, 1, 0, 101, 1, 0)
}

type searchHead struct {
	found     bool // the response is the result of a successful search
	records   int
	reference []byte
	info      int // size of the user information that follows the header, in octets
}

func (h searchHead) headerSize() int {
	const fixed, presentStatus = 1 + 1 + 3 + 3 + 3, 3
	size := fixed + presentStatus
	if h.reference != nil {
		size += elementSize(2, len(h.reference))
	}
	return size
}

func (h searchHead) size() int { return 2 + h.headerSize() + elementSize(99, h.info) }

func (h searchHead) append(b []byte) []byte {
	n := h.headerSize()
	b = append(b, byte(n>>8), byte(n), apduSearchReply, 0)
	if h.found {
		b[len(b)-1] = 1
	}
	b = append(b, 0, 0, 0)
	b = append(b, byte(h.records>>16), byte(h.records>>8), byte(h.records))
	b = append(b, 0, 0, 0, 27, 1, 0)
	if h.reference != nil {
		b = appendElement(b, 2, h.reference)
	}
	return appendHead(b, 99, h.info)
}

// appendHit appends a Document-Header. If withTypes is true, the client supports document
// types.
func appendHit(b []byte, h hit, withTypes bool) []byte {
	d := h.d
	group := appendElement(nil, 116, d.id)
	group = appendNumber(group, 118, uint32(h.score))
	if !d.help {
		group = appendNumber(group, 119, 0)
	}
	group = appendNumber(group, 120, uint32(len(d.Types[0].Data)))
	group = appendNumber(group, 131, uint32(d.lines))
	if withTypes {
		var block []byte
		for _, t := range d.Types {
			block = appendElement(block, 133, t.Wtype)
		}
		group = appendElement(group, 132, block)
	}
	group = appendElement(group, 121, d.source)
	if !d.help {
		group = appendElement(group, 122, d.Date)
	}
	if d.Headline != "" {
		group = appendElement(group, 123, d.Headline)
	}
	return appendElement(b, 150, group)
}

type documentText struct {
	id   []byte
	data []byte
}

func (t documentText) groupSize() int {
	const version = 3
	return elementSize(116, len(t.id)) + version + elementSize(127, len(t.data))
}

func (t documentText) size() int { return elementSize(153, t.groupSize()) }

func (t documentText) append(b []byte) []byte {
	b = appendHead(b, 153, t.groupSize())
	b = appendElement(b, 116, t.id)
	b = append(b, 117, 1, 0)
	return appendElement(b, 127, t.data)
}

type diagnostic struct {
	code      string // two-character diagnostic code
	text      string
	surrogate byte // 1 means that the diagnostic replaces a record
}

var (
	missingDocument = diagnostic{"SF", "Missing DocID in request", 1}
	outOfRange      = diagnostic{"SF", "Request out of range", 1}
)

// size returns the size of the diagnostic in octets. For the zero diagnostic, it returns 0.
func (d diagnostic) size() int {
	if d.code == "" {
		return 0
	}
	return 1 + 2 + len(d.code) + len(d.text) + 1 + 1
}

func (d diagnostic) append(b []byte) []byte {
	if d.code == "" {
		return b
	}
	n := len(d.code) + len(d.text) + 1
	b = append(b, 28, byte(n>>8), byte(n))
	b = append(append(b, d.code...), d.text...)
	return append(b, d.surrogate, 29)
}
