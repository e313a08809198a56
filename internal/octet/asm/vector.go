package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A table of 16 bytes represents a set of US-ASCII characters. Bit h of byte l is set if the
// set contains the character whose high hexadecimal digit is h and whose low digit is l.
// PSHUFB selects the byte by the low digit, and returns 0 for octets above 7F hexadecimal. The
// array rows contains the bit for each high digit.

func table(set string) (t [16]byte) {
	for _, c := range []byte(set) {
		t[c&15] |= 1 << (c >> 4)
	}
	return t
}

// For octets above 7F, rows contains all bits, which no table contains.
var rows = [16]byte{1, 2, 4, 8, 16, 32, 64, 128, 255, 255, 255, 255, 255, 255, 255, 255}

// constants contains the vectors that are in read-only memory. Each vector is declared when it
// is first used.
type constants map[string]Mem

// repeated returns a vector that repeats the bytes of t.
func (c constants) repeated(t []byte) Mem {
	whole := strings.Repeat(string(t), width/len(t))
	m, ok := c[whole]
	if !ok {
		m = constant(fmt.Sprintf("vector%d", len(c)), whole)
		c[whole] = m
	}
	return m
}

func constant(name, octets string) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := 0; i < len(octets); i += 8 {
		DATA(i, U64(binary.LittleEndian.Uint64([]byte(octets[i:]))))
	}
	return m
}

// width is the size of a register in octets.
const width = 32

// window holds up to 64 octets in two registers. The second register begins with the octet at
// the offset shift. The methods emit code that computes masks. In a mask, bit i belongs to
// octet i. In every mask except the result of notIn, the bits of octets outside the text are
// clear.
type window struct {
	constants
	low, high         VecVirtual // the octets
	lowRows, highRows VecVirtual
	shift             GPVirtual
	zero              VecVirtual
}

// first emits code that loads the octets at address p. The register size must contain the number of
// octets to load, which is n if n is below 64, and 64 otherwise. The code jumps to the label "slow"
// if a load could touch an unmapped page.
func (w *window) first(p, n, size GPVirtual) {
	w.constants = constants{}
	w.low, w.high = YMM(), YMM()
	w.shift = GP64()
	CMPQ(n, Imm(width))
	JB(LabelRef("short"))
	MOVQ(size, w.shift)
	SUBQ(Imm(width), w.shift)
	VMOVDQU(Mem{Base: p}, w.low)
	VMOVDQU(Mem{Base: p, Index: w.shift, Scale: 1}, w.high)
	Label("loaded")
	w.zero = YMM()
	VPXOR(w.zero, w.zero, w.zero)
	w.lowRows, w.highRows = YMM(), YMM()
	w.findRows()
}

// short emits code that loads n octets, which is less than the size of a register. The code
// loads a whole register, and then clears the octets after the first n.
func (w *window) short(p, n GPVirtual) {
	Label("short")
	page, kept := GP64(), GP64()
	MOVQ(p, page)
	ANDQ(U32(4095), page)
	CMPQ(page, U32(4096-width))
	JA(LabelRef("slow"))
	sliding := constant("sliding", strings.Repeat("\xFF", width)+strings.Repeat("\x00", width))
	LEAQ(sliding.Offset(width), kept)
	SUBQ(n, kept)
	VMOVDQU(Mem{Base: p}, w.low)
	VPAND(Mem{Base: kept}, w.low, w.low)
	VMOVDQA(w.low, w.high)
	XORL(w.shift.As32(), w.shift.As32())
	JMP(LabelRef("loaded"))
}

// next emits code that loads the 64 octets at the given offset from address p.
func (w *window) next(p, offset GPVirtual) {
	MOVL(U32(width), w.shift.As32())
	VMOVDQU(Mem{Base: p, Index: offset, Scale: 1}, w.low)
	VMOVDQU(Mem{Base: p, Index: offset, Scale: 1, Disp: width}, w.high)
	w.findRows()
}

func (w *window) findRows() {
	digit, table := YMM(), YMM()
	VMOVDQU(w.repeated([]byte{15}), digit)
	VMOVDQU(w.repeated(rows[:]), table)
	for _, half := range []struct{ octets, rows VecVirtual }{{w.low, w.lowRows}, {w.high, w.highRows}} {
		VPSRLW(Imm(4), half.octets, half.rows)
		VPAND(digit, half.rows, half.rows)
		VPSHUFB(half.rows, table, half.rows)
	}
}

// merged returns a mask that contains the top bit of each octet in both vectors.
func (w *window) merged(low, high VecVirtual) GPVirtual {
	l, h := GP64(), GP64()
	VPMOVMSKB(low, l.As32())
	VPMOVMSKB(high, h.As32())
	SHLXQ(w.shift, h, h)
	ORQ(h, l)
	return l
}

func (w *window) is(c byte) GPVirtual {
	low, high := YMM(), YMM()
	m := w.repeated([]byte{c})
	VPCMPEQB(m, w.low, low)
	VPCMPEQB(m, w.high, high)
	return w.merged(low, high)
}

func (w *window) notIn(set string) GPVirtual {
	t := table(set)
	low, high, columns := YMM(), YMM(), YMM()
	VMOVDQU(w.repeated(t[:]), columns)
	VPSHUFB(w.low, columns, low)
	VPSHUFB(w.high, columns, high)
	VPAND(w.lowRows, low, low)
	VPAND(w.highRows, high, high)
	VPCMPEQB(w.zero, low, low)
	VPCMPEQB(w.zero, high, high)
	return w.merged(low, high)
}

func (w *window) in(set string) GPVirtual {
	t := table(set)
	low, high, columns := YMM(), YMM(), YMM()
	VMOVDQU(w.repeated(t[:]), columns)
	VPSHUFB(w.low, columns, low)
	VPSHUFB(w.high, columns, high)
	VPAND(w.lowRows, low, low)
	VPAND(w.highRows, high, high)
	VPCMPEQB(w.lowRows, low, low)
	VPCMPEQB(w.highRows, high, high)
	return w.merged(low, high)
}
