package unpack

import (
	"bytes"
	"io"
	"os"
	"testing"
	"testing/iotest"
)

// files are what the programs make of one text.
var files = map[string]Format{"links.txt": None, "links.txt.gz": Gzip, "links.txt.bz2": Bzip2, "links.txt.xz": XZ, "links.txt.zst": Zstd, "links.txt.Z": LZW}

func TestEveryFormat(t *testing.T) {
	want, err := os.ReadFile("../../document/testdata/links.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, format := range files {
		packed, err := os.ReadFile("../../document/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got, sure := Detect(packed); got != format || !sure {
			t.Errorf("%s: format %d, %v", name, got, sure)
		}
		r, err := NewReader(iotest.OneByteReader(bytes.NewReader(packed)), format)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, want) || r.Close() != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Until the first octets decide, Detect is not sure.
func TestDetectOctetByOctet(t *testing.T) {
	for name := range files {
		packed, err := os.ReadFile("../../document/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := Detect(packed)
		for n := range packed {
			if got, sure := Detect(packed[:n]); sure != (got == want) && n > 0 || got != None && got != want {
				t.Errorf("%s, %d octets: %d, sure: %v", name, n, got, sure)
			}
		}
	}
	for _, head := range []string{"BZh\n", "BZh01AY", "BZhx", "BZh91AY&SX", "a", "\x1F\x8C", "\n"} {
		if got, sure := Detect([]byte(head)); got != None || !sure {
			t.Errorf("%q: %d, sure: %v", head, got, sure)
		}
	}
	for _, head := range []string{"", "B", "BZh", "BZh1", "BZh5\x17rE", "\x1F", "\xFD7z"} {
		if got, sure := Detect([]byte(head)); got != None || sure {
			t.Errorf("%q: %d, sure: %v", head, got, sure)
		}
	}
	if got, _ := Detect([]byte("BZh1\x17rE8P\x90")); got != Bzip2 {
		t.Errorf("an empty bzip2 file: %d", got)
	}
}
