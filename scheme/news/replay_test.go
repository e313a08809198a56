package news_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
)

// recording is a recorded session with INN 2.7.1. It maps each command to its replies, in
// order.
type recording struct {
	greeting string
	answers  map[string][]string // replies by command; commands are in upper case
}

// blockCodes lists the reply codes that a multi-line block follows. A block follows code 211
// only after LISTGROUP.
var blockCodes = []string{"100", "101", "215", "220", "221", "222", "224"}

func record(t *testing.T, name string) recording {
	t.Helper()
	file := func(suffix string) string {
		b, err := os.ReadFile("testdata/" + name + suffix)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	rest := file(".s2c.bin")
	line := func() (text string) {
		text, rest, _ = strings.Cut(rest, "\r\n")
		return text + "\r\n"
	}
	r := recording{greeting: line(), answers: map[string][]string{}}
	for command := range strings.SplitSeq(strings.TrimSuffix(file(".c2s.bin"), "\r\n"), "\r\n") {
		reply := line()
		if slices.Contains(blockCodes, reply[:3]) || command == "LISTGROUP" {
			for text := ""; text != ".\r\n"; reply += text {
				text = line()
			}
		}
		key := upperCommand(command)
		r.answers[key] = append(r.answers[key], reply)
	}
	if rest != "" {
		t.Fatalf("%s: %q is left", name, rest)
	}
	return r
}

// upperCommand returns a command with its keywords in upper case.
func upperCommand(command string) string {
	if strings.HasPrefix(strings.ToLower(command), "mode ") {
		return strings.ToUpper(command)
	}
	return command
}

// play accepts one client and replies from the recording. After the client has disconnected,
// play sends the received commands to the channel.
func (r recording) play(l net.Listener, received chan<- []string) {
	var list []string
	defer func() { received <- list }()
	c, err := l.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	io.WriteString(c, r.greeting)
	for lines := bufio.NewScanner(c); lines.Scan(); {
		command := lines.Text()
		list = append(list, command)
		answers := r.answers[command]
		if len(answers) == 0 {
			io.WriteString(c, "500 not recorded\r\n")
			continue
		}
		io.WriteString(c, answers[0])
		r.answers[command] = answers[1:]
	}
}

// recordedArticle returns the article in the recorded reply to a command, without dot-stuffing.
func (r recording) recordedArticle(command string) string {
	_, text, _ := strings.Cut(r.answers[command][0], "\r\n")
	text = strings.TrimSuffix(text, ".\r\n")
	return strings.TrimPrefix(strings.ReplaceAll("\r\n"+text, "\r\n..", "\r\n."), "\r\n")
}

// The client must work with replies that INN sent to other clients.
func TestRecordings(t *testing.T) {
	const reader = "CAPABILITIES|MODE READER|"
	for _, c := range []struct {
		name, path string
		id         string // message-id to open instead of a path
		article    string // the command in whose recorded reply the expected article is
		sent       string
		list       string // expected titles
		kind       error
		says       string
	}{
		{name: "inn-mode-reader-articles", path: "/local.test/1", article: "ARTICLE 1", sent: reader + "GROUP local.test|ARTICLE 1"},
		{name: "inn-mode-reader-articles", id: "mime3@local.test", article: "ARTICLE <mime3@local.test>", sent: reader + "ARTICLE <mime3@local.test>"},
		{name: "inn-mode-reader-articles", id: "a%b/c?d=e#f+g*h!i'j{k}l|m~n@[127.0.0.1]", article: "ARTICLE <a%b/c?d=e#f+g*h!i'j{k}l|m~n@[127.0.0.1]>",
			sent: reader + "ARTICLE <a%b/c?d=e#f+g*h!i'j{k}l|m~n@[127.0.0.1]>"},
		// This server replies 401, so the client sends MODE READER and repeats the command.
		{name: "inn-transit-401", path: "/local.test/1", sent: reader + "GROUP local.test|MODE READER|GROUP local.test|ARTICLE 1", kind: scheme.ErrUnsupported, says: "not recorded"},
		{name: "lynx-group-list", path: "/local.test", sent: reader + "GROUP local.test|LIST OVERVIEW.FMT|OVER 1-4|XOVER 1-4|HDR Message-ID 1-4|XHDR Message-ID 1-4|LISTGROUP|HEAD 1|HEAD 2|HEAD 3|HEAD 4",
			list: "First article|Odd Message-ID|café multipart|Re: First article"},
		{name: "lynx-nntp-number", path: "/local.test/3", article: "ARTICLE 3", sent: reader + "GROUP local.test|ARTICLE 3"},
		{name: "nnrpd-auth-480", path: "/local.test/1", article: "ARTICLE 1",
			sent: reader + "GROUP local.test|CAPABILITIES|AUTHINFO USER alice|AUTHINFO PASS wrong|AUTHINFO USER alice|AUTHINFO PASS s3cret|CAPABILITIES|MODE READER|GROUP local.test|ARTICLE 1"},
		{name: "nnrpd-readonly-201", path: "/local.test/1", article: "ARTICLE 1", sent: reader + "GROUP local.test|ARTICLE 1"},
	} {
		t.Run(c.name+c.path+c.id, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			r := record(t, c.name)
			want := ""
			if c.article != "" {
				want = r.recordedArticle(c.article)
			}
			received := make(chan []string, 1)
			go r.play(l, received)

			server := "nntp://" + l.Addr().String()
			client := news.New(&news.Options{Server: locus.MustParse(server), ClearLogin: true})
			a := &asker{answers: []scheme.Credentials{{User: "alice", Password: "wrong"}, {User: "alice", Password: "s3cret"}}}
			u := locus.MustParse(server + c.path)
			if c.id != "" {
				n, err := news.Parts{MessageID: c.id}.URL()
				if err != nil {
					t.Fatal(err)
				}
				u = n.URL()
			}
			res, err := client.Open(t.Context(), &scheme.Request{URL: u, Dial: new(net.Dialer), Ask: a.ask})
			switch {
			case c.kind != nil:
				wantError(t, err, c.kind, c.says)
			case err != nil:
				t.Error(err)
			case c.list != "":
				list, err := readItems(res, nil)
				if got := titles(list); got != c.list || err != nil {
					t.Errorf("%q, %v", got, err)
				}
			default:
				if got, err := readAll(res, nil); got != want || err != nil {
					t.Errorf("%q, %v\nwant %q", got, err, want)
				}
			}
			client.Close()
			sent := strings.Join(slices.DeleteFunc(<-received, func(s string) bool { return s == "QUIT" }), "|")
			if sent != c.sent {
				t.Errorf("sent %q\nwant %q", sent, c.sent)
			}
		})
	}
}
