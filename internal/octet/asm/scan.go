package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	digits   = "0123456789"
	lower    = "abcdefghijklmnopqrstuvwxyz"
	upper    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	reserved = ";/?:@&="
	host     = lower + digits + "-."
	xchar    = lower + upper + digits + "$-_.+!*'(),%" + reserved
	hex      = digits + "abcdefABCDEF"
	graphic  = lower + upper + digits + "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
)

// The facts of package locus. rest holds them from bit factsAt.
const (
	internet      = 1 << 0
	hostName      = 1 << 3
	pathFsegment  = 7                          // a number; the next two are PathHsegment and PathUchar
	pathXchar     = 1<<7 | 1<<8 | 1<<9 | 1<<10 // with those that are of xchars too
	noEscape      = 1 << 11
	fragmentXchar = 1 << 12
	noControl     = 1 << 13
	slash         = 15 // a number
	// The facts that hold unless something is found: besides those of paths, SchemeLower,
	// LoginPlain, HostLower, PortPlain and NoUser, because the others are for the caller.
	usual = pathXchar | noEscape | fragmentXchar | noControl | 1<<1 | 1<<2 | 1<<5 | 1<<6 | 1<<14

	portAt     = 48 // in ends
	hashAt     = 16 // in rest, and the next
	searchAt   = 47 // PathSearch
	portlessAt = 46 // NoPort
	hostlessAt = 45 // NoHost
	factsAt    = 48 // the others
	rareAt     = 63 // in found
)

// scanner emits the code.
type scanner struct {
	v     window
	rest  GPVirtual
	found GPVirtual
}

func zero() GPVirtual {
	r := GP64()
	XORL(r.As32(), r.As32())
	return r
}

// ones returns a register with all bits set.
func ones() GPVirtual {
	r := GP64()
	MOVQ(I32(-1), r)
	return r
}

func number(n uint64) GPVirtual {
	r := GP64()
	if n>>32 == 0 {
		MOVL(U32(n), r.As32())
	} else {
		MOVQ(U64(n), r)
	}
	return r
}

func copied(a Op) GPVirtual {
	r := GP64()
	MOVQ(a, r)
	return r
}

func and(a, b Op) GPVirtual {
	r := copied(a)
	ANDQ(b, r)
	return r
}

func or(a, b Op) GPVirtual {
	r := copied(a)
	ORQ(b, r)
	return r
}

// slow ends the scan, so that the caller reads the text in another way, if jump jumps.
func slow(jump func(Op)) { jump(LabelRef("slow")) }

func length() GPVirtual { return Load(Param("text").Len(), GP64()).(GPVirtual) }
func start() GPVirtual  { return Load(Param("text").Base(), GP64()).(GPVirtual) }

func (s *scanner) emit() {
	p, n := start(), length()
	Comment("An empty text, and one that is too long for a URL, are for the caller.")
	less := GP64()
	LEAQ(Mem{Base: n, Disp: -1}, less)
	CMPQ(less, U32(1<<16-1))
	slow(JA)
	size := number(64)
	CMPQ(n, size)
	CMOVQCS(n, size)
	valid := ones()
	BZHIQ(size, valid, valid)
	s.v.first(p, n, size)
	s.head(valid)
	s.more()
	s.v.short(p, n)

	Label("slow")
	VZEROUPPER()
	none := zero()
	for i := range 3 {
		Store(none, ReturnIndex(i))
	}
	RET()
}

