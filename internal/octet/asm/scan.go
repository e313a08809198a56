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

// Facts of package locus. rest holds them from bit factsAt.
const (
	internet      = 1 << 0
	hostName      = 1 << 3
	pathFsegment  = 7                          // bit number of PathFsegment; the next two bits are PathHsegment and PathUchar
	pathXchar     = 1<<7 | 1<<8 | 1<<9 | 1<<10 // PathXchar and the three stricter facts about paths
	noEscape      = 1 << 11
	fragmentXchar = 1 << 12
	noControl     = 1 << 13
	slash         = 15 // a number
	// usual holds the facts that are true unless the scan disproves them. These are the facts about
	// paths and fragments, SchemeLower, LoginPlain, HostLower, PortPlain and NoUser. The caller
	// determines the other facts.
	usual = pathXchar | noEscape | fragmentXchar | noControl | 1<<1 | 1<<2 | 1<<5 | 1<<6 | 1<<14

	portAt     = 48 // in ends
	hashAt     = 16 // in rest, like the next four
	searchAt   = 47 // PathSearch
	portlessAt = 46 // NoPort
	hostlessAt = 45 // NoHost
	factsAt    = 48 // the other facts
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

// slow emits the conditional jump that ends the scan. Then the caller reads the text with portable
// code.
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
