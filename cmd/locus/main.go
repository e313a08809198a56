// Command locus shows, checks, compares and opens URLs of all schemes that RFC 1738 and RFC 1630
// define. "locus help" lists its subcommands.
package main

import (
	"os"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
)

func main() { os.Exit(commands.Main()) }
