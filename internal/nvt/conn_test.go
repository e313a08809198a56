package nvt

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus/internal/certtest"
)

// The test cases are all states of RFC 1143 section 7 and the required answers.
func TestStates(t *testing.T) {
	type row struct {
		from   optionState
		on, ok bool
		to     optionState
		say    answer
	}
	for _, r := range []row{
		{no, true, true, yes, agree}, {no, true, false, no, refuse}, {no, false, true, no, silence},
		{yes, true, true, yes, silence}, {yes, false, true, no, refuse},
		{wantNo, true, true, no, silence}, {wantNo, false, true, no, silence},
		{wantNoOpposite, true, true, yes, silence}, {wantNoOpposite, false, true, wantYes, agree},
		{wantYes, true, false, yes, silence}, {wantYes, false, true, no, silence},
		{wantYesOpposite, true, true, wantNo, refuse}, {wantYesOpposite, false, true, no, silence},
	} {
		if to, say := r.from.receive(r.on, r.ok); to != r.to || say != r.say {
			t.Errorf("%d hears %v: %d, %d; want %d, %d", r.from, r.on, to, say, r.to, r.say)
		}
	}
	for _, r := range []row{
		{no, true, true, wantYes, agree}, {no, false, true, no, silence},
		{yes, true, true, yes, silence}, {yes, false, true, wantNo, refuse},
		{wantNo, true, true, wantNoOpposite, silence}, {wantNo, false, true, wantNo, silence},
		{wantNoOpposite, true, true, wantNoOpposite, silence}, {wantNoOpposite, false, true, wantNo, silence},
		{wantYes, true, true, wantYes, silence}, {wantYes, false, true, wantYesOpposite, silence},
		{wantYesOpposite, true, true, wantYes, silence}, {wantYesOpposite, false, true, wantYesOpposite, silence},
	} {
		if to, say := r.from.request(r.on); to != r.to || say != r.say {
			t.Errorf("state %d, request %v: %d, %d; want %d, %d", r.from, r.on, to, say, r.to, r.say)
		}
	}
}

// Changed must be called if the other side rejects a requested option, but not if it rejects an
// option that this side did not request.
func TestRefused(t *testing.T) {
	var events []string
	changed := func(us, on bool) { events = append(events, word(us)+" "+word(on)) }
	s := scripted("\xff\xfe\x01\xff\xfc\x01\xff\xfc\x01\xff\xfd\x03")
	var codes []byte
	c := New(s, &Options{
		Options: []Option{{Code: Echo, Changed: changed}, {Code: SGA, Changed: changed}},
		Changed: func(_ bool, code byte, _ bool) { codes = append(codes, code) },
	})
	for code, us := range map[byte]bool{Echo: false, SGA: true} {
		if err := c.Ask(us, code, true); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.ReadAll(c); err != nil {
		t.Error(err)
	}
	if want := []string{"false false", "true true"}; !slices.Equal(events, want) || !slices.Equal(codes, []byte{Echo, SGA}) {
		t.Errorf("%q, want %q; %d", events, want, codes)
	}
}

// Two sides that change options at random must finally agree.
func TestAgreement(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var us, them optionState // the state of one option on one side, and the other side's view of that state
		var toThem, toUs []answer
		say := func(q *[]answer, a answer) {
			if a != silence {
				*q = append(*q, a)
			}
		}
		var a answer
		for range r.IntN(20) {
			switch r.IntN(4) {
			case 0:
				us, a = us.request(r.IntN(2) == 0)
				say(&toThem, a)
			case 1:
				them, a = them.request(r.IntN(2) == 0)
				say(&toUs, a)
			case 2:
				if len(toThem) > 0 {
					them, a = them.receive(toThem[0] == agree, r.IntN(2) == 0)
					toThem = toThem[1:]
					say(&toUs, a)
				}
			case 3:
				if len(toUs) > 0 {
					us, a = us.receive(toUs[0] == agree, r.IntN(2) == 0)
					toUs = toUs[1:]
					say(&toThem, a)
				}
			}
		}
		steps := 0
		for ; len(toThem)+len(toUs) > 0 && steps < 100; steps++ {
			if len(toThem) > 0 {
				them, a = them.receive(toThem[0] == agree, true)
				toThem = toThem[1:]
				say(&toUs, a)
			} else {
				us, a = us.receive(toUs[0] == agree, true)
				toUs = toUs[1:]
				say(&toThem, a)
			}
		}
		if steps == 100 || us != them || us != no && us != yes {
			t.Fatalf("seed %d: %d and %d after %d steps", seed, us, them, steps)
		}
	}
}

