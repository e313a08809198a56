package ftp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
)

// recording is a recorded session with a real server. It contains the replies to each command,
// in order, and the transferred data.
type recording struct {
	greeting string
	answers  map[string][]string
	data     []string
}

func record(t *testing.T, name string) recording {
	t.Helper()
	read := func(suffix string) string {
		b, err := os.ReadFile("testdata/" + name + suffix)
		if err != nil && suffix != ".data1.bin" && suffix != ".data2.bin" {
			t.Fatal(err)
		}
		return string(b)
	}
	r := recording{answers: map[string][]string{}, data: []string{read(".data1.bin"), read(".data2.bin")}}
	rest := read(".s2c.bin")
	reply := func() string {
		var text strings.Builder
		for {
			line, after, _ := strings.Cut(rest, "\r\n")
			rest = after
			text.WriteString(line + "\r\n")
			if code := text.String()[:3]; strings.HasPrefix(line, code+" ") || rest == "" {
				return text.String()
			}
		}
	}
	r.greeting = reply()
	for command := range strings.SplitSeq(strings.TrimSuffix(read(".c2s.bin"), "\r\n"), "\r\n") {
		text := reply()
		if text[0] == '1' {
			text += reply()
		}
		r.answers[command] = append(r.answers[command], text)
	}
	return r
}

// play accepts one client and replies from the recording. The order of commands and the data
// ports may differ from the recording. After the client has disconnected, play sends the
// received commands to the channel.
func (r recording) play(l net.Listener, received chan<- []string) {
	var list []string
	defer func() { received <- list }()
	c, err := l.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	io.WriteString(c, r.greeting)
	var data func() (net.Conn, error)
	for lines := bufio.NewScanner(c); lines.Scan(); {
		command := lines.Text()
		list = append(list, command)
		verb, argument, _ := strings.Cut(command, " ")
		if verb == "PORT" && len(r.answers["PORT 127,0,0,1,131,247"]) > 0 {
			var b [6]int
			fmt.Sscanf(argument, "%d,%d,%d,%d,%d,%d", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5])
			data = func() (net.Conn, error) { return net.Dial("tcp", fmt.Sprint("127.0.0.1:", b[4]<<8|b[5])) }
			io.WriteString(c, "200 PORT command successful. Consider using PASV.\r\n")
			continue
		}
		answers := r.answers[command]
		if len(answers) == 0 {
			io.WriteString(c, "502 not recorded\r\n")
			continue
		}
		text := answers[0]
		r.answers[command] = answers[1:]
		if verb == "EPSV" || verb == "PASV" {
			passive, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return
			}
			defer passive.Close()
			data = passive.Accept
			port := passive.Addr().(*net.TCPAddr).Port
			text = map[string]string{
				"EPSV": fmt.Sprintf("229 Entering Extended Passive Mode (|||%d|)\r\n", port),
				"PASV": fmt.Sprintf("227 Entering Passive Mode (127,0,0,1,%d,%d).\r\n", port>>8, port&255),
			}[verb]
		}
		if text[0] == '1' && data != nil {
			d, err := data()
			if err != nil {
				return
			}
			i := slices.IndexFunc(r.data, func(s string) bool { return s != "" })
			io.WriteString(d, r.data[i])
			r.data[i] = ""
			d.Close()
		}
		io.WriteString(c, text)
	}
}

