// Command locus shows, checks, compares and dereferences URLs of every scheme of RFC 1738
// and the URI draft. "locus help" lists its subcommands.
package main

import (
	"os"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
)

func main() { os.Exit(commands.Main()) }
