package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

const (
	// sessionIdle is how long a session may be without input.
	sessionIdle = 30 * time.Minute
	// sessionTime is how long a session may last.
	sessionTime = 8 * time.Hour
	// maxControl is the maximum size of a control message in bytes. The size of input has no limit,
	// because the gateway reads input only as fast as the service does.
	maxControl = 64 << 10
	// maxWindow is the maximum number of columns, and the maximum number of rows.
	maxWindow = 500
	// reasonTime is how long the gateway waits until a page has received the reason for the
	// end of a session.
	reasonTime = 5 * time.Second
	// subprotocol is the WebSocket subprotocol. Package page documents it.
	subprotocol = "locus.terminal.2"
)

// These errors are the reasons for the end of a session. They appear on the page and in the
// log.
var (
	errLasted  = fmt.Errorf("exceeded the time limit for sessions (%v)", sessionTime)
	errIdle    = fmt.Errorf("no input for %v", sessionIdle)
	errHungUp  = errors.New("the page disconnected")
	errGone    = errors.New("lost the connection to the page")
	errSlow    = fmt.Errorf("the page read no output for %v", writeTime)
	errControl = fmt.Errorf("a control message exceeds %d bytes", maxControl)
	errEnded   = errors.New("the service ended the session")
)

// These errors are the reasons why the gateway can't start a session.
var (
	errClosing error = &problem{http.StatusServiceUnavailable, kindBusy, "the gateway is shutting down"}
	errMany    error = &problem{http.StatusServiceUnavailable, kindBusy, "too many open terminals: close one, or try again later"}
)

// sessions tracks the open terminals and tunnels. When the gateway shuts down, it ends them.
type sessions struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelCauseFunc
	wait   sync.WaitGroup
}

func newSessions() *sessions {
	s := new(sessions)
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// begin returns the context of a new session. The caller must call end. If the gateway is shutting
// down, ok is false.
func (s *sessions) begin() (ctx context.Context, end func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, nil, false
	}
	s.wait.Add(1)
	ctx, stop := context.WithTimeoutCause(s.ctx, sessionTime, errLasted)
	return ctx, func() {
		stop()
		s.wait.Done()
	}, true
}

// endAll ends all sessions.
func (s *sessions) endAll() {
	s.mu.Lock()
	s.cancel(errClosing)
	s.mu.Unlock()
	s.wait.Wait()
}

// serveTerminal connects a session to a WebSocket. Package page documents the protocol. Only a page
// of this gateway may open the WebSocket.
func (g *Gateway) serveTerminal(w *recorder, r *http.Request, values url.Values) error {
	u, err := queryURL(values)
	if err != nil || !g.traits(u).Has(scheme.Interactive) {
		return &problem{http.StatusBadRequest, "syntax", "a terminal needs the URL of an interactive service, such as telnet://host/"}
	}
	w.url = u
	if !isOwnOrigin(r) {
		return &problem{http.StatusForbidden, "denied", "only pages of this gateway may open a terminal"}
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}})
	if err != nil {
		return nil // Accept has sent an error response
	}
	defer conn.CloseNow()
	conn.SetReadLimit(-1)
	t := &terminal{conn: conn, ctx: context.WithoutCancel(r.Context())}
	// A page can't read the HTTP status of a WebSocket. So errors after this point are sent as
	// messages.
	if err := g.runTerminal(w, t, u); err != nil {
		_, kind := w.recordFailure(err)
		w.ended = err.Error()
		t.sendControl("error", shape.Reason{Kind: kind, Message: shape.Text(locus.MaskText(w.ended))})
		code := websocket.StatusInternalError
		switch err {
		case errMany:
			code = websocket.StatusTryAgainLater
		case errClosing:
			code = websocket.StatusGoingAway
		}
		t.conn.Close(code, closeText(locus.MaskText(w.ended)))
	}
	return nil
}

// isOwnOrigin reports whether a page of this gateway sent the request. The caller has checked the
// Host header. The origin may be https, because another proxy with TLS may forward requests to the
// gateway.
func isOwnOrigin(r *http.Request) bool {
	origin := r.Header.Values("Origin")
	if len(origin) != 1 {
		return false
	}
	scheme, host, _ := strings.Cut(origin[0], "://")
	return isWeb(strings.ToLower(scheme)) && strings.EqualFold(host, r.Host)
}

