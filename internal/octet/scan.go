package octet

// What [Scan] returns, as package locus packs the offsets and facts of a URL.
//
// ends has the offset of the ":" after the scheme in its lowest 16 bits, and that of the ":"
// before a port in its highest.
//
// rest has the offsets of the "/" after the host and of the "#", each in 16 bits, the first
// lowest, and the facts above them. 0 is an absent part. Of the facts HostName is not decided if
// found has [ScanRare].
//
// found has the offset of the first "?" of the path or scheme-specific part in its lowest 16
// bits, or 0.

// ScanRare in the third result of [Scan] tells that a label of the host begins with a digit,
// and that all labels are sound: the facts about the host are for the caller to find out.
const ScanRare = 1 << 63

// variant is "plain" for tests of the code that Scan's caller has: the linker sets it, by
// -ldflags '-X github.com/locus-url/locus/internal/octet.variant=plain'. Otherwise Scan runs what the
// processor has instructions for.
var variant string
