package document_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/locus-url/locus/document"
)

func gz(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.Bytes()
}

func TestCompressedAndMbox(t *testing.T) {
	for l, err := range document.Links(bytes.NewReader(gz("a <URL:http://h/a> <a href='b'>\n")), "x.html.gz", nil) {
		t.Log(l, err)
	}
	for l, err := range document.Links(strings.NewReader("From a@b Sat Jan  3 01:05:34 1996\nFrom: a\nDate: b\n\nx http://h/a\n\nFrom a@b Sat Jan  3 01:05:34 1996\nFrom: a\nDate: b\nList: <http://q/>\n\nx http://h/b\n"), "", nil) {
		t.Log(l, err)
	}
}