// head reads scheme, host and port, and continues with the tail.
func (s *scanner) head(valid GPVirtual) {
	v := &s.v
	Comment("The scheme ends at the first octet that hosts do not have either, which must be a colon.")
	noHost := copied(valid)
	NOTQ(noHost)
	ORQ(v.notIn(host), noHost)
	colons := v.is(':')
	first, scheme := GP64(), GP64()
	BLSIL(noHost.As32(), first.As32())
	TESTL(colons.As32(), first.As32())
	slow(JZ)
	TZCNTL(noHost.As32(), scheme.As32())
	Comment("One letter may be the drive of a path.")
	CMPQ(scheme, Imm(2))
	slow(JB)
	Store(scheme, ReturnIndex(0))

	slashes := v.is('/')
	s.rest, s.found = number(usual<<factsAt|1<<searchAt|1<<portlessAt), zero()
	from, questions, hashes := GP64(), GP64(), GP64()
	after := GP64()
	SHRXQ(scheme, slashes, after)
	ANDL(Imm(6), after.As32())
	CMPL(after.As32(), Imm(6))
	JNE(LabelRef("opaque"))

	Comment("The host ends within the first window.")
	begin, end := GP64(), GP64()
	LEAQ(Mem{Base: scheme, Disp: 3}, begin)
	SHRXQ(begin, noHost, end)
	empty := copied(end)
	ANDL(Imm(1), empty.As32())
	SHLQ(Imm(hostlessAt), empty)
	ORQ(empty, s.rest)
	TZCNTQ(end, end)
	ADDQ(begin, end)
	CMPQ(end, Imm(62))
	slow(JA)
	s.host(begin, end)

	BTQ(end, colons)
	JCS(LabelRef("port"))
	Label("port_done")
	MOVQ(v.is('?'), questions)
	MOVQ(v.is('#'), hashes)
	stops := copied(valid)
	NOTQ(stops)
	ORQ(slashes, stops)
	ORQ(hashes, stops)
	BTQ(end, stops)
	slow(JCC)
	isSlash := GP64()
	SHRXQ(end, slashes, isSlash)
	ANDL(Imm(1), isSlash.As32())
	LEAQ(Mem{Base: end, Index: isSlash, Scale: 1}, from)
	at := copied(isSlash)
	NEGQ(at)
	ANDQ(end, at)
	ORQ(at, s.rest)
	SHLQ(Imm(factsAt+slash), isSlash)
	ORQ(isSlash, s.rest)

	Label("tail")
	s.tail(valid, from, slashes, questions, hashes)

	Label("opaque")
	LEAQ(Mem{Base: scheme, Disp: 1}, from)
	MOVQ(v.is('?'), questions)
	MOVQ(v.is('#'), hashes)
	JMP(LabelRef("tail"))

	s.port(scheme, end)
}

// host finds out which facts hold for the host between begin and end, which has a dot or a
// letter at each of its edges if it has only those.
func (s *scanner) host(begin, end GPVirtual) {
	v := &s.v
	between := ones()
	SHLXQ(begin, between, between)
	BZHIQ(end, between, between)
	Comment("Each edge of the host counts as a dot.")
	edges, before := number(1), GP64()
	SHLXQ(begin, edges, before)
	SHLXQ(end, edges, edges)
	SHRQ(Imm(1), before)
	ORQ(before, edges)
	dots := v.is('.')
	ANDQ(between, dots)
	ORQ(edges, dots)
	after, bad := GP64(), GP64()
	LEAQ(Mem{Base: dots, Index: dots, Scale: 1}, after)
	MOVQ(after, bad)
	ANDQ(dots, bad)
	others := v.in("-" + digits)
	ANDQ(between, others)
	JNZ(LabelRef("mixed"))
	Label("mixed_done")
	name := zero()
	CMPQ(bad, Imm(1))
	SBBQ(name, name) // -1 if bad is 0
	ANDL(Imm(hostName), name.As32())
	INCL(name.As32()) // Internet
	SHLQ(Imm(factsAt), name)
	ORQ(name, s.rest)
	JMP(LabelRef("host_done"))

	Label("mixed")
	hyphens := v.is('-')
	numbers := and(others, after)
	ANDNQ(numbers, hyphens, numbers)
	ANDQ(others, hyphens)
	beside := copied(dots)
	SHRQ(Imm(1), beside)
	ORQ(beside, after)
	ANDQ(hyphens, after)
	ORQ(after, bad)
	JNZ(LabelRef("mixed_done"))
	Comment("A label that begins with a digit may be of a number: the caller finds out.")
	ORQ(numbers, bad)
	CMPQ(s.found, numbers)
	SBBQ(s.found, s.found)
	SHLQ(Imm(rareAt), s.found)
	JMP(LabelRef("mixed_done"))

	Label("host_done")
}

