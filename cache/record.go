package cache

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"net/http"
	"time"

	"github.com/locus-url/locus/internal/store"
)

var sumTable = crc64.MakeTable(crc64.ECMA)

// newRecord returns the index record for a response. It contains the meta, the checksum of the
// body, and a checksum of the record.
func newRecord(m *meta, sum uint64) (dst []byte) {
	number := func(n int64) { dst = binary.AppendVarint(dst, n) }
	text := func(s string) {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	number(m.size)
	dst = binary.BigEndian.AppendUint64(dst, sum)
	number(int64(m.status))
	number(int64(m.lifetime))
	number(int64(m.age))
	number(m.received.UnixNano())
	ruled := int64(0)
	if m.isHTTP {
		ruled = 1
	}
	number(ruled)
	text(m.url)
	n := int64(0)
	for _, values := range m.header {
		n += int64(len(values))
	}
	number(n)
	for name, values := range m.header {
		for _, v := range values {
			text(name)
			text(v)
		}
	}
	number(int64(len(m.vary)))
	for _, s := range m.vary {
		text(s.name)
		text(s.value)
	}
	return binary.BigEndian.AppendUint64(dst, crc64.Checksum(dst, sumTable))
}

// parseRecord parses a record that newRecord made.
func parseRecord(octets []byte) (m *meta, sum uint64, err error) {
	if len(octets) < 16 {
		return nil, 0, fmt.Errorf("%w: truncated record", store.ErrDamaged)
	}
	end := len(octets) - 8
	if crc64.Checksum(octets[:end], sumTable) != binary.BigEndian.Uint64(octets[end:]) {
		return nil, 0, fmt.Errorf("%w: wrong checksum of a record", store.ErrDamaged)
	}
	r := decoder{rest: octets[:end]}
	m = new(meta)
	m.size = r.number()
	sum = r.fixed()
	m.status = int(r.number())
	m.lifetime = time.Duration(r.number())
	m.age = time.Duration(r.number())
	m.received = time.Unix(0, r.number())
	m.isHTTP = r.number() == 1
	m.url = r.text()
	m.header = make(http.Header)
	for n := r.number(); n > 0 && !r.isDamaged; n-- {
		name := r.text()
		m.header[name] = append(m.header[name], r.text())
	}
	for n := r.number(); n > 0 && !r.isDamaged; n-- {
		m.vary = append(m.vary, varyField{r.text(), r.text()})
	}
	if r.isDamaged || len(r.rest) > 0 || m.size < 0 {
		return nil, 0, fmt.Errorf("%w: malformed record", store.ErrDamaged)
	}
	m.derive()
	return m, sum, nil
}

// decoder reads the fields in a record. If a field is missing, decoder returns zero and sets
// isDamaged.
type decoder struct {
	rest      []byte
	isDamaged bool
}

func (r *decoder) number() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.rest, r.isDamaged = nil, true
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *decoder) fixed() uint64 {
	if len(r.rest) < 8 {
		r.rest, r.isDamaged = nil, true
		return 0
	}
	n := binary.BigEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return n
}

func (r *decoder) text() string {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(len(r.rest)-size) {
		r.rest, r.isDamaged = nil, true
		return ""
	}
	s := string(r.rest[size : size+int(n)])
	r.rest = r.rest[size+int(n):]
	return s
}
