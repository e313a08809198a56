package policy

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
)

func TestIsPublic(t *testing.T) {
	for text, want := range map[string]bool{
		// These are an address in each block, and neighboring addresses.
		"0.0.0.0": false, "0.255.255.255": false, "1.0.0.0": true,
		"9.255.255.255": true, "10.0.0.0": false, "10.255.255.255": false, "11.0.0.0": true,
		"100.63.255.255": true, "100.64.0.0": false, "100.127.255.255": false, "100.128.0.0": true,
		"126.255.255.255": true, "127.0.0.0": false, "127.255.255.255": false, "128.0.0.0": true,
		"169.253.255.255": true, "169.254.0.0": false, "169.254.255.255": false, "169.255.0.0": true,
		"172.15.255.255": true, "172.16.0.0": false, "172.31.255.255": false, "172.32.0.0": true,
		"191.255.255.255": true, "192.0.0.0": false, "192.0.0.9": false, "192.0.0.10": false, "192.0.0.255": false, "192.0.1.0": true,
		"192.0.2.0": false, "192.0.2.255": false, "192.0.3.0": true,
		"192.31.196.1": true, "192.52.193.1": true, "192.175.48.1": true,
		"192.88.98.255": true, "192.88.99.1": false, "192.88.100.0": true,
		"192.167.255.255": true, "192.168.0.0": false, "192.168.255.255": false, "192.169.0.0": true,
		"198.17.255.255": true, "198.18.0.0": false, "198.19.255.255": false, "198.20.0.0": true,
		"198.51.99.255": true, "198.51.100.0": false, "198.51.101.0": true,
		"203.0.112.255": true, "203.0.113.0": false, "203.0.114.0": true,
		"223.255.255.255": true, "224.0.0.0": false, "239.255.255.255": false, "240.0.0.0": false, "255.255.255.255": false,
		// These are IPv6 addresses outside 2000::/3.
		"::": false, "::1": false, "::2": false, "100::1": false, "100:0:0:1::1": false, "200::1": false, "1fff::1": false,
		"2000::1": true, "2606:4700::1111": true, "3ffe::1": true, "3ffe:ffff::1": true, "3fff::1": false, "3fff:fff::1": false, "3fff:1000::1": true,
		"4000::1": false, "5f00::1": false, "64:ff9b:1::1.1.1.1": false,
		"fc00::1": false, "fd12::1": false, "fe80::1": false, "febf::1": false, "fec0::1": false, "ff02::1": false, "ff0e::1": false,
		"2001:db8::1": false, "2001:db7::1": true, "2001:db9::1": true,
		"2001:1::1": false, "2001:2::1": false, "2001:3::1": true, "2001:4:112::1": true, "2001:5::1": false,
		"2001:10::1": false, "2001:20::1": true, "2001:2f::1": true, "2001:30::1": true, "2001:40::1": false, "2001:1ff::1": false, "2001:200::1": true,
		"2620:4f:8000::1": true,
		// Mapped, compatible, translated (RFC 4291, RFC 2765).
		"::ffff:1.1.1.1": true, "::ffff:127.0.0.1": false, "::ffff:a00:1": false, "::1.1.1.1": false, "::127.0.0.1": false, "::ffff:0:1.1.1.1": false,
		// NAT64 (RFC 6052, RFC 8215).
		"64:ff9b::1.1.1.1": true, "64:ff9b::127.0.0.1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b::1:1.1.1.1": false,
		// 6to4 (RFC 3056).
		"2002:101:101::1": true, "2002:7f00:1::1": false, "2002:a00:1::": false, "2002:c058:6301::1": false,
		// Teredo (RFC 4380) contains the server address, and the client address with
		// inverted bits.
		"2001:0:101:101:0:ffff:fefe:fefe": true, "2001:0:7f00:1:0:ffff:fefe:fefe": false, "2001:0:101:101:0:ffff:80ff:fffe": false, "2001:0:101:101:0:ffff:3f57:fefe": false,
		// ISATAP (RFC 5214).
		"2606:4700::5efe:1.1.1.1": true, "2606:4700::5efe:10.0.0.1": false, "2606:4700::200:5efe:1.1.1.1": true, "2606:4700::200:5efe:192.168.0.1": false,
		"2606:4700::100:5efe:10.0.0.1": true, "2002:101:101::5efe:10.0.0.1": false, "fe80::5efe:1.1.1.1": false,
		// Zones (RFC 4007).
		"fe80::1%eth0": false, "2606:4700::1111%1": false, "::ffff:1.1.1.1%1": false,
	} {
		a := netip.MustParseAddr(text)
		if got := IsPublic(a); got != want {
			t.Errorf("IsPublic(%s) = %v", text, got)
		}
		if got := slowIsPublic(a); got != want {
			t.Errorf("slowIsPublic(%s) = %v", text, got)
		}
	}
	if IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// IsPublic and slowIsPublic agree about the first and last address of every block, and
// about the addresses next to the block.
func TestIsPublicAtEdges(t *testing.T) {
	for line := range strings.Lines(registry + "::ffff:0:0/96 x\n64:ff9b::/96 x\n2002::/16 x\n2001::/32 x\n") {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		p := netip.MustParsePrefix(fields[0])
		first, last := p.Addr(), lastOf(p)
		for _, a := range []netip.Addr{first.Prev(), first, first.Next(), last.Prev(), last, last.Next()} {
			agree(t, a)
		}
	}
}

func lastOf(p netip.Prefix) netip.Addr {
	octets := p.Addr().AsSlice()
	for i := p.Bits(); i < len(octets)*8; i++ {
		octets[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(octets)
	return a
}

func agree(t *testing.T, a netip.Addr) {
	t.Helper()
	if got, want := IsPublic(a), slowIsPublic(a); got != want {
		t.Errorf("IsPublic(%v) = %v, and by the registry %v", a, got, want)
	}
}

// The test compares addresses that share a prefix of any length with a block.
func TestIsPublicNearBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1738, 6))
	var prefixes []netip.Prefix
	for line := range strings.Lines(registry + "::ffff:0:0/96 x\n64:ff9b::/96 x\n2002::/16 x\n2001::/32 x\n::5efe:0:0/96 x\n::200:5efe:0:0/96 x\n") {
		if fields := strings.Fields(line); len(fields) == 2 {
			prefixes = append(prefixes, netip.MustParsePrefix(fields[0]))
		}
	}
	for range 5000 {
		p := prefixes[r.IntN(len(prefixes))]
		octets := p.Addr().AsSlice()
		for i := r.IntN(p.Bits()/8 + 1); i < len(octets); i++ {
			octets[i] ^= byte(1) << r.IntN(16) // half of them stay unchanged
		}
		if len(octets) == 16 && r.IntN(2) == 0 {
			// The test also inserts IPv4 addresses of every kind.
			copy(octets[12:], prefixes[r.IntN(20)].Addr().AsSlice())
		}
		a, _ := netip.AddrFromSlice(octets)
		agree(t, a)
	}
}

