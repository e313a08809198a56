package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// TestMain initializes the SDK before a pipeline is built.
func TestMain(m *testing.M) {
	beam.Init()
	os.Exit(m.Run())
}

// TestLift reads the sizes of the collections from the runner. With lifted combiners, each bundle
// sends a key only once.
func TestLift(t *testing.T) {
	const records = 4000
	folder := t.TempDir()
	name := filepath.Join(folder, "list")
	if err := os.WriteFile(name, []byte(strings.Repeat("http://h/\nhttp://o/\n", records/2)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, noLift := range []bool{false, true} {
		o, err := Options{Input: []string{name}, Output: filepath.Join(folder, "out"), NoLift: noLift}.Checked()
		if err != nil {
			t.Fatal(err)
		}
		p, _ := Build(o)
		result, err := beam.Run(context.Background(), "prism", p)
		if err != nil {
			t.Fatal(err)
		}
		var most int64
		for _, collection := range result.Metrics().AllMetrics().PCols() {
			most = max(most, collection.Result().ElementCount)
		}
		if most > 10 != noLift || noLift && most < records/4 {
			t.Errorf("without lifting %t: a collection of %d elements", noLift, most)
		}
	}
}
