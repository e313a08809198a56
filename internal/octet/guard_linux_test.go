package octet

import (
	"strings"
	"syscall"
	"testing"
)

// The functions must read no octet outside their text. Each text is next to an unreadable
// page, so such a read crashes.
func TestGuardPages(t *testing.T) {
	page := syscall.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(memory)
	for _, guard := range [][]byte{memory[:page], memory[2*page:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	inside := memory[page : 2*page]
	urls := "http://h.example:80/a%20b;c?d#e" + strings.Repeat("/x%41", 60)
	hosts := strings.Repeat("abc.", 60)
	for n := range len(urls) + 1 {
		for _, text := range []string{urls[:n], hosts[:min(n, len(hosts))]} {
			for _, at := range []int{0, 1, page - len(text) - 1, page - len(text)} {
				here := inside[at : at+len(text)]
				copy(here, text)
				checkWords(t, View(here), len(text)/3)
				if end := Plain(View(here), 0); end != Plain(text, 0) {
					t.Fatalf("Plain(%q) = %d at %d", text, end, at)
				}
				if key := SchemeKey(View(here)); key != SchemeKey(text) {
					t.Fatalf("SchemeKey(%q) = %x at %d", text, key, at)
				}
				got, found := scan(View(here))
				if want, ok := slowScan(text); found && (!ok || got != want) || ok && !found && hasAVX2 && len(text) >= 32 {
					t.Fatalf("Scan(%q) at %d finds %+v, %v; want %+v, %v", text, at, got, found, want, ok)
				}
			}
		}
	}
}
