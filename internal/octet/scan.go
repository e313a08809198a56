package octet

// [Scan] returns its results in the format in which package locus packs the offsets and facts
// of a URL.
//
// The first result, ends, contains the offset of the ":" after the scheme in the lowest 16 bits,
// and the offset of the ":" before a port in the highest 16 bits.
//
// The second result, rest, contains the offset of the "/" after the host in the lowest 16 bits,
// the offset of the "#" in the next 16 bits, and the facts in the highest 32 bits. An offset of 0
// means that the part is absent. If the third result contains [ScanRare], Scan did not determine
// the fact HostName.
//
// The third result, found, contains the offset of the first "?" in the path or scheme-specific
// part in the lowest 16 bits. These bits are 0 if no "?" occurs.

// ScanRare is a bit in the third result of [Scan]. ScanRare means that a label of the host
// begins with a digit, and that all labels are valid. The caller must determine the facts
// about the host.
const ScanRare = 1 << 63

// variant is "plain" in tests of the portable code that replaces Scan. For any other value,
// Scan may use AVX2 instructions. The linker sets the variable with -ldflags '-X
// github.com/locus-url/locus/internal/octet.variant=plain'.
var variant string
