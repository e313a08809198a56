package peers

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The JUnit report of "locus verify" conforms to the Jenkins schema, even for hostile documents
// and servers.
func TestVerifyJUnitSchema(t *testing.T) {
	xmllint := need(t, "xmllint")
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gone":
			rw.WriteHeader(http.StatusNotFound)
		case "/busy":
			rw.WriteHeader(http.StatusForbidden)
		case "/moved":
			http.Redirect(rw, r, "/", http.StatusMovedPermanently)
		}
	}))
	defer s.Close()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md":        "[a](" + s.URL + "/) [b](" + s.URL + "/gone) [c](" + s.URL + "/busy) [d](" + s.URL + "/moved) [e](http:x) [f](x-none:y) [g](#none) <http://h.example:25/>\n",
		"b]]>&.html":  "<a href=']]>\x1b[2J\u202e&quot;'>x</a> <a href='<!--'>y</a>",
		"broken.gz":   "\x1f\x8b\x08\x00",
		"nothing.txt": "no link\n",
	} {
		write(t, filepath.Join(dir, name), text, 0o644)
	}
	report := filepath.Join(dir, "report.xml")
	run := func(documents ...string) {
		t.Helper()
		r := locus(t, append([]string{"verify", "--rate", "0", "--retry", "0", "--no-cache", "--allow-private", "--quiet", "--output", report}, documents...)...)
		out, err := exec.Command(xmllint, "--nonet", "--noout", "--schema", "testdata/jenkins-junit.xsd", report).CombinedOutput()
		if err != nil {
			text, _ := os.ReadFile(report)
			t.Errorf("%v: %s\n%s\n%s", err, out, text, r.err)
		}
	}
	run(dir)
	run(filepath.Join(dir, "nothing.txt"))
	run(s.URL+"/gone", filepath.Join(dir, "broken.gz"))
}
