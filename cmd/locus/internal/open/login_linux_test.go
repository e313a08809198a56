package open_test

import (
	"os"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/clitest"
)

func terminalLogin(t *testing.T) (l *client.Login, person *os.File, name string) {
	person, name = clitest.NewTTY(t)
	return client.NewLogin(&base.App{ErrTTY: true, Getenv: clitest.NoEnv, OpenTerminal: clitest.OpenTTY(name)}), person, name
}
