package news

import (
	"testing"

	"github.com/locus-url/locus/access"
)

// Errors must be temporary only for the NNTP codes after which another attempt may succeed
// (RFC 3977 section 3.2.1).
func TestTemporary(t *testing.T) {
	for code, want := range map[int]bool{400: true, 403: true, 401: false, 411: false, 421: false, 423: false, 430: false, 435: false, 450: false, 480: false, 500: false, 502: false, 503: false} {
		if got, _ := access.Retry(refusal("ARTICLE 1", reply{code: code})); got != want {
			t.Errorf("%d: temporary is %v", code, got)
		}
	}
}
