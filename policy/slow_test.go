package policy

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
)

// registry contains the two IANA special-purpose registries. Each line contains a prefix,
// and whether the registry says "globally reachable". The list also contains the reserved
// blocks of other registries (multicast, IPv6 outside 2000::/3), and the anycast addresses
// that IsPublic treats as an exception. The longest matching prefix counts.
const registry = `
	0.0.0.0/0 yes
	0.0.0.0/8 no
	0.0.0.0/32 no
	10.0.0.0/8 no
	100.64.0.0/10 no
	127.0.0.0/8 no
	169.254.0.0/16 no
	172.16.0.0/12 no
	192.0.0.0/24 no
	192.0.0.0/29 no
	192.0.0.8/32 no
	192.0.0.9/32 no
	192.0.0.10/32 no
	192.0.0.170/32 no
	192.0.0.171/32 no
	192.0.2.0/24 no
	192.31.196.0/24 yes
	192.52.193.0/24 yes
	192.88.99.0/24 no
	192.168.0.0/16 no
	192.175.48.0/24 yes
	198.18.0.0/15 no
	198.51.100.0/24 no
	203.0.113.0/24 no
	224.0.0.0/4 no
	240.0.0.0/4 no
	255.255.255.255/32 no
	::/0 no
	2000::/3 yes
	::1/128 no
	::/128 no
	64:ff9b:1::/48 no
	100::/64 no
	100:0:0:1::/64 no
	2001::/23 no
	2001:1::1/128 no
	2001:1::2/128 no
	2001:1::3/128 no
	2001:2::/48 no
	2001:3::/32 yes
	2001:4:112::/48 yes
	2001:10::/28 no
	2001:20::/28 yes
	2001:30::/28 yes
	2001:db8::/32 no
	2620:4f:8000::/48 yes
	3fff::/20 no
	5f00::/16 no
	fc00::/7 no
	fe80::/10 no
	fec0::/10 no
	ff00::/8 no
`

// bits returns an address as a string of 32 or 128 characters "0" and "1".
func bits(a netip.Addr) string {
	var b strings.Builder
	for _, octet := range a.AsSlice() {
		fmt.Fprintf(&b, "%08b", octet)
	}
	return b.String()
}

// slowIsPublic is a slow implementation of IsPublic, which compares addresses as strings of
// bits.
func slowIsPublic(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	return slowPublicBits(bits(a))
}

func slowPublicBits(address string) bool {
	const (
		mapped = "::ffff:0:0/96"
		nat64  = "64:ff9b::/96"
		sixto4 = "2002::/16"
		teredo = "2001::/32"
	)
	if len(address) == 128 {
		last := address[96:]
		switch {
		case within(address, mapped):
			return slowPublicBits(last)
		case within(address, nat64):
			// Each of these blocks contains IPv4 addresses.
			return slowPublicBits(last) && slowISATAP(address)
		case within(address, sixto4):
			return slowPublicBits(address[16:48]) && slowISATAP(address)
		case within(address, teredo):
			flipped := strings.NewReplacer("0", "1", "1", "0").Replace(last)
			return slowPublicBits(address[32:64]) && slowPublicBits(flipped) && slowISATAP(address)
		}
		if !slowISATAP(address) {
			return false
		}
	}
	best, public := -1, false
	for _, row := range rows() {
		if length := len(row.head); length > best && row.size == len(address) && strings.HasPrefix(address, row.head) {
			best, public = length, row.public
		}
	}
	return public
}

// row is a line of registry, with the prefix as a string of bits.
type row struct {
	head   string
	size   int
	public bool
}

var rows = sync.OnceValue(func() (list []row) {
	for line := range strings.Lines(registry) {
		if fields := strings.Fields(line); len(fields) == 2 {
			p := netip.MustParsePrefix(fields[0])
			all := bits(p.Addr())
			list = append(list, row{all[:p.Bits()], len(all), fields[1] == "yes"})
		}
	}
	return list
})

// slowISATAP returns false if the last 64 bits are an interface identifier of RFC 5214 that
// contains a private IPv4 address.
func slowISATAP(address string) bool {
	for _, head := range []string{"00005efe", "02005efe"} {
		var b strings.Builder
		for _, digit := range head {
			fmt.Fprintf(&b, "%04b", strings.IndexRune("0123456789abcdef", digit))
		}
		if address[64:96] == b.String() && !slowPublicBits(address[96:]) {
			return false
		}
	}
	return true
}

func within(address, prefix string) bool {
	p := netip.MustParsePrefix(prefix)
	head := bits(p.Addr())
	return len(head) == len(address) && strings.HasPrefix(address, head[:p.Bits()])
}
