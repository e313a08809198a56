package all_test

import (
	"testing"

	"github.com/locus-url/locus"
)

// What decisions of canonical form hold across schemes.
func TestOneSpelling(t *testing.T) {
	r := registry(t)
	for _, list := range [][]string{
		{"http://h/%7Efred", "http://h/~fred", "http://h/%7efred"},
		{"http://[2001:db8::1]/", "http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:0db8:0000::0001]:80/"},
		{"ftp://[::ffff:1.2.3.4]/", "ftp://[::FFFF:102:304]/"},
		{"gopher://[1:0:0:2:0:0:0:3]/1", "gopher://[1:0:0:2::3]", "gopher://[1:0:0:2:0::3]/"},
		{"gopher://h/0a/b", "gopher://h/0a%2Fb", "gopher://h/0a%2fb"},
		{"mailto:a/b@h", "mailto:a%2Fb@h"},
		{"news:a=b@h", "news:a%3Db@h"},
		{"snews:a=b@h", "snews:a%3db@h"},
		{"prospero://h/a/b", "prospero://h/a%2Fb"},
		{"file:///x", "file:/x", "file://localhost/x"},
	} {
		first, _, err := r.Canonical(locus.MustParse(list[0]))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range list[1:] {
			if got, change, err := r.Canonical(locus.MustParse(text)); err != nil || got != first || change == 0 && text != got.String() {
				t.Errorf("%q: %q, %v, %v; %q is %q", text, got, change, err, list[0], first)
			}
		}
	}
	if u, change, _ := r.Canonical(locus.MustParse("http://[1:0::]/")); u.String() != "http://[1::]/" || change != locus.HostAddress {
		t.Errorf("%q, %v", u, change)
	}
	if u, _, _ := r.Canonical(locus.MustParse("http://h/~a")); u.String() != "http://h/%7Ea" {
		t.Errorf("%q", u)
	}
	for _, list := range [][2]string{
		{"http://h/?a+b", "http://h/?a%2Bb"}, {"wais://h/d?a+b", "wais://h/d?a%2Bb"}, {"http://h/a/b", "http://h/a%2Fb"}, {"ftp://h/a/b", "ftp://h/a%2Fb"},
		{"file:///a/b", "file:///a%2Fb"}, {"x-a:b;c", "x-a:b%3Bc"}, {"prospero://h/a;b=c", "prospero://h/a%3Bb=c"}, {"mailto:a,b@c", "mailto:a%2Cb@c"},
	} {
		a, _, _ := r.Canonical(locus.MustParse(list[0]))
		b, _, _ := r.Canonical(locus.MustParse(list[1]))
		if a == b {
			t.Errorf("%q and %q are both %q", list[0], list[1], a)
		}
	}
}
