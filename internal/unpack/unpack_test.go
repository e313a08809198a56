package unpack

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

// files lists files with the same text that different programs compressed.
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

// Detect returns false for sure until the bytes determine the format.
func TestDetectOctetByOctet(t *testing.T) {
	for name := range files {
		packed, err := os.ReadFile("../../document/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := Detect(packed)
		for n := range packed {
			if got, sure := Detect(packed[:n]); sure != (got == want) && n > 1 || got != None && got != want {
				t.Errorf("%s, %d octets: %d, sure: %v", name, n, got, sure)
			}
		}
	}
	for _, head := range []string{"BZh\n", "BZh01AY", "BZhx", "BZh91AY&SX", "a", "\x1F\x8C", "\n", "P\n", "Z\x2A\x4D\x19"} {
		if got, sure := Detect([]byte(head)); got != None || !sure {
			t.Errorf("%q: %d, sure: %v", head, got, sure)
		}
	}
	for _, head := range []string{"", "B", "BZh", "BZh1", "BZh5\x17rE", "\x1F", "\xFD7z", "Z", "P\x2A\x4D"} {
		if got, sure := Detect([]byte(head)); got != None || sure {
			t.Errorf("%q: %d, sure: %v", head, got, sure)
		}
	}
	if got, _ := Detect([]byte("BZh1\x17rE8P\x90")); got != Bzip2 {
		t.Errorf("an empty bzip2 file: %d", got)
	}
}

// frame returns a zstd frame that decoders skip.
func frame(number byte, content []byte) []byte {
	head := append([]byte{0x50 | number}, skippable...)
	return append(binary.LittleEndian.AppendUint32(head, uint32(len(content))), content...)
}

// A web archive in zstd may begin with a dictionary, compressed or not. Other frames at the start
// are skipped.
func TestZstdFrames(t *testing.T) {
	var samples [][]byte
	for i := range 100 {
		samples = append(samples, fmt.Appendf(nil, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h.example/%d\r\nContent-Type: text/html\r\n\r\n", i))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: samples[0], Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	encode := func(text []byte, o ...zstd.EOption) []byte {
		w, err := zstd.NewWriter(nil, o...)
		if err != nil {
			t.Fatal(err)
		}
		return w.EncodeAll(text, nil)
	}
	small := encode(samples[1], zstd.WithEncoderDict(dictionary))
	for name, row := range map[string]struct {
		packed []byte
		want   string
	}{
		"dictionary":        {slices.Concat(frame(0xD, dictionary), small, small), string(samples[1]) + string(samples[1])},
		"packed dictionary": {slices.Concat(frame(0xD, encode(dictionary)), small), string(samples[1])},
		"pzstd":             {slices.Concat(frame(0, []byte{1, 2, 3, 4}), encode(samples[2])), string(samples[2])},
		"none":              {small, "!"},
		"cut":               {frame(0xD, dictionary)[:20], "!"},
		"too long":          {append([]byte(dictionaryMagic), 0xFF, 0xFF, 0xFF, 0xFF, 1), "!"},
		"damaged":           {slices.Concat(frame(0xD, []byte("not a dictionary")), small), "!"},
		"damaged, packed":   {slices.Concat(frame(0xD, []byte(zstdMagic+"xxxx")), small), "!"},
	} {
		if f, _ := Detect(row.packed); f != Zstd {
			t.Errorf("%s: format %d", name, f)
		}
		got := "!"
		if r, err := NewReader(bytes.NewReader(row.packed), Zstd); err == nil {
			if text, err := io.ReadAll(r); err == nil {
				got = string(text)
			}
			r.Close()
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// A file that needs a larger dictionary than MaxDictionary causes an error before the memory is
// allocated.
func TestMaxDictionary(t *testing.T) {
	// window returns a zstd frame with the given window descriptor and one uncompressed block.
	window := func(descriptor byte) []byte {
		return slices.Concat([]byte(zstdMagic), []byte{0, descriptor, 0x29, 0, 0}, []byte("hello"))
	}
	// segment returns a zstd frame with a single segment, which determines the window size.
	segment := func(length uint32) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte(zstdMagic+"\xA0"), length), 0x29, 0, 0, 'h', 'e', 'l', 'l', 'o')
	}
	// dictionary returns a compressed dictionary with the given length in its header.
	dictionary := func(length uint32) []byte {
		return frame(0xD, append([]byte(zstdMagic+"\xA0"), binary.LittleEndian.AppendUint32(nil, length)...))
	}
	xzFile, err := os.ReadFile("../../document/testdata/links.txt.xz")
	if err != nil {
		t.Fatal(err)
	}
	// xzWith returns an xz file whose dictionary size is 2 or 3 times a power of two.
	xzWith := func(size byte) []byte {
		b := bytes.Clone(xzFile)
		header := b[12 : 12+4*int(b[12])]
		header[4] = size
		binary.LittleEndian.PutUint32(b[12+len(header):], crc32.ChecksumIEEE(header))
		return b
	}
	for name, row := range map[string]struct {
		packed []byte
		format Format
		want   string // error text; empty if there is none
	}{
		"zstd, 64 MiB":                               {window(16 << 3), Zstd, ""},
		"zstd, 72 MiB":                               {window(16<<3 + 1), Zstd, "more than 67108864 octets of memory"},
		"zstd, 2 TiB":                                {window(31 << 3), Zstd, "more than 67108864 octets of memory"},
		"a dictionary of 64 MiB and an octet":        {append([]byte(dictionaryMagic), 1, 0, 0, 4), Zstd, "it has 67108865 octets; the limit is 67108864"},
		"a dictionary that is cut":                   {append([]byte(dictionaryMagic), 0, 0, 0, 4), Zstd, "unexpected EOF"},
		"zstd, a segment of 64 MiB":                  {segment(64 << 20), Zstd, "frame size"},
		"zstd, a segment of 64 MiB and an octet":     {segment(64<<20 + 1), Zstd, "more than 67108864 octets of memory"},
		"a packed dictionary of 64 MiB and an octet": {dictionary(64<<20 + 1), Zstd, "more than 67108864 octets of memory"},
		"a packed dictionary that is cut":            {dictionary(64 << 20), Zstd, "unexpected EOF"},
		"xz, 64 MiB":                                 {xzWith(28), XZ, ""},
		"xz, 96 MiB":                                 {xzWith(29), XZ, "more than 67108864 octets of memory"},
		"xz, 4 GiB":                                  {xzWith(40), XZ, "more than 67108864 octets of memory"},
	} {
		r, err := NewReader(bytes.NewReader(row.packed), row.format)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
			r.Close()
		}
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

// Every input is decompressed in limited memory, and the result does not depend on the sizes of
// the reads. If Detect is sure about the format of a prefix, more bytes do not change the format.
func FuzzReader(f *testing.F) {
	for name := range files {
		packed, err := os.ReadFile("../../document/testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packed)
	}
	f.Add(frame(0xD, []byte("dictionary")))
	f.Add(append(frame(0xD, []byte(zstdMagic)), zstdMagic...))
	f.Fuzz(func(t *testing.T, packed []byte) {
		format, _ := Detect(packed)
		for n := range min(len(packed), 16) {
			if f, sure := Detect(packed[:n]); sure && f != format {
				t.Fatalf("format %d, and %d of %d octets", format, f, n)
			}
		}
		read := func(in io.Reader) ([]byte, bool) {
			r, err := NewReader(in, format)
			if err != nil {
				return nil, false
			}
			defer r.Close()
			text, err := io.ReadAll(io.LimitReader(r, 256<<10))
			return text, err == nil
		}
		text, ok := read(bytes.NewReader(packed))
		inPieces, okInPieces := read(iotest.HalfReader(bytes.NewReader(packed)))
		if ok != okInPieces || ok && !bytes.Equal(text, inPieces) {
			t.Fatalf("format %d: %d octets, %v; in pieces %d octets, %v", format, len(text), ok, len(inPieces), okInPieces)
		}
		if format == None && !bytes.Equal(text, packed[:min(len(packed), 256<<10)]) {
			t.Fatal("a file that is not compressed has changed")
		}
	})
}