// script is the peer of a connection: the data to send, and the data received so far.
type script struct {
	net.Conn
	in  io.Reader
	mu  sync.Mutex
	out bytes.Buffer
}

func (s *script) Read(p []byte) (int, error) { return s.in.Read(p) }

func (s *script) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func scripted(text string) *script { return &script{in: strings.NewReader(text)} }

func TestOptions(t *testing.T) {
	var events []string
	s := scripted("\xff\xfd\x18\xff\xfb\x01\xff\xfd\x25\xff\xfb\x03a\xff\xfa\x18\x01\xff\xf0b\xff\xf6\xff\xfe\x18\xff\xfc\x01c")
	c := New(s, &Options{
		Options: []Option{
			{Code: TerminalType, Us: true, Sub: func(data []byte) { events = append(events, "sub "+string(data)) },
				Changed: func(us, on bool) { events = append(events, "type", word(us), word(on)) }},
			{Code: Echo, Them: true},
		},
		Command: func(command byte) { events = append(events, CommandName(command)) },
		Trace: func(sent bool, text string) {
			if sent {
				events = append(events, "> "+text)
			}
		},
	})
	data, err := io.ReadAll(c)
	if string(data) != "abc" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if got, want := s.out.String(), "\xff\xfb\x18\xff\xfd\x01\xff\xfc\x25\xff\xfe\x03\xff\xfc\x18\xff\xfe\x01"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	want := []string{"> WILL TERMINAL-TYPE", "type", "true", "true", "> DO ECHO", "> WONT AUTHENTICATION", "> DONT SGA", "sub \x01", "AYT",
		"> WONT TERMINAL-TYPE", "type", "true", "false", "> DONT ECHO"}
	if !slices.Equal(events, want) {
		t.Errorf("%q, want %q", events, want)
	}
}

