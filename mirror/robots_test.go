package mirror

import (
	"fmt"
	"testing"
)

func TestRobotsAreBounded(t *testing.T) {
	r := robotsCheck{hosts: map[string]*hostRobots{}}
	for i := range 3 * maxRobots {
		root := fmt.Sprintf("http://h%d", i)
		if h := r.host(root); h != r.host(root) {
			t.Fatalf("%s is forgotten at once", root)
		}
		if len(r.hosts) != min(i+1, maxRobots) {
			t.Fatalf("%d hosts after %d", len(r.hosts), i+1)
		}
	}
}
