package servetest

import (
	"slices"
	"sync"
)

// Commands records the commands that a server received on each connection. It is safe for
// concurrent use.
type Commands struct {
	mu   sync.Mutex
	list [][]string
}

// Begin adds a connection and returns a function that records a command on this connection.
func (l *Commands) Begin() (add func(command string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.list)
	l.list = append(l.list, []string{})
	return func(command string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.list[n] = append(l.list[n], command)
	}
}

// Log returns the commands of each connection. The connections are in the order of the calls of
// Begin.
func (l *Commands) Log() [][]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([][]string, len(l.list))
	for i, commands := range l.list {
		list[i] = slices.Clone(commands)
	}
	return list
}
