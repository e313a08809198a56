package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
)

// stopTime is how long requests in progress may take after SIGTERM.
const stopTime = 10 * time.Second

// running is a running gateway, with the settings that it uses.
type running struct {
	*settings
	close  func()         // closes the client of settings
	former sync.WaitGroup // counts former settings with an open client
	ended  chan struct{}  // closed when the gateway has ended
}

// end closes the clients of the current and the former settings.
func (r *running) end() {
	close(r.ended)
	r.former.Wait()
	r.close()
}

// serve serves g until a signal ends the run.
func (r *running) serve(g *gateway.Gateway) error {
	a := r.gatewayCommand.app
	listeners, err := r.listen()
	if err != nil {
		a.Fail(base.StatusAccess, err)
		return nil
	}
	var hangups <-chan os.Signal
	if r.flags != nil {
		c, end := a.Hangups()
		defer end()
		hangups = c
	}
	server := gateway.NewServer(g, &gateway.ServerOptions{ErrorLog: r.log})
	served := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { served <- server.Serve(l) }()
	}
	for _, l := range listeners {
		r.announce(l)
	}
	r.notify(daemon.SdNotifyReady)
	running := len(listeners)
	for stopped := false; !stopped; {
		select {
		case <-hangups:
			r.reload(server)
		case err = <-served:
			running, stopped = running-1, true
		case <-a.Context.Done():
			var s base.SignalError
			a.Stopped = errors.As(context.Cause(a.Context), &s) && s.Signal == syscall.SIGTERM
			stopped = true
		}
	}
	r.notify(daemon.SdNotifyStopping)
	a.Note("shutting down: requests in progress may take %v", stopTime)
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	server.Shutdown(ctx) // on timeout, clients with unfinished responses notice the end of the connection
	for range running {
		err = errors.Join(err, <-served)
	}
	if err != nil {
		a.Fail(base.StatusAccess, err)
	}
	return nil
}

// announce writes the address of the listener l to standard output.
func (r *running) announce(l net.Listener) {
	a := r.gatewayCommand.app
	where := "http://" + l.Addr().String() + "/"
	if l.Addr().Network() == "unix" {
		where = "unix:" + l.Addr().String()
	}
	if a.Flags.JSON {
		a.WriteJSON(struct {
			URL shape.Text `json:"url"`
		}{shape.Text(where)})
	} else {
		fmt.Fprintln(a.Out, where)
	}
	a.Out.Flush()
}

// notify reports the state of the service to systemd, if systemd started it.
func (r *running) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		r.gatewayCommand.app.Note("systemd: %v", err)
	}
}

// reload reads the configuration again. If the configuration contains no mistakes, new requests use
// the new settings. Otherwise the former settings stay in use.
func (r *running) reload(server *gateway.Server) {
	a := r.gatewayCommand.app
	r.notify(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
	defer r.notify(daemon.SdNotifyReady)
	app, report, err := a.Reread(r.flags)
	s := r.gatewayCommand.settings(app)
	problems := newChecker(s, report, err).problems
	if len(problems) == 0 {
		fixed := s.keepFixed(r.settings)
		if err = r.replace(server, s); err == nil {
			if len(fixed) > 0 {
				a.Note("reload: these settings change only after a restart: %s", strings.Join(fixed, ", "))
			}
			a.Note("reload: the new configuration is in use")
			return
		}
		a.PrintError("reload: " + base.Message(err))
	}
	for _, p := range problems {
		a.PrintError("reload: " + mistakeText(p))
	}
	a.PrintError("reload: the former configuration stays in use")
}

// replace makes the server use the settings s. It closes the former client when no request uses
// that client.
func (r *running) replace(server *gateway.Server, s *settings) error {
	opener, options, closeAll, err := s.open()
	if err != nil {
		return err
	}
	unused := make(chan struct{})
	if err := server.Reload(opener, options, func() { close(unused) }); err != nil {
		closeAll()
		return err
	}
	s.limitMemory()
	closeFormer := r.close
	r.former.Go(func() {
		select {
		case <-unused:
		case <-r.ended:
		}
		closeFormer()
	})
	r.settings, r.close = s, closeAll
	return nil
}

// open returns the client and the options for the settings s. If only a restart can change a value,
// the value comes from the former settings.
func (s *settings) open() (opener *access.Client, o *gateway.Options, closeAll func(), err error) {
	registry, rules, err := s.rules()
	if err != nil {
		return nil, nil, nil, err
	}
	opener, closeAll, err = s.client(registry, rules)
	if err != nil {
		return nil, nil, nil, err
	}
	if o, err = s.options(opener); err != nil {
		closeAll()
		return nil, nil, nil, err
	}
	s.share(o, opener)
	return opener, o, closeAll, nil
}
