package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

func emitCPUID() {
	Load(Param("leaf"), EAX)
	Load(Param("subleaf"), ECX)
	CPUID()
	Store(EAX, ReturnIndex(0))
	Store(EBX, ReturnIndex(1))
	Store(ECX, ReturnIndex(2))
	Store(EDX, ReturnIndex(3))
	RET()
}

func emitXGETBV() {
	XORL(ECX, ECX)
	XGETBV()
	Store(EAX, ReturnIndex(0))
	Store(EDX, ReturnIndex(1))
	RET()
}
