package unpack

import (
	"bufio"
	"errors"
	"io"
)

// uncompress decompresses the format of compress(1). The format is LZW with codes of at least 9
// bits, lowest bit first, in groups of eight codes. Package compress/lzw does not support this
// format.
type uncompress struct {
	r    *bufio.Reader
	err  error
	out  []byte // decoded bytes that were not read yet
	head bool   // whether the header was read

	maxBits   uint // maximum number of bits in a code
	block     bool // whether code 256 clears all codes
	bits      uint // current number of bits in a code
	nextCode  int  // next code to define
	lastCode  int  // previous code, or -1
	firstByte byte // first decoded byte of the previous code

	buffered     uint32 // buffered bits, beginning with the lowest bit
	bufferedBits uint   // number of buffered bits
	groupBytes   int    // number of bytes that were read from the current group

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

// Read reads decompressed bytes.
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

// clear removes all codes except the codes for single bytes.
func (u *uncompress) clear() {
	u.bits, u.nextCode, u.lastCode = lzwFirstBits, lzwClear, -1
	if u.block {
		u.nextCode++
	}
}

func (u *uncompress) code() (int, error) {
	for ; u.bufferedBits < u.bits; u.bufferedBits += 8 {
		c, err := u.r.ReadByte()
		if err != nil {
			return 0, err // the last bits of the input are padding
		}
		u.buffered |= uint32(c) << u.bufferedBits
		u.groupBytes++
	}
	code := u.buffered & (1<<u.bits - 1)
	u.buffered >>= u.bits
	u.bufferedBits -= u.bits
	return int(code), nil
}

// align skips the rest of a group of eight codes. The length of a group in bytes equals the number
// of bits in a code, which changes only between groups.
func (u *uncompress) align() {
	if n := u.groupBytes % int(u.bits); n > 0 {
		u.r.Discard(int(u.bits) - n) // the next read returns the same error
	}
	u.buffered, u.bufferedBits, u.groupBytes = 0, 0, 0
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
	// The input may already contain the code that is defined next. The string of that code is the
	// string of the previous code, followed by the first byte of the same string.
	i := len(u.stack)
	c := code
	switch {
	case u.lastCode < 0 && code > 0xFF, code > u.nextCode, code == u.nextCode && u.lastCode < 0:
		return errLZW
	case code == u.nextCode:
		i--
		u.stack[i] = u.firstByte
		c = u.lastCode
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
	u.firstByte = byte(c)
	u.out = u.stack[i:]
	u.define()
	u.lastCode = code
	return nil
}

func (u *uncompress) define() {
	if u.lastCode < 0 || u.nextCode >= 1<<u.maxBits {
		return
	}
	u.prefix[u.nextCode], u.suffix[u.nextCode] = uint16(u.lastCode), u.firstByte
	u.nextCode++
	if u.nextCode == 1<<u.bits && u.bits < u.maxBits {
		u.align()
		u.bits++
	}
}
