package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
)

// tinyMbox returns an mbox with n messages that contain one URL each.
func tinyMbox(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "From joe@host.dom Sat Jan  3 01:05:34 1996\nFrom: a@b.example\nMessage-ID: <%d@id.example>\nSubject: s\n\nhttp://h.example/%d\n\n", i, i)
	}
	return b.String()
}

// BenchmarkTinyMessages measures the cost per message in an mbox of many tiny messages.
func BenchmarkTinyMessages(b *testing.B) {
	const n = 16_000
	text := tinyMbox(n)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		found := 0
		for _, err := range document.Links(strings.NewReader(text), "tiny.mbox", nil) {
			if err != nil {
				b.Fatal(err)
			}
			found++
		}
		if found < n {
			b.Fatalf("%d links", found)
		}
	}
}
