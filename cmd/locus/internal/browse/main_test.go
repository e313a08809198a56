package browse_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/scripttest"
	"github.com/locus-url/locus/internal/dev/faults"
)

func TestMain(m *testing.M) {
	if faults.IsChild() {
		os.Exit(m.Run())
	}
	commandtest.Main(m)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, scripttest.Params(t, "testdata/script"))
}
