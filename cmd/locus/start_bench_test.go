package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
)

// BenchmarkParse runs "locus parse http://h/" from the creation of the subcommand to the result.
// This is a whole run without the start of the process.
func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		a := base.New(context.Background(), strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" })
		if status := commands.Run(a, []string{"parse", "http://h/"}); status != base.StatusDone {
			b.Fatalf("status %d", status)
		}
	}
}
