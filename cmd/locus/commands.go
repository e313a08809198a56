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
		newOpen(a),
		newGateway(a),
		newIndex(a),
		newSchemes(a),
		newTour(a),
		newMan(a),
	}
}
