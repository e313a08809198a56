//go:build !purego

package octet

//go:generate go -C asm run . -out ../scan_amd64.s -stubs ../scan_stubs_amd64.go -pkg octet

// hasAVX2 reports whether the processor and the system support AVX2. The value never changes.
var hasAVX2 = variant != "plain" && findAVX2()

// Scan reads a common URL in one pass. The scheme must have 2 to 31 characters, and contain no
// upper-case letters and no "+". The host must consist of lower-case letters, digits, "-" and
// ".", and end within the first 62 octets. A userinfo must be absent. A port must be a number
// from 1 to 65535 without leading zeros. The text after these parts must be US-ASCII without
// control characters and with valid escapes. For any other text, and on an unsupported processor,
// the first result is 0.
func Scan(text string) (ends, rest, found uint64) {
	if hasAVX2 {
		return scanAVX2(text)
	}
	return 0, 0, 0
}

// findAVX2 reports whether the processor supports AVX2, BMI1 and BMI2, and whether the system
// saves the AVX registers (Intel SDM volume 1, section 14.3).
func findAVX2() bool {
	const (
		osxsave, avx     = 1 << 27, 1 << 28       // bits in ECX for leaf 1
		bmi1, avx2, bmi2 = 1 << 3, 1 << 5, 1 << 8 // bits in EBX for leaf 7
		xmm, ymm         = 1 << 1, 1 << 2         // bits in XCR0
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
