package peers

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/tn3270"
)

// groups lists the device groups of Hercules. Without a guest system, Hercules assigns each device
// only once.
var groups = []string{"TWO", "THREE", "FOUR", "FIVE", "PLAIN"}

// hercules starts Hercules with a device for each group, and with a device for clients that
// request no group.
func hercules(t testing.TB) *peer {
	t.Helper()
	program := need(t, "hercules")
	for range maxPorts {
		if p := herculesOn(t, program, freePort(t)); p != nil {
			return p
		}
	}
	t.Fatalf("hercules found no free port of %d", maxPorts)
	return nil
}

// herculesOn starts Hercules on a port. It returns nil if another program uses the port.
func herculesOn(t testing.TB, program string, port int) *peer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "conf")
	p := &peer{port: port}
	config := fmt.Sprintf("CPUSERIAL 000001\nCPUMODEL 3090\nMAINSIZE 16\nNUMCPU 1\nARCHMODE S/370\nCNSLPORT 127.0.0.1:%d\nCODEPAGE 819/1047\n0010 3270\n", p.port)
	for i, group := range groups {
		config += fmt.Sprintf("%04X 3270 %s\n", 0x20+i, group)
	}
	write(t, file, config, 0o600)
	cmd := exec.Command(program, "-d", "-f", file)
	// Hercules ends quickly when its standard input ends; any other way of stopping it takes a
	// long time.
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	log := bufio.NewReader(out)
	var read sync.WaitGroup
	t.Cleanup(func() {
		cmd.Process.Kill()
		read.Wait()
		cmd.Wait()
	})
	// A connection that tests whether Hercules listens can disturb the next connection, so the
	// test waits for the message in the log.
	for line := ""; !strings.Contains(line, "Waiting for console connection"); {
		if line, err = log.ReadString('\n'); err != nil {
			t.Fatalf("hercules: %v", err)
		}
		if strings.Contains(line, "to become free") {
			return nil
		}
	}
	read.Go(func() { io.Copy(io.Discard, log) })
	return p
}

// look is the content of a 3270 screen, in a form that tests can compare.
type look struct {
	text        string
	row, column int
	locked      bool
	fields      []lookField
}

// lookField is a field of a 3270 screen.
type lookField struct {
	address, length                         int
	protected, numeric, hidden, intensified bool
	modified                                bool
	color                                   tn3270.Color
	highlight                               tn3270.Highlight
}

// ourLook returns the content of a screen of package tn3270.
func ourLook(s *tn3270.Screen) look {
	l := look{text: s.Text(), locked: s.Status().Lock != tn3270.Unlocked}
	l.row, l.column = s.Cursor()
	for _, f := range s.Fields() {
		l.fields = append(l.fields, lookField{f.Address, f.Length, f.Protected, f.Numeric || f.Skip, f.Hidden, f.Intensified, f.Modified, f.Color, f.Highlight})
	}
	return l
}

// s3270 is a running s3270 process, the scriptable 3270 terminal of another project.
type s3270 struct {
	actions io.Writer
	answers *bufio.Scanner
}

func startS3270(t testing.TB, args ...string) *s3270 {
	t.Helper()
	cmd := exec.Command(need(t, "s3270"), append([]string{"-utf8"}, args...)...)
	actions, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(maxSession, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &s3270{actions, bufio.NewScanner(answers)}
}

// do runs an action and returns its output and the words of the status.
func (x *s3270) do(t testing.TB, action string) (data, status []string) {
	t.Helper()
	if _, err := io.WriteString(x.actions, action+"\n"); err != nil {
		t.Fatal(err)
	}
	for x.answers.Scan() {
		line := x.answers.Text()
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			data = append(data, text)
			continue
		}
		if line == "ok" {
			return data, status
		}
		if line == "error" {
			break
		}
		status = strings.Fields(line)
	}
	t.Fatalf("s3270: %s: %q, %v", action, data, x.answers.Err())
	return nil, nil
}

