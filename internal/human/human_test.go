package human

import "testing"

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		-1: "", 0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 10_188: "9.9 KiB", 10_189: "10 KiB",
		1<<20 - 1: "1.0 MiB", 1 << 20: "1.0 MiB", 5 << 30: "5.0 GiB", 1<<63 - 1: "8.0 EiB",
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}