func word(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// Write must encode each kind of line end correctly in each relevant state.
func TestWrite(t *testing.T) {
	writers := []struct {
		name     string
		keyboard bool
		set      func(c *Conn)
	}{
		{"printer", false, func(*Conn) {}},
		{"keyboard", true, func(*Conn) {}},
		{"keyboard, CR NUL", true, func(c *Conn) { c.SetEnter(true) }},
		{"binary", true, func(c *Conn) { c.us[Binary] = yes }},
		{"binary offered", true, func(c *Conn) { c.us[Binary] = wantYes }},
		{"binary received", true, func(c *Conn) { c.them[Binary] = yes }},
		{"binary ends", true, func(c *Conn) { c.us[Binary] = wantNo }},
		{"binary, CR NUL", true, func(c *Conn) { c.us[Binary] = yes; c.SetEnter(true) }},
	}
	for _, test := range []struct {
		in   string
		sent [8]string // output of each writer
	}{
		{"a\rb", [8]string{"a\r\x00b", "a\r\nb", "a\r\x00b", "a\rb", "a\r\nb", "a\r\nb", "a\rb", "a\rb"}},
		{"a\r", [8]string{"a\r\x00", "a\r\n", "a\r\x00", "a\r", "a\r\n", "a\r\n", "a\r", "a\r"}},
		{"\r\r", [8]string{"\r\x00\r\x00", "\r\n\r\n", "\r\x00\r\x00", "\r\r", "\r\n\r\n", "\r\n\r\n", "\r\r", "\r\r"}},
		{"a\nb", [8]string{"a\r\nb", "a\r\nb", "a\r\nb", "a\nb", "a\r\nb", "a\r\nb", "a\nb", "a\nb"}},
		{"a\r\nb\r", [8]string{"a\r\nb\r\x00", "a\r\nb\r\n", "a\r\nb\r\x00", "a\r\nb\r", "a\r\nb\r\n", "a\r\nb\r\n", "a\r\nb\r", "a\r\nb\r"}},
		{"a\r\x00b", [8]string{"a\r\x00b", "a\r\x00b", "a\r\x00b", "a\r\x00b", "a\r\x00b", "a\r\x00b", "a\r\x00b", "a\r\x00b"}},
		{"\xffa\xff", [8]string{"\xff\xffa\xff\xff", "\xff\xffa\xff\xff", "\xff\xffa\xff\xff", "\xff\xffa\xff\xff", "\xff\xffa\xff\xff", "\xff\xffa\xff\xff", "\xff\xffa\xff\xff", "\xff\xffa\xff\xff"}},
	} {
		for i, w := range writers {
			s := scripted("")
			c := New(s, &Options{Keyboard: w.keyboard})
			w.set(c)
			if n, err := c.Write([]byte(test.in)); n != len(test.in) || err != nil || s.out.String() != test.sent[i] {
				t.Errorf("%s: %q is sent as %q, %d, %v; want %q", w.name, test.in, s.out.String(), n, err, test.sent[i])
			}
			s.out.Reset()
			if err := c.WriteOctets([]byte("\r\n\xff")); err != nil || s.out.String() != "\r\n\xff\xff" {
				t.Errorf("%s: WriteOctets sends %q, %v", w.name, s.out.String(), err)
			}
		}
	}
	s := scripted("")
	c := New(s, nil)
	if err := errors.Join(c.Sub(TerminalType, []byte("\x00a\xff")), c.Command(BRK), c.WriteRecord([]byte("\r\xff")), c.Ask(true, Echo, true), c.Ask(true, Echo, true)); err != nil {
		t.Error(err)
	}
	if got, want := s.out.String(), "\xff\xfa\x18\x00a\xff\xff\xff\xf0\xff\xf3\r\xff\xff\xff\xef\xff\xfb\x01"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Read must treat records as binary data with the option BINARY, or with TN3270E, which implies
// binary transmission.
func TestReadBinary(t *testing.T) {
	both := []Option{{Code: Binary, Us: true, Them: true}, {Code: TN3270E, Us: true, Them: true}}
	for begin, want := range map[string]string{
		"": "a\rb", "\xff\xfb\x00": "a\r\x00b", "\xff\xfd\x00": "a\rb", "\xff\xfd\x28": "a\r\x00b", "\xff\xfb\x28": "a\r\x00b",
		"\xff\xfd\x28\xff\xfe\x28": "a\rb", "\xff\xfb\x00\xff\xfd\x28\xff\xfe\x28": "a\r\x00b",
	} {
		c := New(scripted(begin+"a\r\x00b\xff\xef"), &Options{Options: both})
		if r, err := readRecord(c); r != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", begin, r, err, want)
		}
	}
}

// Other methods may be called during a Read.
func TestAskWhileReading(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	go io.Copy(io.Discard, near)
	c := New(far, &Options{Options: []Option{{Code: Binary, Them: true}}})
	done := make(chan bool)
	go func() {
		io.Copy(io.Discard, c)
		close(done)
	}()
	for i := range 100 {
		if err := c.Ask(false, Binary, i%2 == 0); err != nil {
			t.Fatal(err)
		}
		if _, err := near.Write([]byte("a\xff\xfb\x00b\xff\xfc\x00\r\x00c")); err != nil {
			t.Fatal(err)
		}
	}
	near.Close()
	<-done
}

// readRecord reads up to the end of a record.
func readRecord(c *Conn) (string, error) {
	var record []byte
	buf := make([]byte, 7)
	for {
		n, end, err := c.Next(buf)
		if record = append(record, buf[:n]...); end || err != nil {
			return string(record), err
		}
	}
}

func TestRecords(t *testing.T) {
	c := New(scripted("one\xff\xef\xff\xeft\xff\xf1w\xff\xffo\xff\xefcut"), nil)
	for _, want := range []string{"one", "", "tw\xffo"} {
		if r, err := readRecord(c); r != want || err != nil {
			t.Errorf("%q, %v; want %q", r, err, want)
		}
	}
	if r, err := readRecord(c); r != "cut" || err != io.EOF {
		t.Errorf("%q, %v", r, err)
	}
}

func TestEndlessNegotiation(t *testing.T) {
	for name, text := range map[string]string{
		"options":         strings.Repeat("\xff\xfd\x01\xff\xfe\x01", maxNegotiations),
		"subnegotiations": strings.Repeat("\xff\xfa\x01\xff\xf0", maxNegotiations+1),
		"lost ends":       strings.Repeat("\xff\xfa\x01", maxLost+2),
		"one":             "\xff\xfa\x01" + strings.Repeat("x", 2*maxEndless),
	} {
		c := New(scripted("ab"+text+"c"), &Options{Options: []Option{{Code: Echo, Us: true}}})
		if data, err := io.ReadAll(c); string(data) != "ab" || !errors.Is(err, ErrEndless) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// A host may request an option at intervals for days, to check that the client is alive.
func TestConnectionStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		go func() {
			for range 3 {
				near.Write([]byte(strings.Repeat("\xff\xfe\x06", maxNegotiations)))
				time.Sleep(2 * negotiationPause)
			}
			near.Write([]byte("still there"))
			near.Close()
		}()
		if data, err := io.ReadAll(New(far, nil)); string(data) != "still there" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
	})
}

