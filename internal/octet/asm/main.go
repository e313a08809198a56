// Command asm writes the file ../scan_amd64.s, which contains the AVX2 code of octet.Scan.
//
//	go generate ./internal/octet
//
// With AVX-512, the code would be half as long, but not faster for lists of URLs.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("!purego")
	TEXT("scanAVX2", NOSPLIT, "func(text string) (ends, rest, found uint64)")
	Pragma("noescape")
	Doc("scanAVX2 implements Scan for processors with AVX2, BMI1 and BMI2.")
	new(scanner).emit()
	cpuid()
	Generate()
}

// cpuid emits the functions that query the processor's features.
func cpuid() {
	TEXT("cpuid", NOSPLIT, "func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)")
	Doc("cpuid executes CPUID.")
	emitCPUID()
	TEXT("xgetbv", NOSPLIT, "func() (eax, edx uint32)")
	Doc("xgetbv reads XCR0, which lists the registers that the system saves.")
	emitXGETBV()
}
