package octet

// Results of [Scan], in the format in which package locus packs the offsets and facts of a URL.
//
// ends holds the offset of the ":" after the scheme in its lowest 16 bits, and the offset of
// the ":" before a port in its highest.
//
// rest holds the offsets of the "/" after the host and of the "#", each in 16 bits, the first
// lowest, and the facts above them. An offset of 0 means an absent part. If found contains
// [ScanRare], the fact HostName is not decided.
//
// found holds the offset of the first "?" of the path or scheme-specific part in its lowest
// 16 bits, or 0.

// ScanRare in the third result of [Scan] means that a label of the host begins with a digit,
// and that all labels are valid. The caller must determine the facts about the host.
const ScanRare = 1 << 63

// variant is "plain" in tests of the portable code that replaces Scan. The linker sets it with
// -ldflags '-X github.com/locus-url/locus/internal/octet.variant=plain'. Otherwise Scan may use
// AVX2 instructions.
var variant string
