package telnet_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/tn3270"
)

// A session with a host that asks for a name. Programs for untrusted URLs use an access.Client,
// which applies a policy; this one dials with package net.
func Example() {
	host, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Users: map[string]string{"guest": "sesame"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()

	res, err := telnet.New(nil).Open(context.Background(), &scheme.Request{URL: locus.MustParse("telnet://guest@" + host.Addr() + "/"), Dial: new(net.Dialer)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Close()
	session := res.(*scheme.Session)
	session.Conn.SetDeadline(time.Now().Add(time.Minute))
	// The host's prompts come without a line end.
	in := bufio.NewReader(session.Conn)
	prompt := func(end byte) {
		text, err := in.ReadString(end)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(strings.ReplaceAll(strings.TrimSpace(text), "\r", ""))
	}
	prompt(':')
	fmt.Fprintf(session.Conn, "%s\r", session.User) // the URL's user is only a suggestion
	prompt(':')
	fmt.Fprint(session.Conn, "sesame\r")
	prompt('>')
	// Output:
	// login:
	// guest
	// Password:
	// Welcome, guest. Type help for what there is.
	// >
}

// A program fills in a screen of a 3270 host.
func ExampleTerminal3270() {
	host, err := telnettest.StartTN3270(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	res, err := telnet.New(nil).Open(ctx, &scheme.Request{URL: locus.MustParse("tn3270://" + host.Addr() + "/"), Dial: new(net.Dialer)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Close()
	terminal := res.(*scheme.Session).Conn.(telnet.Terminal3270)
	shows := func(text string) error {
		return terminal.Screen().Wait(ctx, func(s *tn3270.Screen) bool {
			return s.Status().Lock == tn3270.Unlocked && strings.Contains(s.Text(), text)
		})
	}
	err = errors.Join(shows("User"), terminal.Type("ADA"), terminal.Press(tn3270.Enter), shows("Welcome"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Split(terminal.Screen().Text(), "\n")[2])
	// Output: Welcome, ADA.
}

// A user name is advice for the user. Advice rejects a name that a program would
// read as an option.
func ExampleURL_Advice() {
	for _, text := range []string{"telnet://guest@host.dom/", "telnet://-froot@host.dom/"} {
		t, err := telnet.Parse(locus.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(t.Advice())
	}
	// Output:
	// guest <nil>
	//  locus: "telnet://-froot@host.dom/": offset 9: a user name that begins with "-" is read as an option
}

func ExampleParts() {
	t, err := telnet.Parts{Scheme: "tn3270", Host: "host.dom"}.URL()
	fmt.Println(t.URL(), err)
	// Output: tn3270://host.dom/ <nil>
}
