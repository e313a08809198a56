// Command asm writes ../scan_amd64.s, the code of octet.Scan for AVX2.
//
//	go generate ./internal/octet
//
// With AVX-512 the code is half as long, but takes as much time for lists of URLs.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("!purego")
	TEXT("scanAVX2", NOSPLIT, "func(text string) (ends, rest, found uint64)")
	Pragma("noescape")
	Doc("scanAVX2 is Scan for processors with AVX2, BMI1 and BMI2.")
	new(scanner).emit()
	cpuid()
	Generate()
}

// cpuid emits the functions that query the features of the processor.
func cpuid() {
	TEXT("cpuid", NOSPLIT, "func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)")
	Doc("cpuid executes CPUID.")
	emitCPUID()
	TEXT("xgetbv", NOSPLIT, "func() (eax, edx uint32)")
	Doc("xgetbv reads XCR0: the registers that the system saves.")
	emitXGETBV()
}
