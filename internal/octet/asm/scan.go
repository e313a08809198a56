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

// These are facts of package locus. The result rest holds the facts from bit factsAt upward.
const (
	internet      = 1 << 0
	hostName      = 1 << 3
	pathFsegment  = 7                          // bit number of PathFsegment; PathHsegment and PathUchar follow
	pathXchar     = 1<<7 | 1<<8 | 1<<9 | 1<<10 // PathXchar and the three stricter facts about paths
	noEscape      = 1 << 11
	fragmentXchar = 1 << 12
	noControl     = 1 << 13
	slash         = 15 // bit number of Slash
	// usual holds the facts that are true unless the scan disproves them. The usual facts are
	// SchemeLower, LoginPlain, HostLower, PortPlain, NoUser, and the facts about paths and
	// fragments. Other code determines the remaining facts.
	usual = pathXchar | noEscape | fragmentXchar | noControl | 1<<1 | 1<<2 | 1<<5 | 1<<6 | 1<<14

	portAt     = 48 // bit offset in the first result of Scan
	hashAt     = 16 // bit offset in the second result, like the next four constants
	searchAt   = 47 // PathSearch
	portlessAt = 46 // NoPort
	hostlessAt = 45 // NoHost
	factsAt    = 48 // all other facts
	rareAt     = 63 // bit number in the third result
)

// scanner emits the code of octet.Scan.
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

// slow emits a conditional jump that ends the scan. The caller then parses the text with
// portable code.
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