func FuzzIsPublic(f *testing.F) {
	for line := range strings.Lines(registry) {
		if fields := strings.Fields(line); len(fields) == 2 {
			f.Add(netip.MustParsePrefix(fields[0]).Addr().AsSlice())
		}
	}
	for _, text := range []string{"169.254.169.254", "100.100.100.200", "fe80::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "2001:0:101:101:0:ffff:80ff:fffe", "2606:4700::5efe:10.0.0.1"} {
		f.Add(netip.MustParseAddr(text).AsSlice())
	}
	f.Fuzz(func(t *testing.T, octets []byte) {
		a, ok := netip.AddrFromSlice(octets)
		if !ok {
			return
		}
		agree(t, a)
		if a.Is4() && IsPublic(netip.AddrFrom16(a.As16())) != IsPublic(a) {
			t.Errorf("%v and its mapped form differ", a)
		}
		if IsPublic(a.WithZone("1")) && a.Is6() {
			t.Errorf("%v is public within a zone", a)
		}
		link := isLinkLocal(a)
		if link && IsPublic(a) {
			t.Errorf("%v is link-local and public", a)
		}
		if a.Is6() && !isLinkLocal(a.WithZone("1")) {
			t.Errorf("%v is not link-local within a zone", a)
		}
		if a.Is4() {
			octets := a.As4()
			for _, form := range []string{"::ffff:%x:%x", "::%x:%x", "64:ff9b::%x:%x", "64:ff9b:1::%x:%x", "2002:%x:%x::", "2606::5efe:%x:%x"} {
				inner := netip.MustParseAddr(fmt.Sprintf(form, uint16(octets[0])<<8|uint16(octets[1]), uint16(octets[2])<<8|uint16(octets[3])))
				if isLinkLocal(inner) != link {
					t.Errorf("%v and %v differ", a, inner)
				}
			}
		}
	})
}
