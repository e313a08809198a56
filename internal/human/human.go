// Package human formats sizes and times for users.
package human

import (
	"fmt"
	"time"
)

// Size formats a number of bytes with at most four digits and a unit, as in "512 B" or "1.5 MiB".
// For a negative number, which means that the size is unknown, it returns "".
func Size(n int64) string {
	if n < 0 {
		return ""
	}
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	const units = "KMGTPE"
	value, unit := float64(n)/1024, 0
	for value >= 1023.5 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %ciB", value, units[unit])
	}
	return fmt.Sprintf("%.0f %ciB", value, units[unit])
}

// Time formats t in UTC to the minute, as in "1994-12-20 13:05". For midnight, it returns only the
// date, because a listing that contains only a date is parsed as midnight. For the zero time, it
// returns "".
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.UTC()
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02 15:04")
}

// Age formats an approximate age, such as "3 hours ago".
func Age(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "just now"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d seconds ago", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}
