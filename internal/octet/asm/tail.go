package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tail emits code that reads the path or scheme-specific part, and the fragment. The scheme,
// host and port consist of xchars without "%", "?", ";" and "#". Most tests can therefore
// include these parts, and need not wait for the offset of the path.
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

// second returns the bits of both masks that follow the first bit of the mask questions. These
// bits mark octets that a search can't contain.
func second(questions, slashes GPVirtual) GPVirtual {
	until, rest := GP64(), GP64()
	BLSMSKQ(questions, until)
	ANDNQ(slashes, until, until)
	BLSRQ(questions, rest)
	ORQ(until, rest)
	return rest
}

// lack emits code that removes the given facts from s.rest if the operand m is not 0.
func (s *scanner) lack(m Op, facts uint64) {
	none, lacks := zero(), zero()
	CMPQ(none, m)
	SBBQ(lacks, lacks)
	ANDQ(number(facts), lacks)
	ANDNQ(s.rest, lacks, s.rest)
}

// window emits code that removes the facts that the path and the fragment violate in one
// window. The arguments of type GPVirtual are masks. The mask body marks the octets of the
// path and the fragment, and the mask questions marks each "?" in the body. The mask before
// marks the octets before the fragment. The mask path marks the octets of the path that are in
// no other window. The mask unsearched marks the octets that a search can't contain. The
// function ends emits code that jumps to slow if no text follows the window. The argument name
// makes the labels of the window unique.
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

// escapes emits code that tests whether two hexadecimal digits follow each "%" that the mask
// here marks. The code also removes the facts that the escapes in the path violate.
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

// more emits a loop that reads all windows after the first window. Each window begins at least
// two octets before the end of the previous window, so that every escape is completely within
// one window.
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
