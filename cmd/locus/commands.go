package main

import "github.com/spf13/cobra"

// commands lists every subcommand.
func commands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newGet(a),
		newParse(a),
		newCheck(a),
		newCanonical(a),
		newCompare(a),
		newResolve(a),
		newExtract(a),
		newVerify(a),
		newOpen(a),
		newGateway(a),
		newIndex(a),
		newSchemes(a),
		newTour(a, serveTour),
		newMan(a),
	}
}

// newRoot returns the command with everything in it.
func newRoot(a *app) *cobra.Command {
	root := rootCommand(a, commands(a), topics(), newHelp())
	// It serves sessions that were killed, and needs no configuration.
	root.AddCommand(newGuardTerminal(a))
	return root
}

// runArgs does what args ask for and returns the exit status.
func runArgs(a *app, args []string) int { return a.execute(newRoot(a), args) }