// runTerminal opens the session at u and runs it until the end. If it can't open the session, it
// returns an error.
func (g *Gateway) runTerminal(w *recorder, t *terminal, u locus.URL) (err error) {
	leave, ok := g.limiter.enterSession()
	if !ok {
		return errMany
	}
	defer leave()
	ctx, end, ok := g.sessions.begin()
	if !ok {
		return errClosing
	}
	defer end()
	t.ctx = ctx
	g.metrics.terminals.Inc()
	result, left, err := g.openURL(ctx, access.Request{URL: u})
	if err != nil {
		return err
	}
	defer left()
	defer result.Resource.Close()
	if t.session, ok = result.Resource.(*scheme.Session); !ok {
		return fmt.Errorf("%w: this URL does not open a terminal session", scheme.ErrUnsupported)
	}
	t.keys = newKeyboard(t.session.Conn, t.echo)
	reason := t.run()
	w.ended = reason.Error()
	if !isOrderly(reason) {
		w.broken = reason
	}
	w.octets += t.shown
	return nil
}

// isOrderly reports whether the session ended without a failure, as reason describes.
func isOrderly(reason error) bool {
	return slices.Contains([]error{errEnded, errHungUp, errIdle, errLasted, errClosing}, reason)
}

// terminal is a session that a page shows.
type terminal struct {
	conn    *websocket.Conn
	ctx     context.Context
	session *scheme.Session
	keys    *keyboard
	shown   int64
	slow    atomic.Bool // a write to the page has timed out

	changed chan struct{}
}

// closeText shortens text to the maximum size of a close frame (RFC 6455 section 5.5).
func closeText(text string) string {
	const most = 123
	if text = term.Text(text); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// run copies data in both directions until one side ends. It returns the reason for the end.
func (t *terminal) run() (reason error) {
	service := t.session.Conn
	t.changed = make(chan struct{}, 1)
	t.sendControl("advice", map[string]shape.Text{"user": shape.Text(t.session.User), "password": shape.Text(t.session.Password)})
	t.sendControl("commands", append([]string{}, service.Commands()...))
	t.sendControl("keys", keysOf(service))
	t.sendStatus()
	service.OnChange(func() {
		select {
		case t.changed <- struct{}{}:
		default:
		}
	})
	defer service.OnChange(nil)
	ctx, cancel := context.WithCancelCause(t.ctx)
	stop := context.AfterFunc(ctx, func() { service.Close() })
	// If the context of a read is cancelled, the connection closes before the page receives the
	// reason. So reads have their own context.
	reading, endReading := context.WithCancel(context.WithoutCancel(t.ctx))
	idle := time.AfterFunc(sessionIdle, func() { cancel(errIdle) })
	defer idle.Stop()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			err := t.message(reading)
			if err != nil {
				cancel(err)
				return
			}
			idle.Reset(sessionIdle)
		}
	})
	wg.Go(func() {
		for {
			select {
			case <-t.changed:
				t.sendStatus()
				if err := t.keys.echoChanged(); err != nil {
					cancel(err)
				}
			case <-ctx.Done():
				return
			}
		}
	})
	reason = t.sendOutput()
	if ctx.Err() != nil {
		// The service was closed because ctx has ended.
		reason = context.Cause(ctx)
	}
	if reason == errGone && t.slow.Load() {
		reason = errSlow
	}
	text := locus.MaskText(reason.Error())
	t.sendControl("end", shape.Text(text))
	code := websocket.StatusNormalClosure
	if !isOrderly(reason) {
		code = websocket.StatusInternalError
	}
	t.conn.Close(code, closeText(text))
	cancel(nil)
	endReading()
	wg.Wait()
	stop()
	return reason
}

// keyJSON describes a terminal key for the page.
type keyJSON struct {
	Label string `json:"label"`
	Input string `json:"input"`
}