// connect connects to the host as the given device. It returns the screen when the host accepts
// input.
func (x *s3270) connect(t testing.TB, device string, p *peer) look {
	t.Helper()
	if device != "" {
		device += "@"
	}
	x.do(t, fmt.Sprintf(`Connect("%s%s")`, device, p.addr()))
	x.do(t, "Wait(10,Unlock)")
	return x.look(t)
}

// look returns the content of the s3270 screen.
func (x *s3270) look(t testing.TB) look {
	t.Helper()
	lines, status := x.do(t, "Ascii")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	l := look{text: strings.Join(lines, "\n"), locked: status[0] != "U", row: atoi(t, status[8]) + 1, column: atoi(t, status[9]) + 1}
	buffer, _ := x.do(t, "ReadBuffer(Ascii)")
	l.fields = bufferFields(t, buffer)
	return l
}

func atoi(t testing.TB, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// attributePair matches an attribute type and its value in the output of s3270.
var attributePair = regexp.MustCompile(`([0-9a-f]{2})=([0-9a-f]{2})`)

// bufferFields returns the fields in the output of the s3270 action ReadBuffer. Each word
// describes one screen position. The word SF stands at the position of a field attribute; the word
// SA does not begin a field.
func bufferFields(t testing.TB, rows []string) (fields []lookField) {
	t.Helper()
	position := 0
	for _, word := range strings.Fields(strings.Join(rows, " ")) {
		if strings.HasPrefix(word, "SA(") {
			continue
		}
		position++
		if !strings.HasPrefix(word, "SF(") {
			continue
		}
		f := lookField{address: position}
		for _, pair := range attributePair.FindAllStringSubmatch(word, -1) {
			value, err := strconv.ParseUint(pair[2], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			switch pair[1] {
			case "c0":
				a := tn3270.Attribute(value)
				f.protected, f.numeric, f.modified = a&tn3270.Protected != 0, a&tn3270.Numeric != 0, a&tn3270.Modified != 0
				f.hidden, f.intensified = a&tn3270.Hidden == tn3270.Hidden, a&tn3270.Hidden == tn3270.Intensified
			case "41":
				f.highlight = tn3270.Highlight(value)
			case "42":
				f.color = tn3270.Color(value)
			}
		}
		fields = append(fields, f)
	}
	for i := range fields {
		next := fields[(i+1)%len(fields)].address - 1
		fields[i].length = (next - fields[i].address + position) % position
		fields[i].address %= position
	}
	return fields
}

// agree fails the test unless both screens are equal.
func agree(t *testing.T, ours, theirs look) {
	t.Helper()
	if ours.text != theirs.text {
		t.Errorf("we show\n%s\ns3270 shows\n%s", ours.text, theirs.text)
	}
	if ours.row != theirs.row || ours.column != theirs.column || ours.locked != theirs.locked {
		t.Errorf("cursor %d,%d, locked %v; in s3270 %d,%d, %v", ours.row, ours.column, ours.locked, theirs.row, theirs.column, theirs.locked)
	}
	if !slices.Equal(ours.fields, theirs.fields) {
		t.Errorf("the fields are\n%+v\nin s3270\n%+v", ours.fields, theirs.fields)
	}
}

// display is the terminal of package tn3270 in a session.
type display struct {
	telnet.Terminal3270
	ctx context.Context // ends with the session
}

// open3270 opens a tn3270 session.
func open3270(t testing.TB, p *peer, o telnet.TN3270Options) *display {
	t.Helper()
	s, err := openSession(t, "tn3270://"+p.addr()+"/", telnet.Options{TN3270: o})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancelCause(context.Background())
	d := &display{s.Conn.(telnet.Terminal3270), ctx}
	go func() {
		_, err := io.Copy(io.Discard, d)
		end(fmt.Errorf("the session has ended: %v", err))
	}()
	return d
}

// wait waits until the function ok accepts the screen.
func (d *display) wait(t testing.TB, ok func(*tn3270.Screen) bool) {
	t.Helper()
	if err := d.Screen().Wait(d.ctx, ok); err != nil {
		t.Fatalf("%v; the screen shows\n%s", err, d.Screen().Text())
	}
}

func unlocked(s *tn3270.Screen) bool {
	return s.Status().Lock == tn3270.Unlocked && strings.TrimSpace(s.Text()) != ""
}

// On two devices of a host, locus and s3270 show the same first screen.
func TestHercules(t *testing.T) {
	forUs, forThem := hercules(t), hercules(t)
	for _, c := range []struct {
		model string
		o     telnet.TN3270Options
	}{
		{"3279-2", telnet.TN3270Options{DeviceName: "TWO"}},
		{"3279-3", telnet.TN3270Options{DeviceName: "THREE", Model: 3}},
		{"3279-4", telnet.TN3270Options{DeviceName: "FOUR", Model: 4, Basic: true}},
		{"3279-5", telnet.TN3270Options{DeviceName: "FIVE", Model: 5, CodePage: "1047"}},
		{"3278-2", telnet.TN3270Options{DeviceName: "PLAIN", Monochrome: true}},
	} {
		t.Run(c.model, func(t *testing.T) {
			ours := open3270(t, forUs, c.o)
			ours.wait(t, unlocked)
			theirs := startS3270(t, "-model", c.model).connect(t, c.o.DeviceName, forThem)
			agree(t, ourLook(ours.Screen()), theirs)
			if !strings.Contains(theirs.text, "My PC thinks it's a MAINFRAME") || len(theirs.fields) < 10 {
				t.Errorf("s3270 shows\n%s", theirs.text)
			}
		})
	}
}

// The screen shows the message that no device is free.
func TestHerculesRefuses(t *testing.T) {
	p := hercules(t)
	o := telnet.TN3270Options{DeviceName: "TWO"}
	open3270(t, p, o).wait(t, unlocked)
	open3270(t, p, o).wait(t, func(s *tn3270.Screen) bool {
		return strings.Contains(s.Text(), "Connection rejected, no available 3270 devices in the TWO group")
	})
}

func TestHerculesCommand(t *testing.T) {
	forUs, forThem := hercules(t), hercules(t)
	want := startS3270(t, "-model", "3279-2").connect(t, "TWO", forThem)
	u := "tn3270://" + forUs.addr() + "/"
	locusEnv(t, []string{"LOCUS_TN3270_DEVICE=TWO"}, "get", "--settle", "200ms", u).want(t, 0, want.text+"\n")
	r := locus(t, "get", "--settle", "200ms", "--json", u)
	r.want(t, 0, r.out)
	var got struct {
		Rows, Columns int
		Text          []string
		Fields        []struct{ Row, Column, Length int }
	}
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Rows != 24 || got.Columns != 80 || len(got.Text) != 24 || got.Text[0] != strings.Split(want.text, "\n")[0] || len(got.Fields) != len(want.fields) {
		t.Errorf("get --json = %+v, want 24 rows, 80 columns, the first line %q and %d fields", got, strings.Split(want.text, "\n")[0], len(want.fields))
	}
	for i, f := range got.Fields {
		if address := (f.Row-1)*80 + f.Column - 1; address != want.fields[i].address || f.Length != want.fields[i].length {
			t.Errorf("field %d is %+v, in s3270 %+v", i, f, want.fields[i])
		}
	}
	// Hercules does not accept a plain telnet client.
	r = locus(t, "get", "--settle", "200ms", "--expect", "device", strings.Replace(u, "tn3270", "telnet", 1))
	r.want(t, 0, r.out)
	if !strings.Contains(r.out, "Connection rejected, no available 1052 or 3215 device") {
		t.Errorf("a terminal of telnet is told %q", r.out)
	}
}

// The command shows the 3270 screen on the terminal, and the escape key ends the session.
func TestHerculesTerminal(t *testing.T) {
	forUs, forThem := hercules(t), hercules(t)
	want := startS3270(t, "-model", "3279-2").connect(t, "", forThem)
	x := onTerminal(t, t.TempDir(), program, "open", "tn3270://"+forUs.addr()+"/")
	x.wait(t, want.text+"\n")
	x.press(t, "\x1d")
	x.wait(t, "locus>")
	x.press(t, "close\r")
	<-x.ended
}

// step is an input at a 3270 terminal, and words on the screen that the host shows after the
// input.
type step struct {
	typed string
	key   tn3270.Key // key to press if the step types no text
	shows string
}

// byUs runs the step with package tn3270.
func (s step) byUs(t testing.TB, c *display) {
	t.Helper()
	var err error
	if s.typed != "" {
		err = c.Type(s.typed)
	} else {
		err = c.Press(s.key)
	}
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	c.wait(t, func(x *tn3270.Screen) bool { return unlocked(x) && strings.Contains(x.Text(), s.shows) })
}

// numbered matches the name of a key with a number.
var numbered = regexp.MustCompile(`^(PA|PF)(\d+)$`)

// byThem runs the step in s3270 and returns the resulting screen.
func (s step) byThem(t testing.TB, x *s3270) look {
	t.Helper()
	if s.typed != "" {
		x.do(t, fmt.Sprintf("String(%q)", s.typed))
	} else {
		x.do(t, numbered.ReplaceAllString(s.key.String(), "$1($2)"))
	}
	for {
		// s3270 itself waits for the host if the key locks the keyboard. Output between an
		// action and a Wait ends the Wait at once.
		if lines, _ := x.do(t, "Ascii"); strings.Contains(strings.Join(lines, "\n"), s.shows) {
			return x.look(t)
		}
		x.do(t, "Wait(10,Output)")
	}
}

// walk is a list of steps that visit the screens of the test host.
var walk = []step{
	{key: tn3270.Enter, shows: "Who are you?"},
	{typed: "Ann", shows: "Ann"},
	{key: tn3270.Tab},
	{typed: "s3cret"},
	{key: tn3270.Tab},
	{typed: "12.5", shows: "12.5"},
	{key: tn3270.Backtab},
	{key: tn3270.Left},
	{key: tn3270.Home},
	{key: tn3270.Right},
	{key: tn3270.Delete},
	{key: tn3270.Up},
	{key: tn3270.Enter, shows: "Welcome, An."},
	{key: tn3270.PF2, shows: "Type anything"},
	{typed: "abc [] ^ ! | é ß ¬"},
	{key: tn3270.EraseEOF},
	{key: tn3270.Enter, shows: "You typed"},
	{key: tn3270.PF4, shows: "upper left"},
	{key: tn3270.Clear},
	{key: tn3270.PF24, shows: "PF24 does nothing here"},
	{key: tn3270.PA1, shows: "PA1 does nothing here"},
	{key: tn3270.Clear},
}

// colors is a list of steps to a screen on which s3270 shows highlighting even without colors.
// Package tn3270 then shows neither.
var colors = []step{
	{key: tn3270.PF1, shows: "underscore"},
	{key: tn3270.PA2, shows: "PF1"},
}

// system is a list of steps with the TN3270E function SYSREQ, after which the host sends plain
// text.
var system = []step{
	{key: tn3270.SysReq, shows: "SYSTEM: LOGOFF"},
	{typed: "help", shows: "help"},
	{key: tn3270.Enter, shows: "helpSYSTEM"},
	{typed: "again", shows: "again"},
	{key: tn3270.Enter, shows: "againSYSTEM"},
	{key: tn3270.SysReq, shows: "Welcome"},
}

// s3270 and package tn3270 show the same screens of the test host, and the host receives the same
// data from both clients.
func TestS3270(t *testing.T) {
	for _, c := range []struct {
		name, model string
		host        telnettest.HostOptions
		o           telnet.TN3270Options
		walk        []step
	}{
		{"basic", "3279-2", telnettest.HostOptions{}, telnet.TN3270Options{}, slices.Concat(walk, colors)},
		{"basic, large", "3279-5", telnettest.HostOptions{}, telnet.TN3270Options{Model: 5, DeviceName: "GROUP"}, slices.Concat(walk, colors)},
		{"basic, plain", "3278-3", telnettest.HostOptions{}, telnet.TN3270Options{Model: 3, Monochrome: true}, walk},
		{"basic, 1047", "3279-2", telnettest.HostOptions{CodePage: "1047"}, telnet.TN3270Options{CodePage: "1047"}, walk},
		{"TN3270E", "3279-2", telnettest.HostOptions{Extended: true}, telnet.TN3270Options{}, slices.Concat(walk, colors, system)},
		{"TN3270E, a device", "3279-4", telnettest.HostOptions{Extended: true, Devices: []string{"LU07"}}, telnet.TN3270Options{Model: 4, DeviceName: "LU07"}, slices.Concat(walk, colors)},
		{"TN3270E, no functions", "3279-3", telnettest.HostOptions{Extended: true, Functions: []byte{}}, telnet.TN3270Options{Model: 3}, slices.Concat(walk, colors)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := ourHost(t, &c.host)
			x := startS3270(t, "-model", c.model, "-codepage", "cp"+cmp.Or(c.o.CodePage, "037"))
			theirs := x.connect(t, c.o.DeviceName, p)
			ours := open3270(t, p, c.o)
			ours.wait(t, unlocked)
			agree(t, ourLook(ours.Screen()), theirs)
			for _, step := range c.walk {
				theirs := step.byThem(t, x)
				step.byUs(t, ours)
				agree(t, ourLook(ours.Screen()), theirs)
				if t.Failed() {
					t.Fatalf("so it is after %+v", step)
				}
			}
			log := s.Log()
			if them, us := heard(log[0]), heard(log[1]); !slices.Equal(them, us) {
				t.Errorf("the host heard of s3270\n%q\nof us\n%q", them, us)
			}
		})
	}
}

// heard returns the data that the host has certainly received after the walk: everything up to
// the last key.
func heard(log []string) []string {
	entries := log
	for len(entries) > 0 && !strings.HasPrefix(entries[len(entries)-1], "key ") {
		entries = entries[:len(entries)-1]
	}
	return entries
}

// ourHost starts the test host of package telnettest as a peer.
func ourHost(t testing.TB, o *telnettest.HostOptions) (*telnettest.Server, *peer) {
	t.Helper()
	s, err := telnettest.StartTN3270(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	_, port, err := net.SplitHostPort(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return s, &peer{port: atoi(t, port)}
}

// Both clients send the same query replies, except that package tn3270 reports fewer colors, and
// also supports 16-bit addresses.
func TestS3270Query(t *testing.T) {
	const (
		usableArea   = 0x81
		addressing   = 4 // offset of the addressing mode in the usable-area reply
		twelve       = 0x01
		withSixteen  = 0x03
		ofCharacters = 0x85
		ofHighlights = 0x87
		replyModes   = 0x88
		ofPartition  = 0xA6
	)
	for _, model := range []int{2, 3, 4, 5} {
		replies := make(chan map[byte]string, 1)
		_, p := ourHost(t, &telnettest.HostOptions{Run: func(h *telnettest.Host) error {
			if err := h.Show(h.Builder().Query()); err != nil {
				return err
			}
			in, err := h.Receive()
			if err != nil {
				return err
			}
			replies <- queryReplies(in.Structured)
			if err := h.Show(h.Builder().EraseWrite(tn3270.KeyboardRestore).At(1, 1).Text("Thank you.")); err != nil {
				return err
			}
			h.Receive()
			return nil
		}})
		startS3270(t, "-model", fmt.Sprintf("3279-%d", model)).connect(t, "", p)
		theirs := <-replies
		open3270(t, p, telnet.TN3270Options{Model: model})
		ours := <-replies
		area := []byte(ours[usableArea])
		if len(area) <= addressing || area[addressing] != withSixteen {
			t.Fatalf("model %d: the usable area is % X", model, area)
		}
		area[addressing] = twelve
		ours[usableArea] = string(area)
		for _, code := range []byte{usableArea, ofCharacters, ofHighlights, replyModes, ofPartition} {
			if ours[code] != theirs[code] || ours[code] == "" {
				t.Errorf("model %d: reply %02X is % X, that of s3270 % X", model, code, ours[code], theirs[code])
			}
		}
	}
}

// queryReplies returns the structured fields of a query reply by their codes.
func queryReplies(fields []byte) map[byte]string {
	replies := make(map[byte]string)
	for len(fields) >= 4 {
		n := min(int(binary.BigEndian.Uint16(fields)), len(fields))
		if n < 4 {
			break
		}
		replies[fields[3]] = string(fields[:n])
		fields = fields[n:]
	}
	return replies
}
