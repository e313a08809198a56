package advice

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/scheme"
)

// ValueText returns the value of a [scheme.Field] for people. It is not safe for a
// terminal.
func ValueText(value any) string {
	switch v := value.(type) {
	case string:
		if text := charset.Text(v); text != v {
			return text + " (ISO Latin 1)"
		}
		return v
	case []string:
		list := make([]string, len(v))
		for i, s := range v {
			list[i] = strconv.Quote(ValueText(s))
		}
		return "[" + strings.Join(list, ", ") + "]"
	case [][]scheme.Field:
		list := make([]string, len(v))
		for i, record := range v {
			each := make([]string, len(record))
			for j, field := range record {
				each[j] = field.Name + " " + ValueText(field.Value)
			}
			list[i] = strings.Join(each, ", ")
		}
		return strings.Join(list, "; ")
	}
	return fmt.Sprint(value)
}