// keysOf returns the keys that the page shows as buttons. If the terminal defines its own keys,
// keysOf returns these keys. Otherwise it returns keys that phones lack.
func keysOf(service scheme.Terminal) (list []keyJSON) {
	keys := []scheme.Key{{Label: "Enter", Input: "\r"}, {Label: "Tab", Input: "\t"}, {Label: "Esc", Input: "\x1b"}, {Label: "Ctrl+C", Input: "\x03"},
		{Label: "Ctrl+D", Input: "\x04"}, {Label: "Ctrl+Z", Input: "\x1a"}, {Label: "Home", Input: "\x1b[H"}, {Label: "End", Input: "\x1b[F"},
		{Label: "↑", Input: "\x1b[A"}, {Label: "↓", Input: "\x1b[B"}, {Label: "←", Input: "\x1b[D"}, {Label: "→", Input: "\x1b[C"}}
	if k, ok := service.(scheme.KeyTerminal); ok {
		keys = k.Keys()
	}
	for _, k := range keys {
		list = append(list, keyJSON(k))
	}
	return list
}

// sendOutput sends the filtered output of the service to the page until the service or the page
// fails or ends. It returns the reason for the end. If the page reads slowly, the service waits.
func (t *terminal) sendOutput() error {
	filter := term.Filter{Level: term.BothScreens}
	in, out := make([]byte, 4<<10), make([]byte, 0, 8<<10)
	for {
		n, err := t.session.Conn.Read(in)
		if out = filter.Append(out[:0], in[:n]); len(out) > 0 {
			if err := t.write(websocket.MessageBinary, out); err != nil {
				return err
			}
			t.shown += int64(len(out))
		}
		switch {
		case err == io.EOF:
			return errEnded
		case err != nil:
			return err
		}
	}
}

// write sends a message to the page.
func (t *terminal) write(kind websocket.MessageType, text []byte) error {
	// If the context of a write is cancelled, the connection closes before the page receives the
	// reason. So a running write may take reasonTime longer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), writeTime)
	defer cancel()
	stop := context.AfterFunc(t.ctx, func() { time.AfterFunc(reasonTime, cancel) })
	defer stop()
	if t.conn.Write(ctx, kind, text) == nil {
		return nil
	}
	if ctx.Err() != nil && t.ctx.Err() == nil {
		t.slow.Store(true)
	}
	return errGone
}

// echo sends edited input back to the page. It ignores an error, because the next read from the
// page fails too.
func (t *terminal) echo(text []byte) { _ = t.write(websocket.MessageBinary, text) }

// message handles one message, which is input or a control message. It reads input in pieces, so
// that the page waits if the service is slow.
func (t *terminal) message(ctx context.Context) error {
	kind, r, err := t.conn.Reader(ctx)
	if err != nil {
		return endReason(err)
	}
	if kind == websocket.MessageBinary {
		return readPieces(pageReader{r}, t.keys.handleInput)
	}
	data, err := io.ReadAll(io.LimitReader(pageReader{r}, maxControl+1))
	if err == nil && len(data) > maxControl {
		err = errControl
	}
	if err == nil {
		t.command(data)
	}
	return err
}

// pageReader reads a message from the page. It converts errors with endReason.
type pageReader struct{ io.Reader }

func (r pageReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = endReason(err)
	}
	return n, err
}

// endReason converts an error of the page's connection into the reason for the end of the session.
func endReason(err error) error {
	switch code := websocket.CloseStatus(err); code {
	case -1:
		return errGone
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return errHungUp
	default:
		return fmt.Errorf("the page closed the connection with status %d", code)
	}
}

// command handles a control message. It ignores an unknown message.
func (t *terminal) command(data []byte) {
	var m struct {
		Window  []int  `json:"window"`
		Command string `json:"command"`
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	// A service may ignore the window size.
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

// sendStatus sends the echo state and the status of the service.
func (t *terminal) sendStatus() {
	t.sendControl("echo", t.session.Conn.Echoes())
	type entry struct {
		Name  string     `json:"name"`
		Value shape.Text `json:"value"`
	}
	list := []entry{}
	for _, f := range t.session.Conn.Status() {
		list = append(list, entry{f.Name, shape.Text(fmt.Sprint(f.Value))})
	}
	t.sendControl("status", list)
}

// sendControl sends a control message. It ignores an error, because the next read from the page
// fails too.
func (t *terminal) sendControl(key string, value any) {
	if text, err := json.Marshal(map[string]any{key: value}); err == nil {
		_ = t.write(websocket.MessageText, text)
	}
}
