package gateway_test

import (
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/policy"
)

const contrib = "../../../../contrib/"

func readContrib(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(contrib + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The unit denies only addresses that the policy also denies, and all private addresses except
// loopback addresses.
func TestUnitDeniesWhatThePolicyDenies(t *testing.T) {
	var denied []netip.Prefix
	for line := range strings.Lines(readContrib(t, "locus-gateway.service")) {
		list, ok := strings.CutPrefix(line, "IPAddressDeny=")
		if !ok {
			continue
		}
		for _, text := range strings.Fields(list) {
			p, err := netip.ParsePrefix(text)
			if err != nil || p != p.Masked() {
				t.Fatalf("%s: %v, want no error and p %+v", text, err, p.Masked())
			}
			if policy.IsPublic(p.Addr()) || policy.IsPublic(p.Addr().Next()) && p.Bits() < p.Addr().BitLen() {
				t.Errorf("%s is public", p)
			}
			denied = append(denied, p)
		}
	}
	for _, text := range []string{
		"0.0.0.1", "10.1.2.3", "100.64.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.9", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
		"fd00::1", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1", "3fff::1", "64:ff9b::a01:203", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::ac10:1", "64:ff9b::c0a8:101", "64:ff9b:1::1",
	} {
		a := netip.MustParseAddr(text)
		if policy.IsPublic(a) || !slices.ContainsFunc(denied, func(p netip.Prefix) bool { return p.Contains(a) }) {
			t.Errorf("%s is not denied", a)
		}
	}
	// The unit must allow clients on this machine, its resolver, and the public Internet with and
	// without a NAT64.
	for _, text := range []string{"127.0.0.1", "127.0.0.53", "::1", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"} {
		a := netip.MustParseAddr(text)
		if slices.ContainsFunc(denied, func(p netip.Prefix) bool { return p.Contains(a) }) {
			t.Errorf("%s is denied", a)
		}
	}
}

// The configuration of the unit contains no mistake, even if every setting that it shows as an
// example is enabled.
func TestUnitConfiguration(t *testing.T) {
	text := readContrib(t, "locus-gateway.toml")
	file := t.TempDir() + "/gateway.toml"
	var lines []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "# "); ok && strings.Contains(rest, " = ") {
			line = rest
		}
		lines = append(lines, line)
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{contrib + "locus-gateway.toml", file} {
		c := config.Default()
		r := config.Source{File: name, Getenv: func(string) string { return "" }}.Check(&c)
		if len(r.Problems) > 0 {
			t.Errorf("%s: %v, want no r.Problems", name, &r.Problems[0])
		}
	}
	if strings.Count(strings.Join(lines, ""), "\n#") >= strings.Count(text, "\n#") {
		t.Error("the file has no examples")
	}
}
