package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// After the detection of a damaged input file, the job publishes nothing, even if the runner
// continues with other parts of the job.
func TestNothingIsPublishedAfterDamage(t *testing.T) {
	folder := t.TempDir()
	o := Output{Prefix: filepath.Join(folder, "out"), Format: FormatText, Job: "x", Pipeline: Unique}
	ctx := context.Background()
	if err := o.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	if err := o.failed(ctx, Source{Path: "a"}, errors.New("a read error")); err == nil {
		t.Error("an error is lost")
	}
	if err := o.failed(ctx, Source{Path: "a"}, &damageError{errors.New("cut")}); err == nil || err.Error() != `"a": cut` {
		t.Errorf("the error of a damaged file is %v", err)
	}
	publish := publishFn{o}
	if err := publish.ProcessElement(ctx, 0, func(*string) bool { return false }); err == nil {
		t.Error("publish has no error")
	}
	if names, _ := filepath.Glob(filepath.Join(folder, "out*")); len(names) > 0 {
		t.Errorf("published: %q", names)
	}
	if err := o.Clean(ctx); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	// A read error alone does not prevent publishing, because the runner may retry.
	if err := errors.Join(o.Begin(ctx), publish.ProcessElement(ctx, 0, func(*string) bool { return false })); err != nil {
		t.Error(err)
	}
}
