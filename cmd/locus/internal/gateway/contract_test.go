package gateway

import (
	"reflect"
	"testing"

	"github.com/locus-url/locus/internal/command/clitest"
)

func TestContract(t *testing.T) {
	clitest.CheckContract(t, "../../../../docs/contract.md", "locus gateway --check-config --json", reflect.TypeFor[mistakeJSON]())
}
