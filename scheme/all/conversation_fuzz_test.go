package all_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/internal/hostiletest"
)

// clientBehaviors lists the server behaviors that the fuzzing seeds use.
var clientBehaviors = []hostiletest.How{0, hostiletest.Waiting | hostiletest.Silent, hostiletest.Slow, hostiletest.Bytes}

// seedConversation adds two seeds for each URL with the given server text. In one of them, the
// server sends line by line, and in the other it has another behavior.
func seedConversation(f *testing.F, urls []string, first, later string) {
	f.Helper()
	for url := range urls {
		f.Add(uint8(url), uint8(hostiletest.Lines), []byte(first), []byte(later))
		f.Add(uint8(url), uint8(clientBehaviors[(url+len(first))%len(clientBehaviors)]), []byte(first), []byte(later))
	}
}

// seedRecordings adds recorded server responses as seeds. Each recording is used with one URL.
func seedRecordings(f *testing.F, urls []string, pattern string) {
	f.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for i, name := range names {
		said, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(said) <= maxSaid {
			f.Add(uint8(i%len(urls)), uint8(hostiletest.Lines), said, said)
		}
	}
}

// fuzzConversation opens URLs on servers that send arbitrary text. Each conversation is about one
// of the URLs in urls.
func fuzzConversation(f *testing.F, urls []string, secure *tls.Config, check func(*conversation)) {
	f.Fuzz(func(t *testing.T, url, how uint8, first, later []byte) {
		check(converse(t, &hostiletest.Peer{First: first, Later: later, How: hostiletest.How(how), TLS: secure}, urls[int(url)%len(urls)]))
	})
}

// FuzzFTPConversation runs an FTP server that sends arbitrary text on its control and
// data connections.
func FuzzFTPConversation(f *testing.F) {
	urls := []string{"ftp://h.example/d/a", "ftp://user:" + secret + "@h.example/a%20b;type=a", "ftp://h.example/d/;type=d", "ftp://h.example/d/"}
	const in = "220 Hi\r\n331 Word\r\n230 In\r\n"
	for _, said := range []string{
		in + "250 There\r\n200 Type\r\n213 4\r\n213 20010909014640\r\n229 x (|||2000|)\r\n150 Go\r\n226 Done\r\n",
		in + "200 Type\r\n213 4\r\n213 20010909014640\r\n227 x (1,2,3,4,8,0)\r\n150 Go\r\n226 Done\r\n",
		in + "250 There\r\n211-Have\r\n MLST type*;size*;\r\n211 End\r\n229 x (|||2000|)\r\n150 Go\r\n226 Done\r\n",
		in + "250 There\r\n500 No\r\n500 No\r\n229 x (|||22|)\r\n425 No\r\n",
		"220-Hi\r\n" + strings.Repeat(" x\r\n", 200) + "220 Hi\r\n530 " + strings.Repeat("x", 3000) + "\r\n", "421 Busy\r\n", "120 Later\r\n220 Hi\r\n332 Account\r\n",
	} {
		seedConversation(f, urls, said, "data")
		seedConversation(f, urls, said, "type=file;size=4;modify=20200102030405; a\r\ntype=dir; d\r\n-rw-r--r-- 1 a b 5 Jan  2 2020 b\r\n")
	}
	seedRecordings(f, urls, "../ftp/testdata/*.s2c.bin")
	fuzzConversation(f, urls, nil, func(c *conversation) {
		c.sentLines(command("USER", "PASS", "TYPE", "CWD", "SIZE", "MDTM", "EPSV", "PASV", "EPRT", "PORT", "RETR", "LIST", "NLST", "MLSD", "MLST", "FEAT", "REST", "QUIT", "ABOR"))
	})
}

