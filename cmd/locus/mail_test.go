package main

import (
	"context"
	"testing"
)

func TestIndexInterrupted(t *testing.T) {
	a, s := mailApp(t, 1, 0)
	path := a.config.Mail.Stores[0]
	env := a.env
	a.env = func(name string) string {
		return map[string]string{"LOCUS_MAIL_STORES": path, "LOCUS_MAIL_CACHE": t.TempDir()}[name] + env(name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.ctx = ctx
	if status := runArgs(a, []string{"index"}); status != statusInterrupted {
		t.Errorf("status %d, %s", status, s.String())
	}
}
