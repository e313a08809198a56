package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/submit"
)

// checker collects the mistakes in the configuration and the flags of one run. The checker
// reads the configuration file, but opens no other file, no port and no connection.
type checker struct {
	*settings
	report   *config.Report
	problems []config.Problem
}

// mistakeJSON is a mistake in the output for --json.
type mistakeJSON struct {
	File     *shape.Text `json:"file"` // null if the mistake is not in a file
	Line     *int        `json:"line"` // null if the mistake is not in a line
	Variable *shape.Text `json:"variable"`
	Message  shape.Text  `json:"message"`
}

// check writes the mistakes to the output. If there is a mistake, the exit status is the status for
// wrong usage.
func (c *gatewayCommand) check() error {
	report, err := c.app.CheckConfig(c.flags)
	k := newChecker(c.settings(c.app), report, err)
	k.checkArchives()
	// The gateway does not use these proxies. Other commands and programs in this environment use
	// them.
	k.problems = append(k.problems, client.ProxyProblems(c.app)...)
	for _, p := range k.problems {
		c.app.RaiseStatus(base.StatusUsage)
		k.write(p)
	}
	if len(k.problems) == 0 {
		c.app.Note("the configuration is valid")
	}
	return nil
}

// newChecker checks the values that a reload reads. The parameters report and err are the results
// of reading the configuration.
func newChecker(s *settings, report *config.Report, err error) *checker {
	k := &checker{s, report, report.Problems}
	k.add(err)
	k.checkRules()
	k.checkPlaces()
	k.checkMail()
	k.checkClient()
	return k
}

func (k *checker) write(p config.Problem) {
	a := k.app
	if a.Flags.JSON {
		m := mistakeJSON{Message: shape.Text(locus.MaskText(base.Message(p.Err)))}
		if p.File != "" {
			m.File = new(shape.Text(p.File))
		}
		if p.Line > 0 {
			m.Line = &p.Line
		}
		if p.Variable != "" {
			m.Variable = new(shape.Text(p.Variable))
		}
		a.WriteJSON(m)
		return
	}
	fmt.Fprintln(a.Out, term.Safe(mistakeText(p)))
}

// mistakeText returns the text of a mistake with its position.
func mistakeText(p config.Problem) string {
	message := locus.MaskText(base.Message(p.Err))
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, message)
	case p.File != "":
		return p.File + ": " + message
	case p.Variable != "":
		return p.Variable + ": " + message
	}
	return message
}

// add adds a problem without a position, unless err is nil.
func (k *checker) add(err error) {
	if err != nil {
		k.problems = append(k.problems, config.Problem{Err: err})
	}
}

// addOf adds a problem with a setting or the corresponding flag, unless err is nil.
func (k *checker) addOf(flag, key string, err error) {
	if err == nil {
		return
	}
	err = errors.New(base.Message(config.Unprefixed(err)))
	if flag != "" && k.flags.Changed(flag) {
		k.add(fmt.Errorf("--%s: %w", flag, err))
		return
	}
	k.problems = append(k.problems, k.report.At(key, err))
}

// checkRules checks each name and pattern in the settings.
func (k *checker) checkRules() {
	for _, name := range k.config.Names {
		if !locus.IsHost(name) {
			k.addOf("name", "gateway.names", fmt.Errorf("%s is not a host name", locus.Quote(name)))
		}
	}
	for _, list := range []struct {
		flag     string
		patterns []string
	}{{"allow", k.config.Allow}, {"deny", k.config.Deny}} {
		for _, pattern := range list.patterns {
			_, err := gateway.NewRules(k.app.Registry, []string{pattern}, nil)
			k.addOf(list.flag, "gateway."+list.flag, err)
		}
	}
}

// checkPlaces checks that directories exist.
func (k *checker) checkPlaces() {
	for _, folder := range k.config.Files {
		folder = k.app.ExpandHome(folder)
		_, err := gateway.FilesBelow([]string{folder})
		if err == nil {
			err = isFolder(folder)
		}
		k.addOf("files", "gateway.files", err)
	}
	if dir := k.app.ExpandHome(k.config.Cache); dir != "" && !k.config.NoCache {
		// The gateway creates a missing directory.
		if err := isFolder(dir); !errors.Is(err, fs.ErrNotExist) {
			k.addOf("cache", "gateway.cache", err)
		}
	}
}

// checkArchives checks the flags for archives, and that the archives exist.
func (k *checker) checkArchives() {
	if k.demo && k.archives.Used() {
		k.add(errNotBoth)
	}
	for _, err := range k.archives.Check(k.app) {
		k.add(err)
	}
	k.add(k.archive.Check())
}

func isFolder(name string) error {
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", locus.Quote(name))
	}
	return err
}

// checkMail checks the settings for sending messages.
func (k *checker) checkMail() {
	if !k.config.Mail || k.demo {
		return
	}
	mail := k.app.Config.Mail
	if mail.From.Mailbox.Address == "" {
		k.addOf("", "gateway.mail", errNoSender)
	}
	switch {
	case mail.Relay.Host != "":
	case len(mail.Sendmail) == 0:
		k.addOf("", "gateway.mail", errNoWay)
	default:
		_, err := submit.NewSendmail(mail.Sendmail)
		k.addOf("", "mail.sendmail", err)
	}
}

// checkClient checks the policy and the proxies.
func (k *checker) checkClient() {
	_, err := policy.New(client.Rules(k.app))
	k.add(err)
	_, err = client.ProxiesOver(k.app, config.ProxyTable{})
	k.add(err)
}
