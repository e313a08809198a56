package lens

import "slices"

// Group is a set of parsers that read the URL of a report in the same way, or reject it for
// the same reason.
type Group struct {
	Names []string
	// Result is the group's most complete result, with "***" in place of the password.
	Result Result
}

// Groups divides the parsers of r into groups, and returns the groups that accept the URL
// and the groups that reject it. The parsers of a group agree on every part of the URL of
// r, or reject the URL with the same error, or have the same failure.
func (l *Lens) Groups(r Report) (accepted, refused []Group) {
	masked := r.Masked()
	var members [][]ParseResult
	for i, a := range r.Results {
		shown := masked.Results[i]
		if !a.OK {
			refused = addRefusal(refused, shown)
			continue
		}
		n := slices.IndexFunc(members, func(list []ParseResult) bool {
			return !slices.ContainsFunc(list, func(b ParseResult) bool { return len(l.Differences(a.ParseResult, b)) > 0 })
		})
		if n < 0 {
			n = len(members)
			members = append(members, nil)
			accepted = append(accepted, Group{Result: shown})
		}
		members[n] = append(members[n], a.ParseResult)
		g := &accepted[n]
		g.Names = append(g.Names, a.Name)
		if len(a.Unseen) < len(g.Result.Unseen) {
			g.Result = shown
		}
	}
	return accepted, refused
}

func addRefusal(list []Group, a Result) []Group {
	i := slices.IndexFunc(list, func(g Group) bool { return g.Result.Error == a.Error && g.Result.Failure == a.Failure })
	if i < 0 {
		return append(list, Group{[]string{a.Name}, a})
	}
	list[i].Names = append(list[i].Names, a.Name)
	return list
}
