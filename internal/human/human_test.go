package human

import (
	"testing"
	"time"
)

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

func TestTime(t *testing.T) {
	noon := time.Date(1994, 12, 20, 13, 5, 9, 0, time.FixedZone("", 3600))
	for in, want := range map[time.Time]string{
		{}:   "",
		noon: "1994-12-20 12:05",
		time.Date(1994, 12, 20, 0, 0, 0, 0, time.UTC): "1994-12-20",
	} {
		if got := Time(in); got != want {
			t.Errorf("Time(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestAge(t *testing.T) {
	for in, want := range map[time.Duration]string{
		time.Second: "just now", 90 * time.Second: "90 seconds ago", 90 * time.Minute: "90 minutes ago",
		47 * time.Hour: "47 hours ago", 72 * time.Hour: "3 days ago",
	} {
		if got := Age(in); got != want {
			t.Errorf("Age(%v) = %q, want %q", in, got, want)
		}
	}
}
