package peers

import "testing"

func writeTruthTable(t *testing.T, servers truthServers, list []truth, got map[string]verdict, index, trust string) {
}
