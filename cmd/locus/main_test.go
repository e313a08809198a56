package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test the program "locus" as well, which the scripts run.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"locus": func() { os.Exit(mainStatus()) }})
}