// FuzzGopherConversation runs a Gopher, Gopher+ or CSO server that sends arbitrary text.
func FuzzGopherConversation(f *testing.F) {
	urls := []string{"gopher://h.example/0a", "gopher://h.example/1a", "gopher://h.example/9a", "gopher://h.example/7a%09words", "gopher://h.example/1a%09%09$", "gopher://h.example/0a%09%09!",
		"gopher://h.example/0a%09%09+", "gopher://h.example/0a%09%09+%091%0D%0A+-1%0D%0Aanswer%0D%0A.%0D%0A", "gopher://h.example:105/2?name=smith", "gopher://h.example:105/2", "gopher://h.example/0URL:ftp:%2F%2Fh.example%2Fa", "gopher://h.example/ha"}
	for _, said := range []string{
		"0Text\ta\th\t70\r\n1Menu\tb\th\t70\t+\r\niNote\t\terror.host\t1\r\n7Search\tc\th.example\t7070\r\nhWeb\tURL:http://h.example/\th\t70\r\n.\r\n",
		"a text\r\n..dot\r\n.\r\n", "+-1\r\na text\r\n.\r\n", "+6\r\na text", "+-2\r\n0Text\ta\th\t70\t+\r\n", "--1\r\n1 Admin <a@h>\r\nNo\r\n.\r\n",
		"+-2\r\n+INFO: 0Text\ta\th\t70\t?\r\n+ADMIN:\r\n Admin: A <a@h>\r\n Mod-Date: Now <20200102030405>\r\n+VIEWS:\r\n Text/plain En_US: <1k>\r\n+ASK:\r\n Ask: Name?\tme\r\n Choose: c\ta\tb\r\n",
		"200:Hi\r\n-200:1:name: Smith\r\n-200:1:email: s@h\r\n200:Ok.\r\n200:Bye\r\n", "3Not found\t\terror.host\t1\r\n.\r\n",
	} {
		seedConversation(f, urls, said, said)
	}
	seedRecordings(f, urls, "../gopher/testdata/wire/*.s2c.bin")
	fuzzConversation(f, urls, nil, func(c *conversation) {
		c.sentLines(regexp.MustCompile(`^(a?|a\twords|a(\t.*)?\t(\+.*|!|\$)|URL:ftp://h\.example/a|\+-1|answer|\.|query name=smith|fields|status|quit)$`).MatchString)
	})
}

// FuzzNewsConversation runs a news server that sends arbitrary text.
func FuzzNewsConversation(f *testing.F) {
	urls := []string{"nntp://h.example/a.b/1", "nntp://user:" + secret + "@h.example/a.b", "news://h.example/a@b", "news://h.example/a.b", "news://h.example/*", "news://user:" + secret + "@h.example/a.*"}
	for _, said := range []string{
		"200 Hi\r\n200 Reader\r\n211 2 1 9 a.b\r\n220 1 <a@b> article\r\nSubject: s\r\n\r\n..text\r\n.\r\n205 Bye\r\n",
		"201 Hi\r\n211 2 1 9 a.b\r\n224 Overview\r\n1\ts\ta@b\tThu, 1 Jan 1998 00:00:00 GMT\t<a@b>\t\t10\t1\r\n9\t\t\t\t\t\t\t\r\n.\r\n",
		"200 Hi\r\n480 Login\r\n381 More\r\n281 In\r\n211 2 1 9 a.b\r\n", "200 Hi\r\n500 What\r\n215 List\r\na.b 9 1 y\r\na.c 0 1 m\r\n.\r\n", "200 Hi\r\n215 List\r\na.b\tA group\r\n.\r\n", "400 Off\r\n", "502 No\r\n",
	} {
		seedConversation(f, urls, said, said)
	}
	seedRecordings(f, urls, "../news/testdata/*.s2c.bin")
	fuzzConversation(f, urls, nil, func(c *conversation) {
		c.sentLines(command("MODE", "GROUP", "ARTICLE", "HEAD", "BODY", "STAT", "OVER", "XOVER", "XHDR", "HDR", "LIST", "LISTGROUP", "NEWGROUPS", "AUTHINFO", "CAPABILITIES", "DATE", "QUIT"))
	})
}

