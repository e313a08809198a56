package base

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/term"
)

// RequestLog is the log of the requests that a subcommand sends. It holds the flag
// --log-format.
type RequestLog struct{ format config.LogFormat }

// AddFlags adds the flag --log-format to the given flag group of cmd.
func (l *RequestLog) AddFlags(cmd *cobra.Command, group string) {
	AddFlags(cmd, group, func(f *pflag.FlagSet) {
		f.Var(&l.format, "log-format", "log requests to standard error as `FORMAT`: text, json or none")
	})
	CompleteFlag(cmd, "log-format", func() []string { return []string{"text", "json", "none"} })
}

// Observe returns a function that writes a record for each request, or nil if there is no log. If
// the user did not set --log-format, the parameter configured selects the format.
func (l *RequestLog) Observe(a *App, configured config.LogFormat) access.ObserveFunc {
	log := a.Logger(cmp.Or(l.format, configured))
	if log == nil {
		return nil
	}
	return func(ctx context.Context, attempt access.Attempt) func(access.AttemptResult) {
		begun := time.Now()
		return func(r access.AttemptResult) {
			var through []string
			for _, p := range attempt.Proxies {
				through = append(through, p.String())
			}
			attrs := []slog.Attr{
				slog.String("url", term.Text(attempt.URL)),
				slog.Int64("octets", r.Bytes),
				slog.Duration("took", time.Since(begun).Round(time.Microsecond)),
			}
			if attempt.Hop > 0 {
				attrs = append(attrs, slog.Int("hop", attempt.Hop))
			}
			for _, t := range [][2]string{{"plan", attempt.Plan}, {"proxy", strings.Join(through, " ")}, {"failure", string(r.Kind)}, {"rule", r.Rule}} {
				if t[1] != "" {
					attrs = append(attrs, slog.String(t[0], term.Text(t[1])))
				}
			}
			log.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
		}
	}
}

// Logger returns a logger that writes to standard error. It returns nil for the format "none", and
// if the user set --quiet. With --json, the logger uses the format "json" instead of "text".
func (a *App) Logger(format config.LogFormat) *slog.Logger {
	switch {
	case a.Flags.Quiet || format == "none":
		return nil
	case format == "json" || a.Flags.JSON:
		return slog.New(slog.NewJSONHandler(errorWriter{a}, nil))
	}
	return slog.New(slog.NewTextHandler(errorWriter{a}, nil))
}

// errorWriter writes to standard error, above the progress bars.
type errorWriter struct{ app *App }

func (w errorWriter) Write(p []byte) (int, error) {
	w.app.mu.Lock()
	defer w.app.mu.Unlock()
	return w.app.ErrOut.Write(p)
}
