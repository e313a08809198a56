package peers

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHTTP(t *testing.T) {
	p := nginx(t, `
location /moved { return 301 http://127.0.0.1:PORT/text.txt; }
location /loop { return 302 http://127.0.0.1:PORT/loop; }
location /tofile { return 302 file:///etc/passwd; }
location /tomail { return 302 mailto:a@b.example; }
location /echo { default_type text/plain; return 200 "$request_uri|$http_host|$http_authorization|$http_referer"; }
`)
	write(t, filepath.Join(p.pub, "text.txt"), strings.Repeat("a line of text\n", 1000), 0o644)
	write(t, filepath.Join(p.pub, "auth/secret.txt"), "for members", 0o644)
	base := "http://" + p.addr()

	t.Run("object", func(t *testing.T) {
		locus(t, "get", base+"/text.txt").want(t, 0, strings.Repeat("a line of text\n", 1000))
	})
	t.Run("redirect", func(t *testing.T) {
		locus(t, "get", base+"/moved").want(t, 0, strings.Repeat("a line of text\n", 1000))
	})
	t.Run("the request is what was written", func(t *testing.T) {
		r := locus(t, "get", base+"/echo/a//b/%2e%2E/c%2Fd?x=%41&y=a+b#part")
		r.want(t, 0, "/echo/a//b/%2e%2E/c%2Fd?x=%41&y=a+b|"+p.addr()+"||")
	})
	t.Run("loop", func(t *testing.T) {
		r := locus(t, "get", base+"/loop")
		if r.status != 3 && r.status != 4 {
			t.Errorf("status %d: %s", r.status, r.err)
		}
	})
	t.Run("redirect to a file", func(t *testing.T) {
		r := locus(t, "get", base+"/tofile")
		r.want(t, 4, "")
	})
	t.Run("redirect to mailto", func(t *testing.T) {
		if r := locus(t, "get", base+"/tomail"); r.status != 3 && r.status != 4 || r.out != "" {
			t.Errorf("status %d, output %q", r.status, r.out)
		}
	})
	t.Run("missing", func(t *testing.T) {
		r := locus(t, "get", base+"/nothing")
		r.want(t, 3, "")
		r.says(t, "404")
	})
	t.Run("login", func(t *testing.T) {
		withUser := "http://" + user + ":" + encodedPassword + "@" + p.addr()
		locus(t, "get", withUser+"/auth/secret.txt").want(t, 0, "for members")
		r := locus(t, "get", "-v", withUser+"/auth/secret.txt")
		r.want(t, 0, "for members")
		if strings.Contains(r.err, "bG9jdXMtcGVlcj") {
			t.Errorf("the trace shows the login:\n%s", r.err)
		}
		locus(t, "get", base+"/auth/secret.txt").want(t, 3, "")
		locus(t, "get", "http://"+user+":wrong@"+p.addr()+"/auth/secret.txt").want(t, 3, "")
	})
	t.Run("resume", func(t *testing.T) {
		content := make([]byte, 1<<20)
		rand.Read(content)
		write(t, filepath.Join(p.pub, "big.bin"), string(content), 0o644)
		dir := t.TempDir()
		u := fmt.Sprintf("http://127.0.0.1:%d/big.bin", (&cutter{t: t, after: 300_000}).listen(p.port, true))
		r := locusIn(t, dir, "get", "-O", u)
		r.want(t, 3, "")
		r.says(t, "-C")
		if _, err := os.Stat(filepath.Join(dir, "big.bin")); err == nil {
			t.Fatal("a part has the name of the whole")
		}
		r = locusIn(t, dir, "get", "-v", "-O", "-C", u)
		r.want(t, 0, "")
		r.says(t, "> Range: bytes=", "< HTTP/1.1 206")
		if got, err := os.ReadFile(filepath.Join(dir, "big.bin")); err != nil || !bytes.Equal(got, content) {
			t.Errorf("resumed to %d octets, %v", len(got), err)
		}
	})
	if log := p.whole(); strings.Contains(log, "#part") {
		t.Error("a fragment was sent")
	}
}
