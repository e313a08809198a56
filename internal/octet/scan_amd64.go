//go:build !purego

package octet

//go:generate go -C asm run . -out ../scan_amd64.s -stubs ../scan_stubs_amd64.go -pkg octet

// hasAVX2 reports whether the processor and the system support AVX2. It never changes.
var hasAVX2 = variant != "plain" && findAVX2()

// Scan reads text as a URL in one pass, if it has the most common form: a scheme of 2 to 31
// characters without upper case and "+"; no userinfo; a host of lower-case letters, digits, "-"
// and "." that ends within the first 62 octets; a port from 1 to 65535 without leading zeros, or
// none; and after that US-ASCII without control characters and with valid escapes. For any other
// text, and on an unsupported processor, the result ends is 0.
func Scan(text string) (ends, rest, found uint64) {
	if hasAVX2 {
		return scanAVX2(text)
	}
	return 0, 0, 0
}

// findAVX2 queries the processor for AVX2, BMI1 and BMI2, and the system for saving the
// registers (Intel SDM volume 1, section 14.3).
func findAVX2() bool {
	const (
		osxsave, avx     = 1 << 27, 1 << 28       // leaf 1, ECX
		bmi1, avx2, bmi2 = 1 << 3, 1 << 5, 1 << 8 // leaf 7, EBX
		xmm, ymm         = 1 << 1, 1 << 2         // XCR0
	)
	has := func(in, bits uint32) bool { return in&bits == bits }
	most, _, _, _ := cpuid(0, 0)
	_, _, c, _ := cpuid(1, 0)
	if most < 7 || !has(c, osxsave|avx) {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	saved, _ := xgetbv()
	return has(b, bmi1|avx2|bmi2) && has(saved, xmm|ymm)
}
