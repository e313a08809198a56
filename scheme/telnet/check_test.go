package telnet_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/telnet"
)

func TestConforming(t *testing.T) {
	invariants(telnet.Schemes(nil)[0]).Conforming(t,
		"telnet://user:password@host.dom:23/", "telnet://user:password@host.dom:23", "telnet://host.dom", "telnet://@127.0.0.1/",
		"telnet://;?&=%20:%00@h/#fragment")
	invariants(telnet.Schemes(nil)[1]).Conforming(t, "rlogin://user@host.dom/")
	invariants(telnet.Schemes(nil)[2]).Conforming(t, "tn3270://host.dom:23")
}

func TestCheck(t *testing.T) {
	invariants(telnet.Schemes(nil)[0]).Findings(t, locus.RFC1738, [][2]string{
		{"telnet:h", "form@7"},
		{"telnet:///", "empty-host@9"},
		{"TELNET://h/", "scheme-case@0"},
		{"telnet://h/x~", "path@11"},
		{"telnet://h//", "path@11"},
		{"telnet://h:/", "empty-port@10"},
		{"telnet://h?x", "missing-slash@10"},
		{"telnet://-froot@h/", "user-option@9!"},
		{"telnet://%2dx@h/", "user-option@9!"},
		{"telnet://a%0D%0Ab@h/", "user@10? user@13?"},
		{"telnet://a~\xff@h/", "unsafe-character@10 not-us-ascii@11"},
		{"telnet://u:a~@h/", "unsafe-character@12"},
		{"telnet://h_x:0/", "host@10 port-zero@13?"},
		{"telnet://[::1]/", "ipv6-address@9"},
	})
	invariants(telnet.Schemes(nil)[0]).Findings(t, locus.RFC1630, [][2]string{
		{"telnet://user:password@host.dom:23", ""},
		{"telnet://host.dom", ""},
		{"telnet://host.dom/", "path@17"},
		{"telnet://host.dom/x", "path@18"},
		{"telnet://a%20b@h", "character@10"},
	})
}

func TestCanonical(t *testing.T) {
	invariants(telnet.Schemes(nil)[0]).Spellings(t, []bnftest.Spelling{
		{"telnet://h/", "telnet://h/", 0},
		{"telnet://User@h/", "telnet://User@h/", 0},
		{"telnet://h", "telnet://h/", locus.EmptyPath},
		{"telnet://h:23", "telnet://h/", locus.EmptyPath | locus.DefaultPort},
		{"telnet://H.X:0513/", "telnet://h.x:513/", locus.HostCase | locus.PortZeros},
		{"telnet://%75%3a:%7e@h/", "telnet://u%3A:%7E@h/", locus.NeedlessEscape | locus.EscapeCase},
		{"telnet://@h/", "telnet://@h/", 0},
		{"telnet://u:@h/", "telnet://u:@h/", 0},
		{"telnet://h/%78/", "telnet://h/x/", locus.NeedlessEscape},
		{"telnet://h#", "telnet://h/", locus.EmptyPath | locus.VoidFragment},
	})
	invariants(telnet.Schemes(nil)[1]).Spellings(t, []bnftest.Spelling{
		{"rlogin://h:513", "rlogin://h/", locus.EmptyPath | locus.DefaultPort},
		{"rlogin://h:23/", "rlogin://h:23/", 0},
	})
	invariants(telnet.Schemes(nil)[2]).Spellings(t, []bnftest.Spelling{
		{"TN3270://h:23/", "tn3270://h/", locus.SchemeCase | locus.DefaultPort},
	})
}
