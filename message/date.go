package message

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// longestDate is the maximum length of a date, in bytes.
const longestDate = 200

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// zones maps the zone names of RFC 5322 section 4.3 to hours. According to that section, all
// other names, such as one-letter zones, mean -0000. For -0000, the time is in UTC and the
// local time is unknown.
var zones = map[string]int{
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}

// date holds the parts of a date that ParseDate has read so far.
type date struct {
	day, month, year     int // 0 if missing, except the year, which is -1
	hour, minute, second int // the hour is -1 if the time is missing
	zone                 int // seconds east of UTC
	bad                  bool
}

// ParseDate parses a date-time of RFC 5322 (sections 3.3 and 4.3) or RFC 3339. ParseDate also
// parses dates as in RFC 850 (19-Nov-82) and in the C library (Fri Nov 19 16:14:55 1982). The
// words of a date may be in almost any order. ok is false if text is not a date.
func ParseDate(text string) (t time.Time, ok bool) {
	if len(text) > longestDate {
		return time.Time{}, false
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, true
	}
	d := date{year: -1, hour: -1}
	for _, word := range strings.FieldsFunc(withoutComments(text), func(r rune) bool { return r == ' ' || r == '\t' || r == ',' }) {
		d.word(word)
	}
	return d.time()
}

func withoutComments(text string) string {
	var b strings.Builder
	for {
		before, _, ok := strings.Cut(text, "(")
		b.WriteString(before)
		end := endOfComment(text, len(before))
		if !ok || end < 0 {
			return b.String()
		}
		text = text[end:]
	}
}

func (d *date) word(word string) {
	number, err := strconv.Atoi(word)
	switch {
	case strings.IndexByte(word, ':') > 0:
		d.readClock(word)
	case word[0] == '+' || word[0] == '-':
		d.readZone(word)
	case strings.IndexByte(word, '-') > 0:
		for part := range strings.SplitSeq(word, "-") {
			if part != "" {
				d.word(part)
			}
		}
	case err == nil && d.day == 0 && len(word) <= 2:
		d.day = number
	case err == nil && d.year < 0:
		d.year = fullYear(number, len(word))
	case err == nil:
		d.bad = true
	case d.month == 0 && len(word) >= 3 && slices.Contains(months, strings.ToLower(word[:3])):
		d.month = slices.Index(months, strings.ToLower(word[:3])) + 1
	default:
		// The word is a day of the week or a zone.
		if hours, ok := zones[strings.ToUpper(word)]; ok && d.hour >= 0 {
			d.zone = hours * 3600
		}
	}
}

// fullYear converts a year of fewer than four digits to a full year (RFC 5322 section 4.3).
func fullYear(number, digits int) int {
	switch {
	case digits == 2 && number < 50:
		return number + 2000
	case digits <= 3:
		return number + 1900
	}
	return number
}

// readClock reads the hour, the minute and an optional second. A zone may follow directly.
func (d *date) readClock(word string) {
	if i := strings.IndexAny(word, "+-"); i > 0 {
		d.readZone(word[i:])
		word = word[:i]
	}
	parts := strings.Split(word, ":")
	if len(parts) > 3 {
		d.bad = true
		return
	}
	var values [3]int
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		d.bad = d.bad || err != nil
		values[i] = int(n)
	}
	d.hour, d.minute, d.second = values[0], values[1], values[2]
}

// readZone reads a numeric zone such as +0130.
func (d *date) readZone(word string) {
	n, err := strconv.ParseUint(strings.ReplaceAll(word[1:], ":", ""), 10, 16)
	if err != nil || n > 2400 || n%100 > 59 {
		return // an invalid zone counts as -0000
	}
	d.zone = int(n/100*3600 + n%100*60)
	if word[0] == '-' {
		d.zone = -d.zone
	}
}

func (d *date) time() (time.Time, bool) {
	if d.bad || d.day == 0 || d.month == 0 || d.year < 0 || d.year > 9999 || d.hour < 0 || d.hour > 23 || d.minute > 59 || d.second > 60 {
		return time.Time{}, false
	}
	zone := time.UTC
	if d.zone != 0 {
		zone = time.FixedZone("", d.zone)
	}
	midnight := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, zone)
	if midnight.Day() != d.day {
		return time.Time{}, false // no such day exists, as for 31 February
	}
	return time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, d.second, 0, zone), true
}
