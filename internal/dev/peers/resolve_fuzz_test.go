package peers

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	root "github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
)

// perlResolver is a Perl program. It reads a base URL and a relative reference from each line, and
// writes the resolved URL.
const perlResolver = `
use URI;
$URI::ABS_REMOTE_LEADING_DOTS = 1;
$| = 1;
while (<STDIN>) {
	chomp;
	my ($base, $ref) = split /\t/, $_, -1;
	print URI->new_abs($ref, $base)->as_string, "\n";
}
`

// Base URLs and relative references that the Perl module URI resolves by RFC 3986. The module
// preserves dot segments in a base, and in a reference that begins with "/".
var (
	resolvable = regexp.MustCompile(`^http://[a-z0-9.]+(/[a-z0-9.;=,-]+)*/?(\?[a-z0-9./;=?-]*)?$`)
	partial    = regexp.MustCompile(`^(//[a-z0-9.]+)?(/?[a-z0-9.;=,-]+)*/?(\?[a-z0-9./;=?-]*)?(#[a-z0-9./;=?-]*)?$`)
	dots       = regexp.MustCompile(`/\.\.?(/|[?#]|$)`)
)

// words replaces bytes that can't occur in a URL, so that most inputs can be resolved.
var words = []string{"/", ".", "..", "g", "/..", "/.", "b.c", ";x=1", "?", "#", "y", "/g", "../", "./", "...", "//a"}

func spell(octets string) string {
	var b strings.Builder
	for i := range min(len(octets), 12) {
		b.WriteString(words[int(octets[i])%len(words)])
	}
	return b.String()
}

// FuzzPerlURI compares the results of resolving relative references with the results of the Perl
// module URI.
func FuzzPerlURI(f *testing.F) {
	perl := need(f, "/usr/bin/perl")
	if err := exec.Command(perl, "-MURI", "-e1").Run(); err != nil {
		need(f, "/usr/share/perl5/URI.pm")
	}
	for _, base := range []string{"http://a/b/c/d;p?q", "http://a", "http://a/", "http://a/b?c/../d", "http://a/b/"} {
		for _, ref := range []string{"", "g", "/g", "//g", "?y", "#s", "g?y#s", "../../../g", "./g/.", "g/..", ".", "..", "../", "...", ";x", "g;x=1/../y", "/./g", "/../g", "?", "#", "..g", "g/./h/../i/"} {
			f.Add(base, ref)
		}
	}
	cmd := exec.Command(perl, "-e", perlResolver)
	in, err := cmd.StdinPipe()
	if err != nil {
		f.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	answers := bufio.NewReader(out)
	f.Fuzz(func(t *testing.T, base, ref string) {
		if !resolvable.MatchString(base) {
			base = "http://a/" + spell(base)
		}
		if !partial.MatchString(ref) {
			ref = spell(ref)
		}
		if !resolvable.MatchString(base) || dots.MatchString(base) || strings.HasPrefix(ref, "/") && dots.MatchString(ref) || !partial.MatchString(ref) {
			return
		}
		b, err := root.Parse(base)
		if err != nil {
			return
		}
		r, err := relative.Parse(ref)
		if err != nil {
			return
		}
		u, err := r.Resolve(b)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(io.Writer(in), "%s\t%s\n", base, ref); err != nil {
			t.Fatal(err)
		}
		theirs, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if theirs = strings.TrimSuffix(theirs, "\n"); theirs != u.String() {
			t.Errorf("%q in %q is %q, and for Perl %q", ref, base, u, theirs)
		}
	})
}
