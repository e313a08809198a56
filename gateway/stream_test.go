package gateway

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// fileBody writes a part of a file, as the bodies of package cache do.
type fileBody struct {
	*os.File
	n int64
}

func (b fileBody) WriteTo(w io.Writer) (int64, error) {
	return w.(io.ReaderFrom).ReadFrom(&io.LimitedReader{R: b.File, N: b.n})
}

// A body arrives complete for each way of copying, with and without a known length.
func TestStream(t *testing.T) {
	const size = 5<<20 + 7
	octets := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, octets, 0o600); err != nil {
		t.Fatal(err)
	}
	for kind, open := range map[string]func(*os.File) io.Reader{
		"a file":           func(f *os.File) io.Reader { return fileBody{f, size} },
		"what is read":     func(f *os.File) io.Reader { return struct{ io.Reader }{f} },
		"a reader":         func(*os.File) io.Reader { return bytes.NewReader(octets) },
		"another reader's": func(f *os.File) io.Reader { return otherBody{fileBody{f, size}} },
	} {
		for _, length := range []string{"", "5242887"} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				f, err := os.Open(name)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				if err := stream(w, open(f)); err != nil {
					t.Error(err)
				}
			}))
			resp, err := server.Client().Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || !bytes.Equal(got, octets) {
				t.Errorf("%s, length %q: %d octets, %v", kind, length, len(got), err)
			}
			server.Close()
		}
	}
}

// otherBody writes from a reader other than a part of a file.
type otherBody struct{ fileBody }

func (b otherBody) WriteTo(w io.Writer) (int64, error) {
	return w.(io.ReaderFrom).ReadFrom(io.MultiReader(b.File))
}

// A client gets large chunks as long as it reads quickly and large chunks are available.
func TestChunks(t *testing.T) {
	defer func() {
		if n := len(largeInUse); n != 0 {
			t.Errorf("%d large chunks are left over", n)
		}
	}()
	quick := func(c *chunkBuffer, octets int) {
		for ; octets > 0; octets -= len(c.octets) {
			c.adapt(len(c.octets), 0)
		}
	}
	c := newChunks()
	defer c.free()
	quick(c, largeAfter-smallChunk)
	if c.adapt(smallChunk, 2*quickTime); len(c.octets) != smallChunk {
		t.Error("a large chunk for a slow client")
	}
	if quick(c, largeAfter-smallChunk); len(c.octets) != smallChunk {
		t.Error("a large chunk too early")
	}
	if quick(c, 2*smallChunk); len(c.octets) != largeChunk {
		t.Error("no large chunk")
	}
	if c.adapt(largeChunk, 2*quickTime); len(c.octets) != smallChunk || len(largeInUse) != 0 {
		t.Error("a large chunk stays")
	}
	var many []*chunkBuffer
	for range maxLarge + 3 {
		c := newChunks()
		defer c.free()
		quick(c, largeAfter)
		many = append(many, c)
	}
	if first, last := many[0], many[maxLarge]; len(first.octets) != largeChunk || len(last.octets) != smallChunk || len(largeInUse) != maxLarge {
		t.Errorf("chunks of %d and %d, %d large", len(first.octets), len(last.octets), len(largeInUse))
	}
}

// pieceBody is a body whose reads are fast and whose piece copies are slow.
type pieceBody struct {
	copied int64
	took   time.Duration
}

func (b *pieceBody) Read(p []byte) (int, error) { return len(p), nil }

func (b *pieceBody) CopyPiece(w io.Writer, n int64) (int64, error) {
	time.Sleep(b.took)
	b.copied++
	return 1, nil // only a part of the data has arrived
}

// If the client's deadline may have expired during a piece, bytes may be lost, so the
// response is aborted. After a piece of a slow server the body is read normally.
func TestPieceDeadline(t *testing.T) {
	for _, c := range []struct {
		took   time.Duration
		copied int64
		want   error
	}{
		{writeTime, 1, os.ErrDeadlineExceeded},
		{2 * quickTime, 4, http.ErrContentLength},
	} {
		synctest.Test(t, func(t *testing.T) {
			const size = 4 << 20
			w := &limitedRecorder{ResponseRecorder: httptest.NewRecorder(), left: size}
			w.Header().Set("Content-Length", strconv.Itoa(size))
			body := &pieceBody{took: c.took}
			if err := stream(w, body); !errors.Is(err, c.want) || body.copied < 1 || body.copied > c.copied {
				t.Errorf("%v: %v after %d pieces", c.took, err, body.copied)
			}
		})
	}
}

// limitedRecorder accepts only the announced length, as an HTTP server does.
type limitedRecorder struct {
	*httptest.ResponseRecorder
	left int
}

func (w *limitedRecorder) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, http.ErrContentLength
	}
	return len(p), nil
}
