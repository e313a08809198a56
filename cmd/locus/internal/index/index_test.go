package index_test

import (
	"context"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

func TestIndexInterrupted(t *testing.T) {
	a, s := clitest.MailApp(t, 1, 0)
	path := a.Config.Mail.Stores[0]
	env := a.Getenv
	a.Getenv = func(name string) string {
		return map[string]string{"LOCUS_MAIL_STORES": path, "LOCUS_MAIL_CACHE": t.TempDir()}[name] + env(name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.Context = ctx
	if status := commands.Run(a, []string{"index"}); status != base.StatusInterrupted {
		t.Errorf("status %d, %s, want status %d", status, s.String(), base.StatusInterrupted)
	}
}
