package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// block is a range of addresses in the IANA IPv4 or IPv6 Special-Purpose Address Registry (RFC
// 6890), or in the standard named in its description.
type block struct {
	prefix netip.Prefix
	public bool   // the registry says "globally reachable"
	what   string // purpose and source
}

func special(prefix, what string) block { return block{netip.MustParsePrefix(prefix), false, what} }
func reachable(prefix, what string) block {
	return block{netip.MustParsePrefix(prefix), true, what}
}

// documentationText describes the addresses that are reserved for examples.
const documentationText = "documentation"

// linkLocalText describes the addresses that are valid only on one network link.
const linkLocalText = "link local"

// metadataText describes the private addresses of cloud metadata services, which give machines
// their credentials. Most clouds use the link-local address 169.254.169.254 instead.
const metadataText = "cloud metadata"

// blocks4 lists the IPv4 blocks. Other IPv4 addresses are public. The first matching block counts,
// so a block within another block comes first.
//
// The registry calls 192.0.0.9 and 192.0.0.10 "globally reachable", but this list does not treat
// them as public. They are anycast addresses of the nearest PCP or TURN server (RFC 7723, RFC
// 8155), which is usually the local router.
var blocks4 = [...]block{
	special("0.0.0.0/8", "this network (RFC 791)"),
	special("10.0.0.0/8", "private use (RFC 1918)"),
	special("100.100.100.200/32", metadataText+" (Alibaba Cloud)"),
	special("100.64.0.0/10", "shared address space (RFC 6598)"),
	special("127.0.0.0/8", "loopback (RFC 1122)"),
	special("169.254.0.0/16", linkLocalText+" (RFC 3927)"),
	special("172.16.0.0/12", "private use (RFC 1918)"),
	special("192.0.0.0/24", "protocol assignments (RFC 6890)"),
	special("192.0.2.0/24", documentationText+" (RFC 5737)"),
	special("192.88.99.0/24", "6to4 relay, deprecated (RFC 7526)"),
	special("192.168.0.0/16", "private use (RFC 1918)"),
	special("198.18.0.0/15", "benchmarking (RFC 2544)"),
	special("198.51.100.0/24", documentationText+" (RFC 5737)"),
	special("203.0.113.0/24", documentationText+" (RFC 5737)"),
	special("224.0.0.0/4", "multicast (RFC 5771)"),
	special("255.255.255.255/32", "broadcast (RFC 919)"),
	special("240.0.0.0/4", "reserved (RFC 1112)"),
}

// blocks6 lists the IPv6 blocks. Only global unicast addresses are public (RFC 4291 section 2.4;
// IANA allocates only 2000::/3). The list contains other blocks so that errors can name their
// purpose.
var blocks6 = [...]block{
	special("::/128", "unspecified (RFC 4291)"),
	special("::1/128", "loopback (RFC 4291)"),
	special("::/96", "IPv4-compatible, deprecated (RFC 4291)"),
	special("::ffff:0:0:0/96", "IPv4-translated (RFC 2765)"),
	special("64:ff9b:1::/48", "local translation to IPv4 (RFC 8215)"),
	special("100::/64", "discard only (RFC 6666)"),
	special("100:0:0:1::/64", "dummy prefix (RFC 9780)"),
	special("2001:2::/48", "benchmarking (RFC 5180)"),
	reachable("2001:3::/32", "AMT (RFC 7450)"),
	reachable("2001:4:112::/48", "AS112 (RFC 7535)"),
	special("2001:10::/28", "ORCHID, deprecated (RFC 4843)"),
	reachable("2001:20::/28", "ORCHIDv2 (RFC 7343)"),
	reachable("2001:30::/28", "drone identifiers (RFC 9374)"),
	special("2001::/23", "protocol assignments (RFC 2928)"),
	special("2001:db8::/32", documentationText+" (RFC 3849)"),
	special("3fff::/20", documentationText+" (RFC 9637)"),
	reachable("2000::/3", "global unicast (RFC 4291)"),
	special("5f00::/16", "segment identifiers (RFC 9602)"),
	special("fd00:ec2::254/128", metadataText+" (Amazon EC2)"),
	special("fd20:ce::254/128", metadataText+" (Google Cloud)"),
	special("fd00:c1::a9fe:a9fe/128", metadataText+" (Oracle Cloud)"),
	special("fc00::/7", "unique local (RFC 4193)"),
	special("fe80::/10", linkLocalText+" (RFC 4291)"),
	special("fec0::/10", "site local, deprecated (RFC 3879)"),
	special("ff00::/8", "multicast (RFC 4291)"),
	special("::/0", "not given out (RFC 4291)"),
}

// tunnels lists blocks of IPv6 addresses that contain IPv4 addresses. Packets are forwarded
// to the contained IPv4 addresses. An IPv6 address in such a block is public if all
// contained IPv4 addresses are public.
var tunnels = [...]struct {
	prefix  netip.Prefix
	offsets []int // offsets of IPv4 addresses; negative if the address is stored with inverted bits
	what    string
}{
	{netip.MustParsePrefix("64:ff9b::/96"), []int{12}, "translated to IPv4 (RFC 6052)"},
	{netip.MustParsePrefix("2002::/16"), []int{2}, "6to4 (RFC 3056)"},
	{netip.MustParsePrefix("2001::/32"), []int{4, -12}, "Teredo (RFC 4380)"}, // addresses of the server and of the client NAT
}

