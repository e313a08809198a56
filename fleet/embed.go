package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/locus-url/locus/internal/filelock"
)

// Embedded is a NATS JetStream server in this process. It listens on no port.
type Embedded struct {
	server *server.Server
	lock   *os.File
	dir    string
}

// startTime limits the start of a server, which reads its stored data.
const startTime = 10 * time.Minute

// ErrBusy is the error of [Embed] if another process uses the directory.
var ErrBusy = errors.New("another process uses this directory")

// Embed starts a server that stores its data below dir. The caller must call [Embedded.Close].
func Embed(dir string) (*Embedded, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Try(lock); err != nil {
		lock.Close()
		if errors.Is(err, filelock.ErrLocked) {
			err = ErrBusy
		}
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "locus-fleet", DontListen: true, JetStream: true, StoreDir: dir,
		NoSigs: true, NoLog: true, MaxPayload: maxMessage,
	})
	if err != nil {
		lock.Close()
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		lock.Close()
		return nil, errors.New("the embedded NATS server did not start in time")
	}
	return &Embedded{s, lock, dir}, nil
}

// Connect returns a connection to the server.
func (e *Embedded) Connect(options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("", append(options, nats.InProcessServer(e.server))...)
}

// Close stops the server. All acknowledged messages are on disk.
func (e *Embedded) Close() error {
	e.server.Shutdown()
	e.server.WaitForShutdown()
	// The server renames the directory of a deleted stream. It may not have removed that directory
	// yet.
	deleted, err := filepath.Glob(filepath.Join(e.dir, "jetstream", "*", "streams", ".*"))
	for _, name := range deleted {
		err = errors.Join(err, os.RemoveAll(name))
	}
	return errors.Join(err, e.lock.Close())
}