// FuzzWAISConversation runs a WAIS server that sends arbitrary octets.
func FuzzWAISConversation(f *testing.F) {
	urls := []string{"wais://h.example/db?words", "wais://h.example/db", "wais://h.example/db/TEXT/3=id;", "wais://user:" + secret + "@h.example/db?words"}
	seedRecordings(f, urls, "../wais/testdata/wire/*.s2c.bin")
	seedRecordings(f, urls[2:3], "../wais/testdata/wire/*retrieve*.s2c.bin")
	fuzzConversation(f, urls, nil, (*conversation).sentNoSecret)
}

// FuzzProsperoConversation runs a Prospero server that sends arbitrary datagrams.
func FuzzProsperoConversation(f *testing.F) {
	urls := []string{"prospero://h.example/a", "prospero://h.example/a/b;OBJECT-VERSION=2", "prospero://h.example/ARCHIE/MATCH(100,0,0,0,=)/emacs"}
	const id = "\x03\x00\x00"
	for _, said := range []string{
		id + "LINK L FILE a INTERNET-D h ASCII /a VERSION 0\n", id + "NONE-FOUND\n", id + "FAILURE NOT-FOUND FILE\n", id + "FORWARDED\n", id + "SUCCESS\n",
		"\x07\x00\x00\x00\x01\x00\x02LINK L DIRECTORY d INTERNET-D h2 ASCII /d VERSION 0\n" + hostiletest.Boundary + "\x07\x00\x00\x00\x02\x00\x02LINK U FILE a INTERNET-D h(1525) ASCII /a VERSION 0\n",
		"\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x3c" + hostiletest.Boundary + id + "NONE-FOUND\n", "\x0d\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01",
		"\x0d\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x01\x02\x03\x04\x05\xf5", id + "OBJECT-INFO ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA abc\n",
	} {
		seedConversation(f, urls, said, said)
	}
	fuzzConversation(f, urls, nil, (*conversation).sentNoSecret)
}

// FuzzTelnetConversation runs a Telnet or rlogin host that sends arbitrary octets.
func FuzzTelnetConversation(f *testing.F) {
	urls := []string{"telnet://h.example/", "telnet://user:" + secret + "@h.example/", "rlogin://user:" + secret + "@h.example/"}
	for _, said := range []string{
		"\xff\xfd\x18\xff\xfd\x1f\xff\xfd\x27\xff\xfb\x01\xff\xfa\x18\x01\xff\xf0\xff\xfa\x27\x01\x00USER\xff\xf0login: ", "\xff\xfd\x2e\xff\xfa\x2e\x01\xff\xf0", "\xff\xfd\x2a\xff\xfa\x2a\x01;UTF-8\xff\xf0",
		"\x00\x80\x10\x20login: ", "\x01No\n", "a\xff\xffb\r\x00c\xff", "\xff\xfb\x56\xff\xfb\x00\xff\xfd\x00", "\x1b]0;title\x07\x1b[6n",
	} {
		seedConversation(f, urls, said, "")
	}
	seedRecordings(f, urls, "../telnet/testdata/wire/*.s2c.bin")
	fuzzConversation(f, urls, nil, (*conversation).sentNoSecret)
}

// FuzzTN3270Conversation runs a TN3270 host that sends arbitrary octets. The tests of package
// tn3270 cover the rendering of screens.
func FuzzTN3270Conversation(f *testing.F) {
	urls := []string{"tn3270://h.example/", "tn3270://user:" + secret + "@h.example/"}
	for _, said := range []string{
		"\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00\x05\xc3\x11\x40\x40\x1d\xf0\xc8\xc5\xd3\xd3\xd6\x1d\x40\x13\xff\xef",
		"\xff\xfd\x28\xff\xfa\x28\x08\x02\xff\xf0\xff\xfa\x28\x02\x04IBM-3278-2-E\x01TERM1\xff\xf0\xff\xfa\x28\x03\x04\x00\x02\x04\xff\xf0\x00\x00\x00\x00\x00\xf5\xc3\x11\x40\x40\xc1\xff\xef",
		"\xff\xfd\x18\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00\xf3\x00\x05\x01\xff\xff\x02\xff\xef\xf6\xff\xef\xf2\xff\xef",
	} {
		seedConversation(f, urls, said, "")
	}
	seedRecordings(f, urls, "../telnet/testdata/wire/hercules-s3270*.s2c.bin")
	fuzzConversation(f, urls, nil, (*conversation).sentNoSecret)
}