// Data that is written before a pending TLS upgrade must be sent over TLS. Meanwhile, Conn must
// not negotiate options.
func TestWriteBeforeTLS(t *testing.T) {
	const follows = "\xff\xfa\x2e\x01\xff\xf0"
	s := scripted("")
	var c *Conn
	c = New(s, &Options{Options: []Option{{Code: Echo, Them: true}, {Code: Binary, Us: true}, {Code: WindowSize, Us: true}, {
		Code: StartTLS, Us: true,
		Changed: func(_, on bool) {
			if on {
				c.SubLast(StartTLS, []byte{1})
			}
		},
		Sub: func([]byte) {
			c.Upgrade(func(plain net.Conn) (net.Conn, error) {
				io.WriteString(plain, "[TLS]")
				return plain, nil
			})
		},
	}}})
	receive := func(text string) {
		t.Helper()
		s.in = strings.NewReader(text)
		c.err = nil
		if data, err := io.ReadAll(c); len(data) > 0 || err != nil {
			t.Errorf("%q, %v", data, err)
		}
	}
	sent := func(want string) {
		t.Helper()
		if got := s.out.String(); got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
		s.out.Reset()
	}
	begin := func() {
		t.Helper()
		receive("\xff\xfd\x2e")
		sent("\xff\xfb\x2e" + follows)
	}
	begin()
	receive("\xff\xfb\x01\xff\xfd\x00\xff\xfd\x1f")
	for _, err := range []error{c.Sub(WindowSize, []byte("size")), c.Ask(false, SGA, true), c.Command(AYT)} {
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := io.WriteString(c, "secret\n\xff"); err != nil {
		t.Error(err)
	}
	if n, err := c.Write(make([]byte, maxHeld)); n > 0 || !errors.Is(err, ErrHeld) {
		t.Errorf("%d, %v", n, err)
	}
	sent("")
	receive(follows + "\xff\xfb\x01")
	sent("[TLS]\xff\xf6secret\r\n\xff\xff\xff\xfd\x01")
	io.WriteString(c, "after")
	sent("after")
	// Data that was buffered for TLS must not be sent in plain text.
	begin()
	io.WriteString(c, "secret")
	s.in = strings.NewReader("\xff\xfe\x2e")
	c.err = nil
	if data, err := io.ReadAll(c); len(data) > 0 || !errors.Is(err, ErrUpgrade) {
		t.Errorf("%q, %v", data, err)
	}
	io.WriteString(c, "secret")
	sent("")
}

// TLS must start after the subnegotiation, with all options disabled.
func TestUpgrade(t *testing.T) {
	ours, theirs, err := certtest.Pair()
	if err != nil {
		t.Fatal(err)
	}
	theirs.ServerName = "localhost"
	near, far := net.Pipe()
	defer far.Close()
	done := make(chan error, 1)
	go func() {
		defer near.Close()
		if _, err := near.Write([]byte("\xff\xfb\x01\xff\xfa\x2e\x01\xff\xf0")); err != nil {
			done <- err
			return
		}
		// Read the answer to WILL ECHO.
		if _, err := io.ReadFull(near, make([]byte, 3)); err != nil {
			done <- err
			return
		}
		over := tls.Server(near, ours)
		if _, err := over.Write([]byte("secret\xff\xfb\x01")); err != nil {
			done <- err
			return
		}
		answer := make([]byte, 3)
		if _, err := io.ReadFull(over, answer); err != nil || string(answer) != "\xff\xfd\x01" {
			done <- errors.New("answer")
			return
		}
		done <- over.Close()
	}()
	var c *Conn
	c = New(far, &Options{Options: []Option{{Code: Echo, Them: true}, {Code: StartTLS, Us: true, Sub: func([]byte) {
		c.Upgrade(func(plain net.Conn) (net.Conn, error) {
			over := tls.Client(plain, theirs)
			return over, over.Handshake()
		})
	}}}})
	data, err := io.ReadAll(c)
	if string(data) != "secret" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	c = New(scripted("\xff\xfa\x2e\x01\xff\xf0after"), &Options{Options: []Option{{Code: StartTLS, Sub: func([]byte) {
		c.Upgrade(func(net.Conn) (net.Conn, error) { return nil, io.ErrUnexpectedEOF })
	}}}})
	if data, err := io.ReadAll(c); len(data) > 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", data, err)
	}
}

func FuzzConn(f *testing.F) {
	for _, stream := range streams {
		f.Add([]byte(stream))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		s := &script{in: bytes.NewReader(stream)}
		c := New(s, &Options{Options: []Option{{Code: Echo, Them: true}, {Code: Binary, Us: true, Them: true}, {Code: TerminalType, Us: true}}})
		data, err := io.ReadAll(c)
		if err != nil && !errors.Is(err, ErrEndless) {
			t.Error(err)
		}
		if len(data) > len(stream) || s.out.Len() > len(stream) {
			t.Errorf("%d octets give %d, and %d in answer", len(stream), len(data), s.out.Len())
		}
	})
}
