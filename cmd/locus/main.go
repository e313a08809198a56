// Command locus shows, checks, compares and dereferences URLs of every scheme of RFC 1738
// and the URI draft. "locus help" lists its subcommands.
package main

import (
	"os"

	"github.com/locus-url/locus/internal/command/base"
)

func main() { os.Exit(mainStatus()) }

func mainStatus() int { return base.Main(runArgs) }