// port reads a port from 1 to 65535 without leading zeros, after the ":" at end.
func (s *scanner) port(scheme, end GPVirtual) {
	Label("port")
	p := start()
	first, length, t := GP64(), GP64(), s.v.in(digits)
	NOTQ(t)
	LEAQ(Mem{Base: end, Disp: 1}, first)
	SHRXQ(first, t, t)
	TZCNTQ(t, length)
	LEAQ(Mem{Base: length, Disp: -1}, t)
	CMPQ(t, Imm(4))
	slow(JA)
	CMPB(Mem{Base: p, Index: end, Scale: 1, Disp: 1}, Imm('0'))
	slow(JEQ)
	SHLQ(Imm(portAt), end)
	ORQ(end, scheme)
	Store(scheme, ReturnIndex(0))
	LEAQ(Mem{Base: first, Index: length, Scale: 1}, end)
	LEAQ(Mem{Base: end, Disp: -8}, t)
	CMPQ(t, Imm(62-8))
	slow(JA)
	Comment("The digits are the last octets of a word. The others become 0.")
	word := number(0x3030303030303030)
	XORQ(Mem{Base: p, Index: end, Scale: 1, Disp: -8}, word)
	SHLQ(Imm(3), length)
	NEGQ(length)
	SHRXQ(length, word, word)
	SHLXQ(length, word, word)
	Comment("Pairs of digits, then pairs of pairs.")
	pairs := GP64()
	LEAQ(Mem{Base: word, Index: word, Scale: 4}, pairs)
	SHRQ(Imm(8), word)
	LEAQ(Mem{Base: word, Index: pairs, Scale: 2}, word)
	even := number(0x000000FF000000FF)
	MOVQ(word, pairs)
	ANDQ(even, pairs)
	SHRQ(Imm(16), word)
	ANDQ(even, word)
	IMULQ(number(0x000F424000000064), pairs)
	IMULQ(number(0x0000271000000001), word)
	ADDQ(pairs, word)
	SHRQ(Imm(32), word)
	CMPQ(word, U32(65535))
	slow(JA)
	BTRQ(Imm(portlessAt), s.rest)
	JMP(LabelRef("port_done"))
}

// tail reads the path or scheme-specific part, and the fragment. Scheme, host and port have only
// characters that are xchars, and none of "%", "?", ";" and "#", so that most tests need not wait
// for the offset where the path begins.
func (s *scanner) tail(valid, from, slashes, questions, hashes GPVirtual) {
	none, hash, question := zero(), GP64(), GP64()
	TZCNTQ(hashes, hash)
	CMOVQCS(none, hash)
	SHLQ(Imm(hashAt), hash)
	ORQ(hash, s.rest)
	body, before, path := GP64(), GP64(), ones()
	BLSIQ(hashes, before)
	ANDNQ(valid, before, body)
	DECQ(before)
	ANDQ(before, questions)
	TZCNTQ(questions, question)
	CMOVQCS(none, question)
	ORQ(question, s.found)
	ANDQ(before, slashes)
	unsearched := second(questions, slashes)
	SHLXQ(from, path, path)
	ANDQ(before, path)
	ANDQ(body, path)
	s.window("first", body, before, path, questions, unsearched, func() {
		CMPQ(length(), Imm(64))
		slow(JBE)
	})
	CMPQ(length(), Imm(64))
	JA(LabelRef("more"))

	Label("done")
	VZEROUPPER()
	Store(s.rest, ReturnIndex(1))
	Store(s.found, ReturnIndex(2))
	RET()
}

// second returns those of questions and slashes that are after the first of questions: no search
// has them.
func second(questions, slashes GPVirtual) GPVirtual {
	until, rest := GP64(), GP64()
	BLSMSKQ(questions, until)
	ANDNQ(slashes, until, until)
	BLSRQ(questions, rest)
	ORQ(until, rest)
	return rest
}

// lack removes the bits from rest if the register m is not 0.
func (s *scanner) lack(m Op, facts uint64) {
	none, lacks := zero(), zero()
	CMPQ(none, m)
	SBBQ(lacks, lacks)
	ANDQ(number(facts), lacks)
	ANDNQ(s.rest, lacks, s.rest)
}

// window removes the facts that path and fragment lack. body are the octets of both, before are
// those that precede the fragment, and questions are the "?" among them. path are the octets of the
// path that no other window has, and unsearched those that no search has. ends emits code that jumps to slow if nothing follows the window.
// name distinguishes the labels of windows.
func (s *scanner) window(name string, body, before, path, questions, unsearched GPVirtual, ends func()) {
	v := &s.v
	escapes := v.is('%')
	TESTQ(escapes, escapes)
	JNZ(LabelRef(name + "_escapes"))
	Label(name + "_escapes_done")
	others := v.notIn(xchar)
	ANDQ(body, others)
	JNZ(LabelRef(name + "_unsafe"))
	Label(name + "_unsafe_done")
	parts := v.in(reserved)
	ANDQ(path, parts)
	semicolons := v.is(';')
	ANDQ(before, semicolons)
	lacks, none := zero(), zero()
	for _, m := range []GPVirtual{parts, questions, semicolons} {
		CMPQ(none, m)
		ADCQ(lacks, lacks)
	}
	SHLQ(Imm(factsAt+pathFsegment), lacks)
	ANDNQ(s.rest, lacks, s.rest)
	MOVQ(none, lacks)
	CMPQ(none, unsearched)
	RCRQ(Imm(1), lacks)
	SHRQ(Imm(63-searchAt), lacks)
	ANDNQ(s.rest, lacks, s.rest)
	JMP(LabelRef(name + "_done"))

	Comment("Characters of no production. Control characters, and all that are not US-ASCII, are for the caller.")
	Label(name + "_unsafe")
	controls := v.notIn(graphic)
	ANDQ(others, controls)
	slow(JNZ)
	bad := and(others, before)
	ANDNQ(others, before, others)
	s.lack(bad, 1<<searchAt|pathXchar<<factsAt)
	s.lack(others, fragmentXchar<<factsAt)
	JMP(LabelRef(name + "_unsafe_done"))

	Label(name + "_escapes")
	here := copied(escapes)
	SHLQ(Imm(2), here)
	SHRQ(Imm(2), here)
	CMPQ(here, escapes)
	JEQ(LabelRef(name + "_inside"))
	ends()
	Label(name + "_inside")
	s.escapes(here, before)
	JMP(LabelRef(name + "_escapes_done"))

	Label(name + "_done")
}