func TestRecordings(t *testing.T) {
	debian := "Debian GNU/Linux comes with ABSOLUTELY NO WARRANTY, to the extent"
	for _, c := range []struct {
		name, login, path string
		o                 ftp.Options
		sent              string
		want              []string // text of the object, or titles of the items
		kind              error
		says              string
	}{
		// For a CWD command with a null argument, no server behaves as RFC 1738 assumes;
		// Pure-FTPd changes to the login directory.
		{name: "vsftpd-empty-cwd", login: "alice:s3cret@", path: "//etc/motd;type=a", sent: "USER alice|PASS s3cret|CWD ", kind: scheme.ErrNotFound, says: "%2F"},
		{name: "proftpd-empty-cwd", login: "bob:hunter2@", path: "//etc/motd;type=a", sent: "USER bob|PASS hunter2|CWD ", kind: scheme.ErrUnsupported, says: "%2F"},
		{name: "inetutils-empty-cwd", login: "alice:s3cret@", path: "//etc/motd;type=a", sent: "USER alice|PASS s3cret|CWD ", kind: scheme.ErrUnsupported, says: "%2F"},
		{name: "pureftpd-empty-cwd", login: "bobfree:hunter2@", path: "//etc/motd;type=a", sent: "USER bobfree|PASS hunter2|CWD |CWD etc", kind: scheme.ErrNotFound, says: "CWD etc"},

		{name: "vsftpd-wget-pctslash", login: "alice:s3cret@", path: "/%2Fetc/motd", sent: "USER alice|PASS s3cret|CWD /etc|TYPE I|SIZE motd|MDTM motd|EPSV|PASV|RETR motd", want: []string{debian}},
		{name: "vsftpd-curl-abs-type-a", login: "alice:s3cret@", path: "/%2F/etc/motd;type=a", sent: "USER alice|PASS s3cret|CWD /|CWD etc|TYPE A|MDTM motd|EPSV|RETR motd", want: []string{debian + "\r\n"}},
		{name: "vsftpd-lwp-active", path: "/dir/b%20c.txt", o: ftp.Options{Active: true}, sent: "USER anonymous|PASS anonymous@|CWD dir|TYPE I|SIZE b c.txt|MDTM b c.txt|EPRT|PORT|RETR b c.txt", want: []string{"spaces\n"}},
		{name: "inetutils-ff-name", login: "alice:s3cret@", path: "/dir/ff%FF.txt", o: ftp.Options{CWD: ftp.CWDNone}, sent: "USER alice|PASS s3cret|TYPE I|SIZE dir/ff\xff\xff.txt|MDTM dir/ff\xff\xff.txt|EPSV|PASV|RETR dir/ff\xff\xff.txt", want: []string{"iac name\n"}},
		{name: "pureftpd-curl-anon-list", path: "/dir/", sent: "USER anonymous|CWD dir|FEAT|EPSV|LIST", want: []string{"object /dir/%20lead.txt", "object /dir/*star%3F.txt", "unknown /dir/link", "object /dir/semi%3Btype=a.txt", "menu /dir/sub/", "object /dir/caf%E9.txt"}},
		{name: "proftpd-mlsd-nlst", login: "bob:hunter2@", path: "/dir/", o: ftp.Options{CWD: ftp.CWDNone}, sent: "USER bob|PASS hunter2|FEAT|EPSV|MLSD dir", want: []string{"object /dir/per%252Fcent.txt", "menu /dir/sub/", "object /dir/ff%FF.txt", "unknown /dir/link"}},
		{name: "proftpd-mlsd-nlst", login: "bob:hunter2@", path: "/nope;type=d", sent: "USER bob|PASS hunter2|EPSV|NLST nope", kind: scheme.ErrNotFound, says: `"NLST nope": not found: 450`},
		{name: "vsftpd-bad-password", login: "alice:wrong@", path: "/x", sent: "USER alice|PASS wrong", kind: scheme.ErrAuth, says: "530 Login incorrect."},
	} {
		t.Run(c.name+c.path, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			received := make(chan []string, 1)
			go record(t, c.name).play(l, received)
			client := ftp.New(&c.o)
			w := &fixture{T: t, addr: l.Addr().String(), client: client, dial: new(dataDialer)}
			var got string
			if strings.HasSuffix(c.path, "/") || strings.HasSuffix(c.path, "d") && c.kind != nil {
				var list []string
				list, err = w.titles(c.login, c.path)
				got = strings.Join(list, "\n")
			} else {
				got, err = w.get(c.login, c.path)
			}
			client.Close()
			if c.kind != nil {
				w.wantError(err, c.kind, c.says)
			} else if err != nil {
				t.Errorf("%v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q lacks %q", got, want)
				}
			}
			var sent []string
			for _, text := range <-received {
				if verb, _, _ := strings.Cut(text, " "); verb == "EPRT" || verb == "PORT" {
					text = verb
				}
				if text != "QUIT" {
					sent = append(sent, text)
				}
			}
			if got := strings.Join(sent, "|"); got != c.sent {
				t.Errorf("sent %q\nwant %q", got, c.sent)
			}
		})
	}
}
