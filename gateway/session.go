package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

const (
	// sessionIdle is how long a person may type nothing.
	sessionIdle = 30 * time.Minute
	// sessionTime is how long a session may last.
	sessionTime = 8 * time.Hour
	// maxFrame is how many octets a person may send at once.
	maxFrame = 64 << 10
	// maxWindow is how many columns or rows a window may have.
	maxWindow = 500
	// subprotocol is the name of what is spoken: see package page.
	subprotocol = "locus.terminal"
)

// sessions are the terminals and tunnels that are open. They end with the gateway.
type sessions struct {
	mu     sync.Mutex
	closed bool
	open   map[context.Context]context.CancelFunc
	wait   sync.WaitGroup
}

// begin ties a session to the gateway until end. ok is false if that ends already.
func (s *sessions) begin(ctx context.Context) (tied context.Context, end func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, sessionTime)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		cancel()
		return nil, nil, false
	}
	if s.open == nil {
		s.open = make(map[context.Context]context.CancelFunc)
	}
	s.open[ctx] = cancel
	s.wait.Add(1)
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, ctx)
		s.wait.Done()
	}, true
}

// close ends all sessions.
func (s *sessions) close() {
	s.mu.Lock()
	s.closed = true
	for _, cancel := range s.open {
		cancel()
	}
	s.mu.Unlock()
	s.wait.Wait()
}

// serveTerminal bridges a session and a WebSocket, in the protocol that package page
// writes down. Only a page of this gateway may ask for it.
func (g *Gateway) serveTerminal(w *recorder, r *http.Request, values url.Values) {
	u, err := asked(values)
	if err != nil || !isSession(u.Scheme()) {
		g.fail(w, r, http.StatusBadRequest, "syntax", "a terminal is for URLs of telnet, rlogin and tn3270")
		return
	}
	w.url = u
	if r.Header.Get("Origin") == "" {
		g.fail(w, r, http.StatusForbidden, "denied", "only a page of this gateway opens a terminal")
		return
	}
	leave, ok := g.limiter.enterSession()
	if !ok {
		w.Header().Set("Retry-After", "60")
		g.fail(w, r, http.StatusServiceUnavailable, "busy", "as many terminals as may be are open")
		return
	}
	defer leave()
	ctx, end, ok := g.sessions.begin(context.WithoutCancel(r.Context()))
	if !ok {
		g.fail(w, r, http.StatusServiceUnavailable, "busy", "the gateway ends")
		return
	}
	defer end()
	// Accept refuses an Origin that is not the Host, which was looked at before.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}})
	if err != nil {
		return // it has answered
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxFrame)
	t := &terminal{conn: conn, ctx: ctx}
	result, left, err := g.open(ctx, access.Request{URL: u})
	if err != nil {
		w.failure = access.KindOf(err)
		t.tell("error", shape.NewReason(err))
		conn.Close(websocket.StatusInternalError, string(w.failure))
		return
	}
	defer left()
	defer result.Resource.Close()
	session, ok := result.Resource.(*scheme.Session)
	if !ok {
		t.tell("error", shape.Reason{Kind: access.Unsupported, Message: "it is no session"})
		conn.Close(websocket.StatusInternalError, "no session")
		return
	}
	t.session = session
	w.broken = t.run()
	w.octets += t.shown
}

// terminal is one session in a page.
type terminal struct {
	conn    *websocket.Conn
	ctx     context.Context
	session *scheme.Session
	shown   int64

	changed chan struct{}
}

// run bridges until one side ends.
func (t *terminal) run() error {
	service := t.session.Conn
	t.changed = make(chan struct{}, 1)
	t.tell("advice", map[string]shape.Text{"user": shape.Text(t.session.User), "password": shape.Text(t.session.Password)})
	t.tell("commands", append([]string{}, service.Commands()...))
	t.told()
	service.OnChange(func() {
		select {
		case t.changed <- struct{}{}:
		default:
		}
	})
	defer service.OnChange(nil)
	ctx, cancel := context.WithCancelCause(t.ctx)
	stop := context.AfterFunc(ctx, func() { service.Close() })
	var wg sync.WaitGroup
	wg.Go(func() { cancel(t.typed(ctx)) })
	wg.Go(func() {
		for {
			select {
			case <-t.changed:
				t.told()
			case <-ctx.Done():
				return
			}
		}
	})
	err := t.show()
	end := "the service has ended the session"
	switch {
	case t.ctx.Err() != nil:
		end = "the session has lasted as long as it may, or the gateway ends"
	case errors.Is(context.Cause(ctx), errIdle):
		end = "nothing was typed for a long time"
	case err != nil:
		end = locus.MaskText(err.Error())
	}
	t.tell("end", shape.Text(end))
	t.conn.Close(websocket.StatusNormalClosure, "")
	cancel(nil)
	wg.Wait()
	stop()
	return err
}

// show passes on what the service shows, as far as a stranger may tell a terminal.
// A page that reads slowly has the service wait.
func (t *terminal) show() error {
	var filter term.Filter
	in, out := make([]byte, 4<<10), make([]byte, 0, 8<<10)
	for {
		n, err := t.session.Conn.Read(in)
		if out = filter.Append(out[:0], in[:n]); len(out) > 0 {
			ctx, cancel := context.WithTimeout(t.ctx, writeTime)
			sent := t.conn.Write(ctx, websocket.MessageBinary, out)
			cancel()
			if sent != nil {
				return nil // the person is gone
			}
			t.shown += int64(len(out))
		}
		switch {
		case err == io.EOF || t.ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
	}
}

var errIdle = errors.New("gateway: nothing was typed")

// typed passes on what the person types and wants, until the page is closed.
func (t *terminal) typed(ctx context.Context) error {
	for {
		wait, cancel := context.WithTimeout(ctx, sessionIdle)
		kind, data, err := t.conn.Read(wait)
		idle := wait.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case idle:
			return errIdle
		case err != nil:
			return nil
		case kind == websocket.MessageText:
			t.command(data)
		default:
			if _, err := t.session.Conn.Write(data); err != nil {
				return err
			}
		}
	}
}

// command obeys a message. What it does not know it passes over.
func (t *terminal) command(data []byte) {
	var m struct {
		Window  []int  `json:"window"`
		Command string `json:"command"`
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	// What the service does not want to know changes nothing.
	if w := m.Window; len(w) == 2 && w[0] > 0 && w[1] > 0 && w[0] <= maxWindow && w[1] <= maxWindow {
		_ = t.session.Conn.SetWindow(w[0], w[1])
	}
	if m.Command != "" {
		for _, known := range t.session.Conn.Commands() {
			if known == m.Command {
				_ = t.session.Conn.Command(known)
			}
		}
	}
}

// told tells how the session stands.
func (t *terminal) told() {
	t.tell("echo", t.session.Conn.Echoes())
	type entry struct {
		Name  string     `json:"name"`
		Value shape.Text `json:"value"`
	}
	list := []entry{}
	for _, f := range t.session.Conn.Status() {
		list = append(list, entry{f.Name, shape.Text(fmt.Sprint(f.Value))})
	}
	t.tell("status", list)
}

// tell sends a message with one key.
func (t *terminal) tell(key string, value any) {
	text, err := json.Marshal(map[string]any{key: value})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(t.ctx, writeTime)
	defer cancel()
	// A page that is gone shows that in what is read from it.
	_ = t.conn.Write(ctx, websocket.MessageText, text)
}
