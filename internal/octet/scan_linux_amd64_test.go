//go:build !purego

package octet

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The result must agree with the system's list of processor features.
func TestFindAVX2(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	flags := strings.Fields(string(text))
	has := func(name string) bool { return slices.Contains(flags, name) }
	if got, want := findAVX2(), has("avx2") && has("bmi1") && has("bmi2"); got != want {
		t.Errorf("AVX2: %v; /proc/cpuinfo says %v", got, want)
	}
	if hasAVX2 && variant == "plain" {
		t.Error("the road is plain, and AVX2 is used")
	}
}
