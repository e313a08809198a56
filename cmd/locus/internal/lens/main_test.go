package lens_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/scripttest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

func TestScripts(t *testing.T) {
	testscript.Run(t, scripttest.Params(t, "testdata/script"))
}
