package scheme_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus/scheme"
)

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		limit int64
		want  string
		err   error
	}{
		{0, "0123456789", nil},
		{11, "0123456789", nil},
		{10, "0123456789", nil},
		{9, "012345678", scheme.ErrTooLarge},
		{1, "0", scheme.ErrTooLarge},
	} {
		for name, reader := range map[string]io.Reader{
			"at once":      strings.NewReader("0123456789"),
			"octet-wise":   iotest.OneByteReader(strings.NewReader("0123456789")),
			"end included": iotest.DataErrReader(strings.NewReader("0123456789")),
		} {
			body := scheme.Limit(io.NopCloser(reader), c.limit)
			got, err := io.ReadAll(body)
			if string(got) != c.want || !errors.Is(err, c.err) || c.err == nil && err != nil {
				t.Errorf("%s, limit %d: %q, %v", name, c.limit, got, err)
			}
			if n, err := body.Read(make([]byte, 5)); n != 0 || err == nil {
				t.Errorf("%s, limit %d: after the end %d, %v", name, c.limit, n, err)
			}
		}
	}
}
