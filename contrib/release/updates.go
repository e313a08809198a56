package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// updatesTime is how long the proxy may take to tell of newer versions.
const updatesTime = 2 * time.Minute

// reportUpdates prints which modules have newer versions. It is a report, not a check: a
// module proxy that gives no answer is a line of it.
func reportUpdates(ctx context.Context, out io.Writer, o options) error {
	ctx, cancel := context.WithTimeout(ctx, updatesTime)
	defer cancel()
	list, err := command(ctx, o.source, buildEnv(host), "go", "list", "-m", "-u", "-e", "-json=Path,Version,Update,Deprecated,Retracted,Error", "all")
	if err != nil {
		fmt.Fprintf(out, "newer versions are not known: %v\n", err)
		return nil
	}
	count := 0
	for d := json.NewDecoder(bytes.NewReader(list)); d.More(); {
		var m struct {
			Path, Version, Deprecated string
			Retracted                 []string
			Update                    *struct{ Version string }
			Error                     *struct{ Err string }
		}
		if err := d.Decode(&m); err != nil {
			return err
		}
		switch {
		case m.Error != nil:
			fmt.Fprintf(out, "%s %s: %s\n", m.Path, m.Version, m.Error.Err)
		case len(m.Retracted) > 0:
			fmt.Fprintf(out, "%s %s is retracted: %q\n", m.Path, m.Version, m.Retracted)
		case m.Deprecated != "":
			fmt.Fprintf(out, "%s %s is deprecated: %q\n", m.Path, m.Version, m.Deprecated)
		case m.Update != nil:
			fmt.Fprintf(out, "%s %s: there is %s\n", m.Path, m.Version, m.Update.Version)
		default:
			continue
		}
		count++
	}
	fmt.Fprintf(out, "%d modules need a look\n", count)
	return nil
}
