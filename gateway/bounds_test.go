package gateway

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// What clients choose fills no table without end.
func TestTablesAreBounded(t *testing.T) {
	var l letters
	var m metrics
	for i := range 4 * (maxShown + maxKeys) {
		l.show(fmt.Sprint(i))
		m.count(&recorder{kind: "page", status: http.StatusOK, url: locus.MustParse(fmt.Sprintf("x-%d://h/", i))}, 0)
	}
	if len(l.shown) != maxShown {
		t.Errorf("%d previews", len(l.shown))
	}
	if len(m.requests) != maxKeys+1 {
		t.Errorf("%d labels", len(m.requests))
	}
}

// A form has so many fields, and so many bytes.
func TestFormIsBounded(t *testing.T) {
	for _, c := range []struct {
		fields, length int
		ok             bool
	}{
		{maxParts, 1, true}, {maxParts + 1, 1, false}, {1, maxAnswers - 100, true}, {1, maxAnswers + 1, false},
	} {
		values := url.Values{}
		for i := range c.fields {
			values.Set(fmt.Sprint(i), strings.Repeat("a", c.length))
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if _, err := readForm(&recorder{ResponseWriter: httptest.NewRecorder()}, r); (err == nil) != c.ok {
			t.Errorf("%d fields of %d bytes: %v", c.fields, c.length, err)
		}
	}
}
