package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// urlTest is a URL to check, and the rule that should deny the URL, or "" if no rule should
// deny it.
type urlTest struct {
	text   string
	port   uint16 // default port of the scheme
	origin Origin
	rule   string
}

func mustNew(t *testing.T, r Rules) Policy {
	t.Helper()
	p, err := New(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ruleOf returns the rule in the denial err.
func ruleOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var denied *DeniedError
	if !errors.As(err, &denied) || !errors.Is(err, ErrDenied) {
		t.Fatalf("%v is no DeniedError", err)
	}
	if denied.Subject == "" || denied.Reason == "" {
		t.Errorf("a refusal without subject or reason: %+v", denied)
	}
	return denied.Rule
}

// target returns the target for u, as the registry describes the scheme of u.
func target(u locus.URL, port uint16) Target {
	t := Target{URL: u, Reach: Network, Reads: true, Port: port}
	switch u.Scheme() {
	case "file":
		t.Reach = Files
	case "mid", "cid", "data":
		t.Reach = Memory
	case "mailto", "mailserver":
		t.Reach, t.Reads = Memory, false
	case "telnet", "rlogin", "tn3270":
		t.Reads = false
	case "http", "https":
		t.Encoded = true
	case "wais":
		t.OffPortTexts = []string{";7=%00;", "%3B7%3D%02%3B"}
	case "gopher", "gophers":
		t.OffPort = escape.Chars("\t")
		if path, _ := u.Path(); strings.HasPrefix(path, "2") {
			t.OtherPort = 105
		}
	}
	return t
}

// ownPorts holds the default ports for the schemes in redirect tests.
var ownPorts = map[string]uint16{"http": 80, "https": 443, "ftp": 21, "gopher": 70, "gophers": 70, "telnet": 23, "wais": 210, "prospero": 1525, "news": 119, "nntp": 119}

func of(text string) Target {
	u := locus.MustParse(text)
	return target(u, ownPorts[u.Scheme()])
}

func checkURLs(t *testing.T, r Rules, tries []urlTest) {
	t.Helper()
	p := mustNew(t, r)
	for _, c := range tries {
		u, err := locus.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		err = p.CheckURL(target(u, c.port), c.origin)
		if got := ruleOf(t, err); got != c.rule {
			t.Errorf("%+v: CheckURL(%s, %d, %v): rule %q (%v), want %q", r, c.text, c.port, c.origin, got, err, c.rule)
		}
	}
}

// RFC 1738 section 6: "Caution should be used when using any URL which specifies
// a port number other than the default for the protocol, especially when it is a
// number within the reserved space."
func TestPorts(t *testing.T) {
	checkURLs(t, Rules{}, []urlTest{
		{"http://h.example/", 80, Typed, ""},
		{"http://h.example:/", 80, Typed, ""},
		{"http://h.example:80/", 80, FromPublic, ""},
		{"http://h.example:080/", 80, FromPublic, ""},
		{"http://h.example:8080/", 80, FromPublic, ""},
		{"http://h.example:65535/", 80, FromPublic, ""},
		{"http://h.example:1024/", 80, FromPublic, ""},
		{"http://h.example:1023/", 80, Typed, "port"},
		{"http://h.example:443/", 80, Typed, "port"},
		{"http://h.example:25/", 80, Typed, "port"},
		{"http://h.example:19/", 80, Typed, "port"},
		{"http://h.example:0/", 80, Typed, "port"},
		{"http://h.example:00000/", 80, Typed, "port"},
		// These are the RFC's example of a rude message by SMTP, and other ports of SMTP.
		{"gopher://h.example:25/0HELO", 70, Typed, "port"},
		{"gopher://h.example:465/0HELO", 70, Typed, "port"},
		{"gopher://h.example:587/0HELO", 70, Typed, "port"},
		{"gopher://h.example:2525/0HELO", 70, Typed, "port"},
		{"gopher://h.example:10025/0HELO", 70, Typed, "port"},
		{"gopher://h.example:6379/0FLUSHALL", 70, Typed, "port"},
		{"gopher://h.example:110/0", 70, Typed, "port"},
		{"gopher://h.example:11211/0stats", 70, Typed, "port"},
		{"gopher://h.example:105/2", 70, FromPublic, ""},
		{"gopher://h.example:105/2%09smith", 70, Typed, ""},
		{"gopher://h.example:105/0", 70, Typed, "port"},
		{"http://h.example:105/2", 80, Typed, "port"},
		{"gopher://h.example/0f%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A", 70, FromPublic, ""},
		{"gopher://h.example:70/0f%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A", 70, FromPublic, ""},
		{"gopher://h.example:7070/0f%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A", 70, Typed, "data"},
		{"gophers://h.example:7070/0f%09%09+%091%0d%0a", 70, FromPublic, "data"},
		{"gopher://h.example:7070/0f%09%09+%09%0A", 70, FromPublic, "data"},
		{"gopher://h.example:7070/0a%0Ab", 70, FromPublic, "data"},
		{"gopher://h.example:7070/0a%00", 70, Typed, "data"},
		{"gopher://h.example:7070/0a%7f", 70, Typed, "data"},
		{"gopher://h.example:7070/0a%250Ab", 70, Typed, "data"},
		{"gopher://h.example:7070/0a%25250Ab", 70, Typed, "data"},
		{"gopher://h.example:7070/0a%2509%25", 70, Typed, ""},
		{"gopher://h.example/0a%0Ab", 70, FromPublic, ""}, // the scheme itself refuses this URL
		// The copyright field of a WAIS document is a single octet.
		{"wais://h.example:8210/db/TEXT/1=h;7=%00;", 210, FromPublic, ""},
		{"wais://h.example:8210/db/TEXT/1%3Dh%3b7%3d%02%3b", 210, FromPublic, ""},
		{"wais://h.example:8210/db/TEXT/1=h;7=%00%0A;", 210, FromPublic, "data"},
		{"wais://h.example:8210/db/TEXT/1=h;7=%0A;", 210, FromPublic, "data"},
		{"wais://h.example:8210/db/TEXT/1=h;7=%0D;", 210, FromPublic, "data"},
		{"wais://h.example:8210/db/TEXT/1=h;7=;7=%00;%00;", 210, FromPublic, "data"},
		{"wais://h.example:8210/db/TEXT/1=%00;7=%00;", 210, FromPublic, "data"},
		// The policy allows control characters in any part of a URL only for the scheme's
		// own port.
		{"wais://h.example/db?a%0D%0Ab", 210, FromPublic, ""},
		{"wais://h.example:210/db?a%0D%0Ab", 210, Typed, ""},
		{"wais://h.example:0210/db?a%0D%0Ab", 210, Typed, ""},
		{"wais://h.example:7000/db%0D%0ASET%20x%201%0d%0a?x", 210, Typed, "data"},
		{"wais://h.example:7000/db?x%0a", 210, FromPublic, "data"},
		{"wais://h.example:7000/db/%0a/a", 210, Typed, "data"},
		{"wais://h.example:7000/db/TEXT/1%3D%00", 210, Typed, "data"},
		{"wais://h.example:7000/db/TEXT/1%3D%09", 210, Typed, "data"},
		{"wais://h.example:7000/db?a%20b%C2%85", 210, Typed, ""},
		{"wais://h.example:7000/db#%0a", 210, Typed, ""}, // a fragment is not sent
		{"prospero://h.example/x%0a", 1525, Typed, ""},
		{"prospero://h.example:1526/x%0aname:1|c%0a", 1525, Typed, "data"},
		{"prospero://h.example:1526/x;a=%0a", 1525, FromPrivate, "data"},
		{"ftp://u%0d@h.example:2121/", 21, Typed, "data"},
		{"nntp://h.example:1119/a%0d", 119, Typed, "data"},
		{"x-new://h.example:7000/%0d", 0, Typed, "data"},
		{"gopher://h.example:7070/7a%09b", 70, FromPublic, ""},
		{"http://h.example:7070/a%0D%0Ab", 80, FromPublic, ""},
		// The scheme's own port is allowed, even if another service uses the port.
		{"smtp://h.example:25/", 25, Typed, ""},
		{"x-redis://h.example:6379/", 6379, FromPublic, ""},
		// A scheme without a default port has no port of its own.
		{"x-mem://h.example/a", 0, FromPublic, ""},
		{"x-mem://h.example:25/a", 0, Typed, "port"},
		{"x-mem://h.example:0/a", 0, Typed, "port"},
		// These URLs are not in the common Internet form, so they contain no port.
		{"news:comp.infosystems.www", 119, FromPublic, ""},
		{"mailto:a@h.example", 0, FromPublic, ""},
	})
	checkURLs(t, Rules{Ports: []uint16{25, 6379}}, []urlTest{
		{"http://h.example:25/", 80, FromPublic, ""},
		{"http://h.example:6379/", 80, FromPublic, ""},
		{"http://h.example:26/", 80, Typed, "port"},
		{"http://h.example:6380/", 80, Typed, "port"},
	})
}

// The list contains ports of known attacks, and their services.
func TestLineServices(t *testing.T) {
	p := mustNew(t, Rules{})
	for n, name := range map[int]string{
		1025: "SMTP", 1514: "syslog", 2525: "SMTP", 2947: "gpsd", 5140: "syslog", 6082: "Varnish", 6379: "Redis", 6381: "Redis", 7505: "OpenVPN",
		8005: "Tomcat", 8025: "SMTP", 8125: "statsd", 9125: "statsd", 10025: "SMTP", 11211: "memcached", 11212: "memcached", 16379: "Redis", 26380: "Redis",
		3306: "MySQL", 5432: "PostgreSQL", 10050: "Zabbix", 2181: "ZooKeeper", 4730: "Gearman", 11300: "beanstalkd", 61613: "STOMP", 2003: "Graphite",
		// These are all ports from 1024 up in the list of bad ports in the WHATWG Fetch
		// Standard.
		1719: "H.323", 1720: "H.323", 1723: "PPTP", 2049: "NFS", 3659: "Apple SASL", 4045: "lockd", 4190: "ManageSieve", 5060: "SIP", 5061: "SIP", 6000: "X11", 6566: "SANE",
		6665: "IRC", 6666: "IRC", 6667: "IRC", 6668: "IRC", 6669: "IRC", 6679: "IRC", 6697: "IRC", 10080: "Amanda",
	} {
		err := p.CheckURL(of(fmt.Sprintf("gopher://h.example:%d/0x", n)), Typed)
		want := fmt.Sprintf("port %d belongs to %s, which could read this request as commands", n, name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("port %d: %v, want %s", n, err, want)
		}
	}
	// People serve FTP, Gemini, gopher and HTTP on these ports.
	open := []int{1024, 1080, 1313, 1965, 2121, 3000, 3128, 4000, 4443, 5000, 5001, 7000, 7007, 7070, 7071, 7099, 8000, 8008, 8080, 8081, 8088, 8443, 8888, 9000, 9090, 9999, 10070, 10443, 17070, 32768, 49152, 60999, 65535}
	for _, n := range open {
		if err := p.CheckURL(of(fmt.Sprintf("gopher://h.example:%d/0x", n)), FromPublic); err != nil {
			t.Error(err)
		}
	}
}

func TestDenyListIsSorted(t *testing.T) {
	last := uint16(firstFree - 1)
	for _, s := range services {
		if s.first <= last || s.last < s.first || s.name == "" {
			t.Errorf("%+v after %d", s, last)
		}
		if s.last >= 32768 && s.first <= 60999 {
			t.Errorf("%+v is within the range that systems give away", s)
		}
		last = s.last
	}
}

// The test compares the result for every port with a simple search of the list.
func TestEveryPort(t *testing.T) {
	p := mustNew(t, Rules{Ports: []uint16{13}})
	for n := range 65536 {
		listed := slices.ContainsFunc(services[:], func(s service) bool { return int(s.first) <= n && n <= int(s.last) })
		want := n != 0 && (n == 80 || n == 13 || n >= 1024 && !listed)
		err := p.CheckURL(target(locus.MustParse(fmt.Sprintf("http://h.example:%d/", n)), 80), Typed)
		if (err == nil) != want {
			t.Errorf("port %d: %v", n, err)
		}
	}
}

func TestHosts(t *testing.T) {
	bad := []string{
		"127.1", "127.0.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "017700000001", "0177.0.0.1",
		"127.0.0.01", "256.1.1.1", "1.2.3", "1.2.3.4.5", "127.0.0.1.", "10.0.0.1.", "127.1.", "2130706433.", "0x7f000001.", "h.example..", "localhost..",
		"%6cocalhost", "127.0.0.%31", "%31%32%37.0.0.1", "h_x.example", "-h.example", "h-.example", "h..example", ".", "",
		"\u2460\u2461\u2466.0.0.1", "\uff11\uff12\uff17.0.0.1", "127\u30020\u30020\u30021", "loc\u00e4l.example", "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
		strings.Repeat("a", 64) + ".example",
	}
	for _, origin := range []Origin{Typed, FromPrivate, FromPublic} {
		for _, host := range bad {
			// No policy allows these hosts, whatever else it allows.
			checkURLs(t, Rules{AllowPrivate: true, Passwords: true, Files: true}, []urlTest{{"http://" + host + "/", 80, origin, "host"}})
		}
	}
	// locus.Parse refuses brackets without an address.
	for _, host := range []string{"[]", "[:]", "[127.0.0.1]", "[::1::]", "[1:2:3]", "[:::1]", "[::127.0.0.256]", "[::12345]", "[::1%25eth0]", "[::1%eth0]", "[v1.a]"} {
		if u, err := locus.Parse("http://" + host + "/"); err == nil {
			t.Errorf("%v parses", u)
		}
	}
	checkURLs(t, Rules{}, []urlTest{
		{"http://H.Example/", 80, FromPublic, ""},
		{"http://H.Example./", 80, FromPublic, ""},
		{"http://H.Example.:25/", 80, FromPublic, "port"},
		{"http://xn--nxasmq6b.example/", 80, FromPublic, ""},
		{"http://1.1.1.1/", 80, FromPublic, ""},
		{"http://[2606:4700::1111]/", 80, FromPublic, ""},
		{"http://[2606:4700::1111]:8080/", 80, FromPublic, ""},
		{"http://h.example?q", 80, FromPublic, ""},
		{"http://h.example#f", 80, FromPublic, ""},
		// A URL may lack a host if the scheme names no server.
		{"x-mem:///a", 0, FromPublic, ""},
		{"x-mem:///a", 99, FromPublic, "host"},
	})
}

// The host in a URL's text is judged before any lookup.
func TestPrivateHosts(t *testing.T) {
	private := []string{
		"127.0.0.1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "172.31.255.255", "100.64.0.1", "0.0.0.0", "0.1.2.3",
		"192.0.0.192", "255.255.255.255", "224.0.0.1", "240.0.0.1", "198.18.0.1", "192.0.2.1",
		"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[0:0:0:0:0:0:0:1]",
		"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1.1.1.1]", "[2002:7f00:1::]", "[2002:c0a8:101::1]",
		"[2001:0:101:101:0:0:80ff:fffe]", "[2001:0:7f00:1::fefe:fefe]", "[2606:4700::5efe:10.0.0.1]", "[2606:4700::200:5efe:10.0.0.1]",
		"[fc00::1]", "[fd00:ec2::1]", "[ff02::1]", "[fec0::1]", "[2001:db8::1]", "[3fff::1]",
		"localhost", "LocalHost", "a.localhost", "printer.local", "metadata.google.internal", "router.home.arpa", "localhost.localdomain",
		"localhost.", "LocalHost.", "a.localhost.", "printer.local.", "metadata.google.internal.", "localhost.localdomain.",
	}
	for _, host := range private {
		text := "http://" + host + "/"
		checkURLs(t, Rules{}, []urlTest{{text, 80, Typed, "private"}, {text, 80, FromPrivate, "private"}, {text, 80, FromPublic, "private"}})
		checkURLs(t, Rules{TypedPrivate: true}, []urlTest{{text, 80, Typed, ""}, {text, 80, FromPrivate, ""}, {text, 80, FromPublic, "private"}})
		checkURLs(t, Rules{AllowPrivate: true}, []urlTest{{text, 80, Typed, ""}, {text, 80, FromPrivate, ""}, {text, 80, FromPublic, ""}})
	}
	// These names only look like private names. The policy judges their addresses later.
	checkURLs(t, Rules{}, []urlTest{
		{"http://notlocalhost.example/", 80, FromPublic, ""},
		{"http://localhost.example/", 80, FromPublic, ""},
		{"http://x.xlocal/", 80, FromPublic, ""},
		{"http://internal.example/", 80, FromPublic, ""},
		// A name with one label has a meaning only in the local network. A person may enter
		// such a name, and the policy judges its addresses later. CheckRedirect judges
		// links.
		{"http://wiki/", 80, Typed, ""},
		{"http://xlocal/", 80, Typed, ""},
	})
}

// linkLocals lists link-local addresses, metadata services, and addresses that contain such
// addresses.
var linkLocals = []string{
	"169.254.0.0", "169.254.169.254", "169.254.255.255", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe",
	"fe80::1", "febf:ffff::1", "fe80::5efe:10.0.0.1",
	"::169.254.169.254", "::ffff:0:169.254.169.254",
	"64:ff9b::169.254.169.254", "64:ff9b::a9fe:a9fe",
	"64:ff9b:1::169.254.169.254", "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:ffa9:fe:a9fe::", "64:ff9b:1:ffff:a9:fea9:fe00:0",
	"2002:a9fe:a9fe::1", "2001:0:a9fe:a9fe:0:0:fefe:fefe", "2001:0:a00:1:0:0:5601:5601", "2001:0:101:101:0:0:5601:5601",
	"2606:4700::5efe:169.254.169.254", "fd12::200:5efe:169.254.169.254",
	"100.100.100.200", "::ffff:100.100.100.200", "64:ff9b::100.100.100.200", "fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe",
}

// Rules that allow private addresses allow link-local addresses only with LinkLocal, and
// only for the same origins.
func TestLinkLocal(t *testing.T) {
	for _, c := range []struct {
		rules   Rules
		allowed [3]bool // Typed, FromPrivate, FromPublic
	}{
		{Rules{}, [3]bool{}},
		{Rules{LinkLocal: true}, [3]bool{}},
		{Rules{TypedPrivate: true}, [3]bool{}},
		{Rules{AllowPrivate: true}, [3]bool{}},
		{Rules{AllowPrivate: true, TypedPrivate: true}, [3]bool{}},
		{Rules{TypedPrivate: true, LinkLocal: true}, [3]bool{true, true, false}},
		{Rules{AllowPrivate: true, LinkLocal: true}, [3]bool{true, true, true}},
	} {
		for z, allowed := range c.allowed {
			rule := "link-local"
			if allowed {
				rule = ""
			}
			checkLinkLocals(t, c.rules, Origin(z), rule)
		}
	}
}

func checkLinkLocals(t *testing.T, rules Rules, z Origin, rule string) {
	t.Helper()
	p := mustNew(t, rules)
	for _, text := range linkLocals {
		a := netip.MustParseAddr(text)
		host := text
		if strings.Contains(text, ":") {
			host = "[" + text + "]"
		}
		checkURLs(t, rules, []urlTest{{"http://" + host + "/", 80, z, rule}})
		if got := ruleOf(t, p.CheckAddr(netip.AddrPortFrom(a, 80), z)); got != rule {
			t.Errorf("%+v: CheckAddr(%s, %v): rule %q, want %q", rules, text, z, got, rule)
		}
	}
	for _, text := range []string{"fe80::1%eth0", "fe80::1%1", "ff02::1%eth0", "2606:4700::1111%eth0"} {
		if got := ruleOf(t, p.CheckAddr(netip.AddrPortFrom(netip.MustParseAddr(text), 80), z)); got != rule {
			t.Errorf("%+v: CheckAddr(%s, %v): rule %q, want %q", rules, text, z, got, rule)
		}
	}
}

// LinkLocal does not change the results for the neighbors of link-local addresses.
func TestNotLinkLocal(t *testing.T) {
	for _, text := range []string{
		"169.253.255.255", "169.255.0.0", "fe7f:ffff::1", "fec0::1", "fd00:ec2::253", "100.100.100.199", "100.100.100.201", "10.0.0.1", "::1",
		"64:ff9b::10.0.0.1", "2002:a00:1::1", "2001:0:101:101:0:0:f5ff:fffe", "2606:4700::5efe:10.0.0.1", "::ffff:127.0.0.1", "ff02::1",
		"2606:4700::a9fe:a9fe", "2606:4700:a9fe:a9fe::", "64:ff9b:1::10.0.0.1",
	} {
		if isLinkLocal(netip.MustParseAddr(text)) {
			t.Errorf("%s is link-local", text)
		}
		if err := mustNew(t, Rules{AllowPrivate: true}).CheckAddr(netip.AddrPortFrom(netip.MustParseAddr(text), 80), FromPublic); err != nil {
			t.Error(err)
		}
	}
}

// Section 6: "The use of URLs containing passwords that should be secret is
// clearly unwise."
func TestPasswords(t *testing.T) {
	tries := func(rule string) []urlTest {
		return []urlTest{
			{"ftp://u:secret@h.example/a", 21, Typed, rule},
			{"ftp://u:@h.example/a", 21, Typed, rule},
			{"ftp://:@h.example/a", 21, FromPublic, rule},
			{"telnet://u:secret@h.example/", 23, Typed, rule},
			{"file://u:secret@localhost/a", 0, Typed, rule},
			{"ftp://u@h.example/a", 21, Typed, ""},
			{"mailto:a:b@h.example", 0, Typed, ""},
		}
	}
	checkURLs(t, Rules{Files: true}, tries("password"))
	checkURLs(t, Rules{Files: true, Passwords: true}, tries(""))
}

func TestFiles(t *testing.T) {
	checkURLs(t, Rules{AllowPrivate: true}, []urlTest{
		{"file:///etc/passwd", 0, Typed, "file"},
		{"FILE:///etc/passwd", 0, Typed, "file"},
		{"file:/etc/passwd", 0, FromPrivate, "file"},
	})
	checkURLs(t, Rules{Files: true}, []urlTest{
		{"file:///etc/passwd", 0, Typed, ""},
		{"file://localhost/etc/passwd", 0, Typed, ""},
		{"file:///etc/passwd", 0, FromPrivate, ""},
		{"file:///etc/passwd", 0, FromPublic, "file"},
		{"File:///etc/passwd", 0, FromPublic, "file"},
	})
}

func TestNoURL(t *testing.T) {
	var p Policy
	if got := ruleOf(t, p.CheckURL(Target{Port: 80}, Typed)); got != "url" {
		t.Errorf("CheckURL of no URL: rule %q", got)
	}
	if got := ruleOf(t, p.CheckRedirect(Target{}, Target{}, 1)); got != "url" {
		t.Errorf("CheckReferral to no URL: rule %q", got)
	}
}

func TestRedirects(t *testing.T) {
	all := Rules{AllowPrivate: true, TypedPrivate: true, Files: true}
	near := Rules{TypedPrivate: true, Files: true}
	for _, c := range []struct {
		rules    Rules
		from, to string
		hops     int
		rule     string
	}{
		{all, "http://a.example/", "http://b.example/", 1, ""},
		{all, "http://a.example/", "https://b.example/", 1, ""},
		{all, "https://a.example/", "http://b.example/", 1, ""},
		{all, "http://a.example/", "ftp://b.example/x", 1, ""},
		// Only a file may link or redirect to a file, under any rules.
		{all, "http://a.example/", "file:///etc/passwd", 1, "file"},
		{all, "http://a.example/", "FILE:/etc/passwd", 1, "file"},
		{all, "http://a.example/", "file:///etc/passwd", 0, "file"},
		{all, "ftp://a.example/", "file:///etc/passwd", 0, "file"},
		{all, "file:///a", "file:///b", 1, ""},
		{all, "file:///a", "file:///b", 0, ""},
		{all, "file:///a", "http://a.example/", 1, ""},
		// Only a user may start a session: a link in a menu is allowed, a redirect is not.
		{all, "http://a.example/", "telnet://b.example/", 1, "session"},
		{all, "http://a.example/", "TELNET://b.example/", 3, "session"},
		{all, "http://a.example/", "rlogin://b.example/", 1, "session"},
		{all, "http://a.example/", "tn3270://b.example/", 1, "session"},
		{all, "http://a.example/", "mailto:a@b.example", 1, "session"},
		{all, "http://a.example/", "mailserver:a@b.example/s/b", 1, "session"},
		{all, "gopher://a.example/1", "telnet://u@b.example/", 0, ""},
		{all, "http://a.example/", "mailto:a@b.example", 0, ""},
		// This login was not typed.
		{all, "http://a.example/", "http://u:p@b.example/", 1, "login"},
		{all, "http://a.example/", "ftp://u@b.example/", 1, "login"},
		{all, "http://a.example/", "ftp://@b.example/", 1, "login"},
		{Rules{Passwords: true}, "http://a.example/", "http://u:p@b.example/", 1, "login"},
		{Rules{Passwords: true}, "http://a.example/", "http://u:p@a.example/", 1, "login"},
		// A link may have a target that needs no network; a redirect must not.
		{all, "http://a.example/", "data:,x", 0, ""},
		{all, "http://a.example/", "data:,x", 1, "referral"},
		{all, "http://a.example/", "mid:a@b.example", 1, "referral"},
		{all, "data:text/html,x", "data:,x", 1, ""},
		{all, "data:text/html,x", "file:///etc/passwd", 0, "file"},
		// The client sends a selector unchanged to any service on the port.
		{all, "http://a.example/", "gopher://b.example/0x", 1, ""},
		{all, "http://a.example/", "gopher://b.example:70/0x", 1, ""},
		{all, "http://a.example/", "gopher://b.example:8080/0x", 1, "referral"},
		{all, "http://a.example/", "Gopher://b.example:8080/0x", 1, "referral"},
		{all, "http://a.example/", "gophers://b.example:8080/0x", 1, "referral"},
		{all, "http://a.example/", "wais://b.example:7000/db", 1, "referral"},
		{all, "http://a.example/", "wais://b.example:210/db", 1, ""},
		{all, "http://a.example/", "prospero://b.example:8080/x", 1, "referral"},
		{all, "http://a.example/", "ftp://b.example:2121/x", 1, "referral"},
		{all, "http://a.example/", "nntp://b.example:8119/g", 1, "referral"},
		{all, "http://a.example/", "x-new://b.example:8119/g", 1, "referral"},
		{all, "http://a.example/", "http://b.example:8080/", 1, ""},
		{all, "http://a.example/", "https://b.example:8443/", 1, ""},
		// A redirect may lead back to the same host and port.
		{all, "gopher://b.example:8080/1", "gopher://b.example:8080/0x", 1, ""},
		{all, "gopher://b.example:8080/1", "gopher://B.Example:08080/0x", 1, ""},
		{all, "gopher://b.example:8080/1", "gopher://b.example:8081/0x", 1, "referral"},
		{all, "gopher://b.example:8080/1", "gopher://a.b.example:8080/0x", 1, "referral"},
		{all, "prospero://b.example:8080/1", "prospero://b.example:8080/x", 1, ""},
		{all, "http://b.example/", "gopher://b.example:80/0x", 1, ""},
		{all, "news:a@b", "nntp://b.example:8119/g", 1, "referral"},
		// A redirect may contain control octets only if they are sent encoded.
		{all, "http://a.example/", "wais://b.example/db%0d%0a?x", 1, "data"},
		{all, "http://a.example/", "prospero://b.example/x%0a", 1, "data"},
		{all, "http://a.example/", "gopher://b.example/0f%09%09+%091%0D%0Aa", 1, "data"},
		{all, "http://a.example/", "gopher://b.example/7f%09a%20b", 1, ""},
		{all, "http://a.example/", "ftp://b.example/a%09b", 1, "data"},
		{all, "wais://b.example:7000/a", "wais://b.example:7000/a%00", 1, "data"},
		{Rules{Ports: []uint16{7000}}, "http://a.example/", "wais://b.example:7000/db%0d?x", 1, "data"},
		{all, "http://a.example/", "http://b.example/%0d%0a", 1, ""},
		{all, "http://a.example/", "wais://b.example/db%0d%0a?x", 0, ""},
		{all, "file:///a", "file:///b%0a", 1, ""},
		{all, "gopher://a.example/1", "gopher://b.example:7070/1", 0, ""},
		{Rules{Ports: []uint16{8080}}, "http://a.example/", "gopher://b.example:8080/0x", 1, ""},
		// A link or redirect from another host must not contain a local name.
		{near, "http://a.example/", "http://printer.local/", 0, "private"},
		{near, "file:///a.html", "http://printer.local/", 0, "private"},
		{near, "file:///a.html", "gopher://wiki/", 0, "private"},
		{near, "file:///a.html", "http://db.internal/", 1, "private"},
		{near, "http://10.0.0.1/", "http://wiki/", 1, "private"},
		{near, "http://wiki/", "http://Wiki/a", 0, ""},
		{near, "http://wiki/", "http://Wiki./a", 0, ""},
		{near, "http://10.0.0.1/", "http://wiki./", 1, "private"},
		{near, "file:///a.html", "http://printer.local./", 1, "private"},
		{near, "http://wiki/", "http://Wiki:8080/a", 1, ""},
		{near, "file:///a.html", "http://localhost:8080/", 0, ""},
		{near, "file:///a.html", "http://10.0.0.1/", 0, ""},
		{near, "file:///a.html", "http://[::1]/", 0, ""},
		{near, "file:///a.html", "file:///b.html", 0, ""},
		{near, "file:///a.html", "mailto:a@wiki", 0, ""},
		{all, "file:///a.html", "gopher://wiki/", 0, ""},
		// The default is twenty consecutive redirects.
		{all, "http://a.example/", "http://b.example/", 20, ""},
		{all, "http://a.example/", "http://b.example/", 21, "hops"},
		{Rules{MaxHops: 2}, "http://a.example/", "http://b.example/", 2, ""},
		{Rules{MaxHops: 2}, "http://a.example/", "http://b.example/", 3, "hops"},
	} {
		p := mustNew(t, c.rules)
		err := p.CheckRedirect(of(c.from), of(c.to), c.hops)
		if got := ruleOf(t, err); got != c.rule {
			t.Errorf("%+v: CheckReferral(%s, %s, %d): rule %q (%v), want %q", c.rules, c.from, c.to, c.hops, got, err, c.rule)
		}
	}
}

// If only the URL of a target is known, the strictest rules apply.
func TestZeroTarget(t *testing.T) {
	http := Target{URL: locus.MustParse("http://h.example/")}
	for _, c := range []struct {
		name string
		err  error
		rule string
	}{
		{"as a file", Policy{}.CheckURL(http, Typed), "file"},
		{"followed as a file", Policy{}.CheckRedirect(of("http://a.example/"), http, 1), "file"},
		{"as a session", Policy{}.CheckRedirect(of("http://a.example/"), Target{URL: http.URL, Reach: Network}, 1), "session"},
	} {
		if got := ruleOf(t, c.err); got != c.rule {
			t.Errorf("%s: rule %q (%v)", c.name, got, c.err)
		}
	}
}

func TestCheckAddr(t *testing.T) {
	for _, c := range []struct {
		rules   Rules
		address string
		allowed [3]bool // Typed, Near, Far
	}{
		{Rules{}, "1.1.1.1:25", [3]bool{true, true, true}}, // CheckURL judges ports
		{Rules{}, "10.0.0.1:80", [3]bool{}},
		{Rules{}, "[::ffff:10.0.0.1]:80", [3]bool{}},
		{Rules{TypedPrivate: true}, "10.0.0.1:80", [3]bool{true, true, false}},
		{Rules{TypedPrivate: true}, "[::1]:80", [3]bool{true, true, false}},
		{Rules{TypedPrivate: true}, "1.1.1.1:80", [3]bool{true, true, true}},
		{Rules{AllowPrivate: true}, "10.0.0.1:80", [3]bool{true, true, true}},
	} {
		p := mustNew(t, c.rules)
		for z, want := range c.allowed {
			err := p.CheckAddr(netip.MustParseAddrPort(c.address), Origin(z))
			rule := ""
			if !want {
				rule = "private"
			}
			if got := ruleOf(t, err); got != rule {
				t.Errorf("%+v: CheckAddr(%s, %v): %v", c.rules, c.address, Origin(z), err)
			}
		}
	}
	p := mustNew(t, Rules{AllowPrivate: true})
	if err := p.CheckAddr(netip.AddrPort{}, Typed); err == nil {
		t.Error("no address is allowed")
	}
	// An invalid origin gets the strictest rules.
	p = mustNew(t, Rules{TypedPrivate: true})
	if err := p.CheckAddr(netip.MustParseAddrPort("10.0.0.1:80"), FromPublic+1); err == nil {
		t.Error("an unknown origin leads to a private address")
	}
}

// A configured server may be private. The policy judges the URLs that it returns as usual.
func TestConfigured(t *testing.T) {
	p, err := New(Rules{})
	if err != nil {
		t.Fatal(err)
	}
	here := netip.MustParseAddrPort("127.0.0.1:3128")
	c := p.ForConfiguredServer()
	metadata := netip.MustParseAddrPort("169.254.169.254:80")
	if got := ruleOf(t, c.CheckAddr(metadata, Typed)); got != "link-local" {
		t.Errorf("a configured server at a link-local address: rule %q", got)
	}
	if c.CheckAddr(here, Typed) != nil || c.CheckAddr(here, FromPublic) == nil || p.CheckAddr(here, Typed) == nil {
		t.Error("which address is allowed")
	}
}

func TestNew(t *testing.T) {
	for _, r := range []Rules{{Ports: []uint16{80, 0}}, {MaxHops: -1}} {
		if _, err := New(r); err == nil || !strings.HasPrefix(err.Error(), "policy: ") {
			t.Errorf("New(%+v): %v", r, err)
		}
	}
	ports := []uint16{25}
	p := mustNew(t, Rules{Ports: ports})
	ports[0] = 26
	if err := p.CheckURL(target(locus.MustParse("http://h.example:25/"), 80), Typed); err != nil {
		t.Errorf("a policy changes with the rules it was made of: %v", err)
	}
}

func TestMessages(t *testing.T) {
	p := mustNew(t, Rules{})
	for _, c := range []struct {
		err  error
		want string
	}{
		{p.CheckURL(target(locus.MustParse("gopher://h.example:25/0HELO"), 70), Typed),
			`policy: "gopher://h.example:25/0HELO": port 25 is reserved (below 1024); gopher uses 70`},
		{p.CheckURL(target(locus.MustParse("http://h.example:6379/"), 80), Typed),
			`policy: "http://h.example:6379/": port 6379 belongs to Redis, which could read this request as commands`},
		{p.CheckURL(target(locus.MustParse("ftp://u:secret@h.example/"), 21), Typed),
			`policy: "ftp://u:***@h.example/": a password in a URL appears in logs and histories (leave it out; the client prompts for it if the server requires one)`},
		{p.CheckURL(target(locus.MustParse("http://[::ffff:127.0.0.1]/"), 80), Typed),
			`policy: "http://[::ffff:127.0.0.1]/": its host is not a public address: loopback (RFC 1122)`},
		{mustNew(t, Rules{TypedPrivate: true}).CheckAddr(netip.MustParseAddrPort("192.168.1.1:80"), FromPublic),
			`policy: 192.168.1.1:80: not a public address: private use (RFC 1918), and it comes from a link or redirect`},
		{mustNew(t, Rules{TypedPrivate: true}).CheckAddr(netip.MustParseAddrPort("169.254.169.254:80"), Typed),
			`policy: 169.254.169.254:80: not a public address: link local (RFC 3927)`},
		{mustNew(t, Rules{TypedPrivate: true}).CheckURL(target(locus.MustParse("http://[fd00:ec2::254]/"), 80), Typed),
			`policy: "http://[fd00:ec2::254]/": its host is not a public address: cloud metadata (Amazon EC2)`},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
	for _, err := range []error{
		p.CheckURL(target(locus.MustParse("http://u:secret@h.example:25/"), 80), Typed),
		mustNew(t, Rules{Passwords: true}).CheckURL(target(locus.MustParse("http://u:secret@127.1:25/"), 80), Typed),
		mustNew(t, Rules{Passwords: true}).CheckURL(target(locus.MustParse("http://u:secret@h.example:25/"), 80), Typed),
		p.CheckRedirect(of("http://h.example/"), of("http://u:secret@h.example/"), 1),
	} {
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: a password shows, or no error", err)
		}
	}
	if FromPrivate.String() != "private" || Typed.String() != "typed" || FromPublic.String() != "public" {
		t.Error("the names of the origins")
	}
}

// A client's URL from an unknown page must not contain a local name either.
func TestLocalNamesFromNowhere(t *testing.T) {
	for _, rules := range []Rules{{}, {TypedPrivate: true}} {
		for _, host := range []string{"wiki", "printer.local", "db.internal", "x.home.arpa"} {
			if got := ruleOf(t, mustNew(t, rules).CheckRedirect(Target{}, of("http://"+host+"/"), 0)); got != "private" {
				t.Errorf("%s: rule %q", host, got)
			}
		}
	}
	if err := mustNew(t, Rules{AllowPrivate: true}).CheckRedirect(Target{}, of("http://wiki/"), 0); err != nil {
		t.Error(err)
	}
}

func TestReserved(t *testing.T) {
	for host, want := range map[string]bool{
		"example.com": true, "EXAMPLE.Net": true, "www.example.org.": true, "a.b.example": true, "example": true, "x.test": true, "test.": true,
		"x.invalid": true, "192.0.2.0": true, "198.51.100.255": true, "203.0.113.7": true, "[2001:db8::1]": true, "2001:DB8:ffff::": true,
		"[3fff:fff::1]": true, "[::ffff:192.0.2.1]": true,

		"": false, "example.edu": false, "myexample.com": false, "example.com.au": false, "test.org": false, "invalid.net": false, "localhost": false,
		"x.local": false, "192.0.3.0": false, "10.0.0.1": false, "[2001:db9::1]": false, "[4000::]": false, "[::1]": false, ".": false,
	} {
		if got := IsReserved(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
