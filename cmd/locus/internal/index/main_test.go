package index_test

import (
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