// localTunnels lists further blocks of IPv6 addresses that contain IPv4 addresses. The
// addresses in these blocks are never public.
var localTunnels = [...]netip.Prefix{
	netip.MustParsePrefix("::/96"),           // IPv4-compatible
	netip.MustParsePrefix("::ffff:0:0:0/96"), // IPv4-translated
	localTranslation,
}

// localTranslation contains the local translation prefixes of networks, with 48 to 96 bits (RFC
// 8215).
var localTranslation = netip.MustParsePrefix("64:ff9b:1::/48")

// IsPublic reports whether the address a belongs to the public Internet. A public address is not in
// the IANA special-purpose registries, or is "globally reachable" in these registries. IPv6
// addresses outside 2000::/3, multicast addresses, and addresses with a zone are not public.
//
// An IPv6 address that contains an IPv4 address is public if the IPv4 address is public. This rule
// applies to IPv4-mapped addresses (::ffff:0:0/96), translated addresses (64:ff9b::/96), 6to4,
// Teredo (server and client), and ISATAP interface identifiers (RFC 5214) under any prefix.
// IsPublic can't recognize a network's own translation prefix (RFC 6052 section 2.2), except
// 64:ff9b:1::/48, which is not public.
func IsPublic(a netip.Addr) bool {
	public, _ := judge(a)
	return public
}

// judge reports whether the address a is public, and describes the purpose of the address.
func judge(a netip.Addr) (public bool, what string) {
	switch {
	case !a.IsValid():
		return false, "invalid address"
	case a.Zone() != "":
		return false, "an address with a zone, valid on one link only (RFC 4007)"
	case a.Is4() || a.Is4In6():
		return judgeBy(blocks4[:], a.Unmap(), true)
	}
	octets := a.As16()
	for _, t := range tunnels {
		if !t.prefix.Contains(a) {
			continue
		}
		for _, at := range t.offsets {
			if public, what = judgeInner(octets, at); !public {
				return false, fmt.Sprintf("%s, which contains an address for %s", t.what, what)
			}
		}
		return judgeISATAP(octets, t.what)
	}
	if public, what = judgeBy(blocks6[:], a, false); !public {
		return false, what
	}
	return judgeISATAP(octets, what)
}

func judgeBy(blocks []block, a netip.Addr, otherwise bool) (public bool, what string) {
	for _, b := range blocks {
		if b.prefix.Contains(a) {
			return b.public, b.what
		}
	}
	return otherwise, "public"
}

// judgeInner judges the IPv4 address that an IPv6 address contains. offset has the same meaning
// as in tunnels.
func judgeInner(octets [16]byte, offset int) (public bool, what string) {
	return judgeBy(blocks4[:], innerAddress(octets, offset), true)
}

// innerAddress returns the IPv4 address that an IPv6 address contains. offset has the same
// meaning as in tunnels.
func innerAddress(octets [16]byte, offset int) netip.Addr {
	flip := byte(0)
	if offset < 0 {
		offset, flip = -offset, 0xff
	}
	var inner [4]byte
	for i := range inner {
		inner[i] = octets[offset+i] ^ flip
	}
	return netip.AddrFrom4(inner)
}

func hasISATAP(octets [16]byte) bool {
	return octets[8]&^0x02 == 0 && octets[9] == 0 && octets[10] == 0x5e && octets[11] == 0xfe
}

// judgeISATAP judges the IPv4 address in an interface identifier of the form 0000:5efe:IPv4 or
// 0200:5efe:IPv4 (RFC 5214 section 6.1). If the address contains no such identifier, or if the IPv4
// address is public, judgeISATAP returns true and the given description.
func judgeISATAP(octets [16]byte, what string) (bool, string) {
	if !hasISATAP(octets) {
		return true, what
	}
	public, inner := judgeInner(octets, 12)
	if !public {
		return false, "ISATAP (RFC 5214), which contains an address for " + inner
	}
	return true, what
}

// isLinkLocal reports whether the address a is a link-local address or the address of a cloud
// metadata service. It also returns true for an address that contains such an IPv4 address or
// includes a zone.
func isLinkLocal(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return a.IsValid()
	}
	_, what := judgeBy(blocks6[:], a, false)
	return isOfLink(what) || slices.ContainsFunc(innerAddresses(a), func(inner netip.Addr) bool {
		_, what := judgeBy(blocks4[:], inner, true)
		return isOfLink(what)
	})
}

func isOfLink(what string) bool {
	return strings.HasPrefix(what, linkLocalText) || strings.HasPrefix(what, metadataText)
}

// innerAddresses returns the IPv4 addresses to which packets for the address a may be forwarded.
// For an IPv4 address, it returns the address itself.
func innerAddresses(a netip.Addr) (list []netip.Addr) {
	if a = a.Unmap(); a.Is4() {
		return []netip.Addr{a}
	}
	octets := a.As16()
	for _, t := range tunnels {
		if t.prefix.Contains(a) {
			for _, at := range t.offsets {
				list = append(list, innerAddress(octets, at))
			}
		}
	}
	if hasISATAP(octets) || slices.ContainsFunc(localTunnels[:], func(p netip.Prefix) bool { return p.Contains(a) }) {
		list = append(list, innerAddress(octets, 12))
	}
	if localTranslation.Contains(a) {
		// Octet 8 is not a part of the IPv4 address (RFC 6052 section 2.2).
		copy(octets[8:], octets[9:])
		list = append(list, innerAddress(octets, 6), innerAddress(octets, 7), innerAddress(octets, 8))
	}
	return list
}