// httpLine matches a request line, or a header field that the client may send.
var httpLine = regexp.MustCompile(`^(GET [!-~]+ HTTP/1\.1|(Host|User-Agent|Accept|Accept-Encoding|Accept-Language|Authorization|Connection|Cookie|Referer): [ -~]*|)$`)

// FuzzHTTPConversation runs a web server that sends arbitrary text, also as the target of a
// redirect.
func FuzzHTTPConversation(f *testing.F) {
	urls := []string{"http://h.example/a", "http://user:" + secret + "@h.example/a?b"}
	ok := "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndata"
	for _, said := range []string{
		ok, "HTTP/1.1 302 Found\r\nLocation: http://h2.example/b\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n", "HTTP/1.0 301 Moved\r\nLocation: /c d\r\n\r\n", "HTTP/1.1 302 x\r\nLocation: ftp://h.example/\r\n\r\n",
		"HTTP/1.1 401 x\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n" + ok, "HTTP/1.1 401 x\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndata\r\n0\r\nTrailer: x\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n" + ok, "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-3/9\r\n\r\ndata", "HTTP/1.1 503 x\r\nRetry-After: 9\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\nContent-Disposition: attachment; filename*=UTF-8''%e2%82%ac\r\nContent-Encoding: gzip\r\nLast-Modified: Thu, 01 Jan 1998 00:00:00 GMT\r\n\r\n\x1f\x8b\x08", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx", "<html>", "HTTP/2.0 200\r\n\r\n",
	} {
		seedConversation(f, urls, said, ok)
		seedConversation(f, urls, said, said)
	}
	fuzzConversation(f, urls, nil, func(c *conversation) { c.sentLines(httpLine.MatchString) })
}

// FuzzFingerConversation runs a finger server that sends arbitrary text.
func FuzzFingerConversation(f *testing.F) {
	urls := []string{"finger://h.example/user", "finger://h.example/", "finger://h.example/user@h2.example"}
	for _, said := range []string{"Login: user\r\nPlan:\r\n", "", "\x1b[2J\x00\xff"} {
		seedConversation(f, urls, said, "")
	}
	fuzzConversation(f, urls, nil, func(c *conversation) { c.sentLines(regexp.MustCompile(`^(user(@h2\.example)?)?$`).MatchString) })
}

// FuzzGeminiConversation runs a Gemini server that sends arbitrary text over TLS.
func FuzzGeminiConversation(f *testing.F) {
	urls := []string{"gemini://h.example/a", "gemini://h.example/"}
	for _, said := range []string{"20 text/gemini; lang=en\r\n# Title\n=> /b A link\n=> ftp://h.example/ x\n```\n=> no\n```\n", "20 text/plain\r\ndata", "10 Name?\r\n", "11 Word?\r\n", "31 gemini://h2.example/b\r\n", "30 b\r\n", "44 9\r\n", "51 No\r\n", "60 Certificate\r\n", "2\r\n", "20 " + strings.Repeat("x", 1100) + "\r\n"} {
		seedConversation(f, urls, said, "20 text/plain\r\ndata")
	}
	server, _, err := certtest.Pair()
	if err != nil {
		f.Fatal(err)
	}
	fuzzConversation(f, urls, server, func(c *conversation) { c.sentLines(regexp.MustCompile(`^gemini://[!-~]+$`).MatchString) })
}
