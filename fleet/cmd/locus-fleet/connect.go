package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/fleet"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
)

// server is a connection to NATS servers or to an embedded server.
type server struct {
	nc       *nats.Conn
	embedded *fleet.Embedded // nil for a connection to other servers
	release  func()          // releases other resources of the connection
}

func (s *server) close() error {
	s.nc.Close()
	if s.embedded == nil {
		s.release()
		return nil
	}
	return s.embedded.Close()
}

// accessError is an access error, as opposed to a usage error.
type accessError struct{ error }

func (e accessError) Unwrap() error { return e.error }

// run calls action. If the error is an access error, run sets the exit status and returns nil.
// Otherwise it returns the error.
func (c *command) run(ctx context.Context, action func(context.Context) error) error {
	err := action(ctx)
	if failure := (accessError{}); errors.As(err, &failure) {
		if ctx.Err() == nil {
			c.a.Fail(base.StatusAccess, err)
		}
		return nil
	}
	return err
}

// connect connects to the configured servers. If there are none, it starts an embedded server.
func (c *command) connect(ctx context.Context) (*server, error) {
	text := c.setting(c.url, c.a.Config.Fleet.NATS)
	if text == "" {
		return c.embed()
	}
	servers, err := parseServers(text)
	if err != nil {
		return nil, err
	}
	options, err := c.natsOptions()
	if err != nil {
		return nil, err
	}
	return await(ctx, c, func() (*server, error) {
		nc, end, err := dialNATS(ctx, servers, options)
		if err != nil {
			return nil, accessError{err}
		}
		return &server{nc: nc, release: end}, nil
	})
}

func (c *command) embed() (*server, error) {
	dir, err := c.storeFolder()
	if err != nil {
		return nil, err
	}
	e, err := fleet.Embed(dir)
	switch {
	case errors.Is(err, fleet.ErrBusy):
		err = fmt.Errorf("%w: wait until it ends, or choose another directory with --store; a run with --ui shows its progress on a page", err)
	case errors.As(err, new(*fs.PathError)):
		err = fmt.Errorf("%w: choose another directory with --store", err)
	}
	if err != nil {
		return nil, accessError{err}
	}
	nc, err := e.Connect()
	if err != nil {
		return nil, accessError{errors.Join(err, e.Close())}
	}
	return &server{nc: nc, embedded: e}, nil
}

// setting returns the value of a flag. If the flag is not set, setting returns the configured
// value.
func (c *command) setting(flag, configured string) string { return cmp.Or(flag, configured) }

func (c *command) natsOptions() (list []nats.Option, err error) {
	f := &c.a.Config.Fleet
	list = append(list, nats.Name("locus-fleet"), nats.Timeout(natsTime), nats.MaxReconnects(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.note("lost the connection to the NATS server, reconnecting: %v", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { c.note("reconnected to the NATS server") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				c.denied.Store(true)
			}
			c.note("the NATS server: %v", err)
		}),
	)
	add := func(flag, name, what string, option nats.Option) {
		list = append(list, option)
		err = cmp.Or(err, checkFile(flag, name, what, option))
	}
	if name := c.a.ExpandHome(c.setting(c.creds, f.Creds)); name != "" {
		add("--creds", name, "a JWT and a seed", nats.UserCredentials(name))
	}
	if name := c.a.ExpandHome(c.setting(c.tlsCA, f.TLSCA)); name != "" {
		add("--tls-ca", name, "certificates", nats.RootCAs(name))
	}
	cert, key := c.a.ExpandHome(c.setting(c.tlsCert, f.TLSCert)), c.a.ExpandHome(c.setting(c.tlsKey, f.TLSKey))
	if (cert == "") != (key == "") {
		return nil, errors.New("--tls-cert and --tls-key must be used together")
	}
	if cert != "" {
		add("--tls-cert", cert, "a certificate for the key of --tls-key", nats.ClientCert(cert, key))
	}
	return list, err
}

