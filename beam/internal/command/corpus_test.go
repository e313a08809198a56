package command_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// size returns the size of the lists in tests, in bytes. It is the value of LOCUS_BEAM_SIZE, or
// about 5 MB, or less in short tests.
func size(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("LOCUS_BEAM_SIZE"))
	switch {
	case err == nil:
		return n
	case testing.Short():
		return 500_000
	}
	return 5_000_000
}

// corpus returns a list of URLs with approximately the given size in bytes. The list depends only
// on the seed and the size. Half of the URLs refer to one host, and some lines are not URLs.
func corpus(seed uint64, octets int) []byte {
	r := rand.New(rand.NewPCG(seed, 1738))
	var b bytes.Buffer
	for b.Len() < octets {
		b.WriteString(someLine(r, octets))
		if b.WriteByte('\n'); r.IntN(1000) == 0 {
			b.WriteString(" \r\n\n")
		}
	}
	return b.Bytes()
}

func someLine(r *rand.Rand, octets int) string {
	u := someURL(r, octets)
	switch r.IntN(200) {
	case 0:
		return "not a URL " + u
	case 1:
		return "<URL:" + u + ">"
	case 2:
		return "\t" + u + " \r"
	case 3:
		return "ftp://user:secret@h" + strconv.Itoa(r.IntN(9)) + ".example/a%zz"
	case 4:
		return "http://h\xe9.example/\xff"
	}
	return u
}

func someURL(r *rand.Rand, octets int) string {
	host := "hot.example"
	if r.IntN(2) == 0 {
		host = "h" + strconv.Itoa(r.IntN(octets/5000+1)) + ".Example"
	}
	scheme := [...]string{"http", "HTTP", "https", "ftp", "gopher"}[r.IntN(5)]
	port := [...]string{"", "", ":80", ":8080"}[r.IntN(4)]
	path := [...]string{"/", "/%7euser/", "/~user/", "/a/b.html", "/1/x", "/it's"}[r.IntN(6)]
	return fmt.Sprintf("%s://%s%s%s%d", scheme, host, port, path, r.IntN(octets/500+1))
}

func parquetOf(t *testing.T, urls ...string) []byte {
	t.Helper()
	type row struct {
		URL string `parquet:"url"`
	}
	var rows []row
	for _, url := range urls {
		rows = append(rows, row{url})
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t *testing.T, text []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(text, nil)
}

// lists writes a list as several files, plain and compressed. It returns the list.
func lists(t *testing.T, folder, name string, seed uint64) []byte {
	t.Helper()
	n := size(t) / 5
	parts := [][]byte{corpus(seed, 2*n), corpus(seed+1, n), corpus(seed+2, n), corpus(seed+3, n)}
	write(t, folder, name+"-1.txt", append([]byte("\uFEFF"), parts[0]...))
	write(t, folder, name+"-2", gzipped(t, parts[1])) // the content shows the format, not the name
	write(t, folder, name+"-3.gz", zstandard(t, parts[2]))
	write(t, folder, name+"-4.txt", bytes.TrimSuffix(parts[3], []byte("\n")))
	return bytes.Join(parts, nil)
}

// archive returns a web archive with the given number of pages.
func archive(pages int) []byte {
	var b bytes.Buffer
	for i := range pages {
		page := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html><a href=/local>x</a><a href=http://Hot.example/%d>y</a><p>ftp://f%d.example/z</p><a href=mailto:a@b.example>", i, i%7)
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://page%d.example/dir/\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:%d>\r\n"+
			"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i%50, i, len(page), page)
	}
	return b.Bytes()
}

// pairs combines the lines of two lists into lines that contain two URLs.
func pairs(a, b []byte) []byte {
	var out bytes.Buffer
	second := strings.Split(string(b), "\n")
	for i, line := range strings.Split(string(a), "\n") {
		line, to := strings.Trim(line, " \t\r"), strings.Trim(second[i%len(second)], " \t\r")
		if line != "" && to != "" {
			fmt.Fprintf(&out, "%s\t%s\n", line, to)
		}
	}
	return out.Bytes()
}

// wat returns a WAT file with the metadata of a page that contains two links.
func wat() []byte {
	block := `{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Target-URI":"http://wat.example/"},"Payload-Metadata":{"HTTP-Response-Metadata":` +
		`{"HTML-Metadata":{"Links":[{"path":"A@/href","url":"http://o.example/x"},{"path":"A@/href","url":"/local"}]}}}}}`
	return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: http://wat.example/\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:w>\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
}

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
