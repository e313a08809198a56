package unpack

import (
	"bufio"
	"errors"
	"io"
)

// uncompress reads the format of compress(1): LZW with codes of 9 bits that grow, the
// lowest bit first, in groups of eight codes. compress/lzw reads only other forms.
type uncompress struct {
	r    *bufio.Reader
	err  error
	out  []byte // decoded, not read yet
	head bool   // the header was read

	maxBits uint // of a code
	block   bool // code 256 clears all codes
	bits    uint // of the current codes
	next    int  // the code that is defined next
	last    int  // the code before; -1: none
	first   byte // the first octet that it decodes to

	ahead uint32 // bits that were read, the next ones lowest
	have  uint   // their number
	read  int    // octets of this group of codes that were read

	prefix [1 << lzwBits]uint16
	suffix [1 << lzwBits]byte
	stack  [1 << lzwBits]byte
}

const (
	lzwBits      = 16
	lzwFirstBits = 9
	lzwClear     = 256
)

var errLZW = errors.New("compress: damaged")

func newUncompress(r io.Reader) *uncompress { return &uncompress{r: bufio.NewReader(r)} }

// Read reads decompressed octets.
func (u *uncompress) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.err = u.decode()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

func (u *uncompress) begin() error {
	var h [3]byte
	if _, err := io.ReadFull(u.r, h[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	u.maxBits, u.block = uint(h[2]&0x1F), h[2]&0x80 != 0
	if u.maxBits < lzwFirstBits || u.maxBits > lzwBits {
		return errLZW
	}
	u.head = true
	u.clear()
	return nil
}

// clear drops all codes except those of single octets.
func (u *uncompress) clear() {
	u.bits, u.next, u.last = lzwFirstBits, lzwClear, -1
	if u.block {
		u.next++
	}
}

// code reads a code.
func (u *uncompress) code() (int, error) {
	for ; u.have < u.bits; u.have += 8 {
		c, err := u.r.ReadByte()
		if err != nil {
			return 0, err // At the end, the last bits are padding.
		}
		u.ahead |= uint32(c) << u.have
		u.read++
	}
	code := u.ahead & (1<<u.bits - 1)
	u.ahead >>= u.bits
	u.have -= u.bits
	return int(code), nil
}

// align skips the rest of a group of eight codes, which has as many octets as a code has
// bits. The number of bits changes only between groups.
func (u *uncompress) align() {
	if n := u.read % int(u.bits); n > 0 {
		u.r.Discard(int(u.bits) - n) // An error returns with the next code.
	}
	u.ahead, u.have, u.read = 0, 0, 0
}

func (u *uncompress) decode() error {
	if !u.head {
		if err := u.begin(); err != nil {
			return err
		}
	}
	code, err := u.code()
	if err != nil {
		return err
	}
	if code == lzwClear && u.block {
		u.align()
		u.clear()
		return nil
	}
	// The code that is about to be defined may be used at once: it is the string of the
	// last code and its first octet again.
	i := len(u.stack)
	c := code
	switch {
	case u.last < 0 && code > 0xFF, code > u.next, code == u.next && u.last < 0:
		return errLZW
	case code == u.next:
		i--
		u.stack[i] = u.first
		c = u.last
	}
	for c > 0xFF {
		if i == 0 {
			return errLZW
		}
		i--
		u.stack[i] = u.suffix[c]
		c = int(u.prefix[c])
	}
	if i == 0 {
		return errLZW
	}
	i--
	u.stack[i] = byte(c)
	u.first = byte(c)
	u.out = u.stack[i:]
	u.define()
	u.last = code
	return nil
}

func (u *uncompress) define() {
	if u.last < 0 || u.next >= 1<<u.maxBits {
		return
	}
	u.prefix[u.next], u.suffix[u.next] = uint16(u.last), u.first
	u.next++
	if u.next == 1<<u.bits && u.bits < u.maxBits {
		u.align()
		u.bits++
	}
}