func (c *command) storeFolder() (string, error) {
	if dir := c.setting(c.store, c.a.Config.Fleet.Store); dir != "" {
		return c.a.ExpandHome(dir), nil
	}
	dir, reason := c.a.CacheFolder()
	if dir == "" {
		return "", fmt.Errorf("%s: choose a directory with --store", reason)
	}
	return filepath.Join(dir, "fleet"), nil
}

// note writes a note, unless the last note had the same text.
func (c *command) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.mu.Lock()
	wanted := text != c.lastNote && (c.forceNotes || !c.a.Flags.Quiet)
	c.lastNote = text
	c.mu.Unlock()
	if wanted {
		c.a.PrintError(text)
	}
}

// writeJSON writes v to standard output as one line that is safe for a terminal. The value comes
// from a stream, so its text is untrusted.
func (c *command) writeJSON(v any) {
	var b bytes.Buffer
	// A write to a buffer does not fail, and a decoded value can be encoded.
	_ = shape.Write(&b, v)
	// The writer records output errors.
	_, _ = c.a.Out.Write(append(shape.Escape(b.Bytes()), '\n'))
}

func (c *command) name() string { return cmp.Or(c.frontier, c.a.Config.Fleet.Frontier, "default") }

// openFrontier connects to the server and opens the frontier with the given name. If the frontier
// does not exist, openFrontier creates it with the settings s.
func (c *command) openFrontier(ctx context.Context, name string, s fleet.Settings) (*fleet.Frontier, func() error, error) {
	srv, err := c.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	f, err := await(ctx, c, func() (*fleet.Frontier, error) {
		f, err := fleet.OpenFrontier(ctx, srv.nc, name, s)
		if err == nil && srv.embedded != nil {
			// The lock of the directory excludes workers in other processes.
			err = f.ForgetLeases(ctx)
		}
		return f, c.explain(name, err)
	})
	if err != nil {
		return nil, nil, errors.Join(err, srv.close())
	}
	return f, srv.close, nil
}

// explain adds advice to err, and marks an error from the server as an access error. If err is nil,
// explain returns nil.
func (c *command) explain(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fleet.ErrName), errors.Is(err, fleet.ErrSettings):
		return err
	case errors.Is(err, context.DeadlineExceeded) && c.denied.Load():
		err = fmt.Errorf("the NATS server denies this user access to the frontier %s: an administrator can create it with \"locus-fleet create\"", name)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		err = fmt.Errorf("the NATS server has no JetStream for this user: %w", err)
	case fleet.Unavailable(err) != "":
		err = temporaryError{fmt.Errorf("the NATS server %s", fleet.Unavailable(err))}
	}
	return accessError{err}
}

// withFrontier connects to the server and calls action with the frontier, which must exist.
func (c *command) withFrontier(ctx context.Context, action func(context.Context, *fleet.Frontier) error) error {
	return c.run(ctx, func(ctx context.Context) error {
		srv, err := c.connect(ctx)
		if err != nil {
			return err
		}
		f, err := await(ctx, c, func() (*fleet.Frontier, error) { return c.findFrontier(ctx, srv) })
		if err == nil {
			err = c.explain(c.name(), action(ctx, f))
		}
		return errors.Join(err, srv.close())
	})
}

// findFrontier opens the frontier, which must exist.
func (c *command) findFrontier(ctx context.Context, srv *server) (*fleet.Frontier, error) {
	f, err := fleet.FindFrontier(ctx, srv.nc, c.name())
	if !errors.Is(err, fleet.ErrNoFrontier) {
		return f, c.explain(c.name(), err)
	}
	names, listErr := fleet.Frontiers(ctx, srv.nc)
	text := "no frontier exists yet; create one with \"locus-fleet submit\""
	if len(names) > 0 {
		text = "choose one of " + strings.Join(names, ", ")
	}
	if listErr != nil {
		text = fmt.Sprintf("the existing frontiers can't be listed: %v", c.explain(c.name(), listErr))
	}
	return nil, accessError{fmt.Errorf("no frontier %s; %s", locus.Quote(c.name()), text)}
}