// escapes tests that two hexadecimal digits follow each "%" of here, and removes the facts
// that those in the path lack.
func (s *scanner) escapes(here, path GPVirtual) {
	v := &s.v
	first, second := GP64(), GP64()
	LEAQ(Mem{Base: here, Index: here, Scale: 1}, first)
	LEAQ(Mem{Base: first, Index: first, Scale: 1}, second)
	ORQ(first, second)
	ANDNQ(second, v.in(hex), second)
	slow(JNZ)
	ANDQ(path, here)
	s.lack(here, noEscape<<factsAt)
	ADDQ(here, here)
	control := v.in("fF")
	SHRQ(Imm(1), control)
	ANDQ(v.is('7'), control)
	ORQ(v.in("01"), control)
	ANDQ(here, control)
	s.lack(control, noControl<<factsAt)
}

// more reads the windows after the first. Each begins two octets or more before the end of
// the one before it, so that every escape is inside of one.
func (s *scanner) more() {
	Label("more")
	offset := number(0)
	Label("next")
	seen, last := copied(offset), length()
	SUBQ(Imm(64), last)
	ADDQ(Imm(62), offset)
	CMPQ(last, offset)
	CMOVQCS(last, offset)
	s.v.next(start(), offset)

	body, before, path, hashes := ones(), ones(), GP64(), s.v.is('#')
	Comment("The first \"#\" may be in two windows.")
	hash := GP64()
	MOVL(s.rest.As32(), hash.As32())
	SHRL(Imm(hashAt), hash.As32())
	JNZ(LabelRef("fragment"))
	TESTQ(hashes, hashes)
	JZ(LabelRef("split"))
	TZCNTQ(hashes, hash)
	ADDQ(offset, hash)
	SHLQ(Imm(hashAt), hash)
	ORQ(hash, s.rest)
	BLSIQ(hashes, before)
	ANDNQ(body, before, body)
	DECQ(before)
	JMP(LabelRef("split"))
	Label("fragment")
	Comment("Octets before the \"#\" are in this window too if it begins before that.")
	XORL(before.As32(), before.As32())
	SUBQ(offset, hash)
	JCS(LabelRef("split"))
	MOVQ(I32(-1), before)
	BZHIQ(hash, before, before)
	BTRQ(hash, body)
	Label("split")
	Comment("Of the octets that were in the window before, some may be of the host.")
	SUBQ(offset, seen)
	ADDQ(Imm(64-1), seen)
	MOVQ(I32(-2), path)
	SHLXQ(seen, path, path)
	ANDQ(before, path)
	questions, slashes := s.v.is('?'), s.v.is('/')
	ANDQ(path, questions)
	ANDQ(path, slashes)
	unsearched := or(questions, slashes)
	TESTL(U32(0xFFFF), s.found.As32())
	JNZ(LabelRef("asked"))
	MOVQ(second(questions, slashes), unsearched)
	TESTQ(questions, questions)
	JZ(LabelRef("asked"))
	question := GP64()
	TZCNTQ(questions, question)
	ADDQ(offset, question)
	ORQ(question, s.found)
	Label("asked")
	s.window("next", body, before, path, questions, unsearched, func() {
		last := length()
		SUBQ(Imm(64), last)
		CMPQ(offset, last)
		slow(JEQ)
	})
	last = length()
	SUBQ(Imm(64), last)
	CMPQ(offset, last)
	JB(LabelRef("next"))
	JMP(LabelRef("done"))
}
