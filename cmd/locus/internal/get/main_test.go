package get_test

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/scripttest"
)

func TestMain(m *testing.M) {
	// Many parallel tests of this package wait for silent hosts and use no processor time.
	flag.Set("test.parallel", "16")
	commandtest.Main(m)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, scripttest.Params(t, "testdata/script"))
}
