package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// dpkg runs these scripts after it installs the package, and before and after it removes the
// package.
var (
	//go:embed debian/postinst
	afterInstall []byte
	//go:embed debian/prerm
	beforeRemove []byte
	//go:embed debian/postrm
	afterRemove []byte
)

//go:embed debian/lintian-overrides
var lintianOverrides []byte

// maintainer is the value of the maintainer field. Debian requires a mail address, but the project
// has none, so the address is a placeholder.
const maintainer = "The authors of Locus <locus-url@users.noreply.github.com>"

// writeDebian writes the Debian package for the program b.
func writeDebian(d *folder, r *repository, b binary, t *texts, licences []licence) error {
	stage, err := os.MkdirTemp("", "locus-debian-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "locus", Arch: b.arch, Platform: "linux", Version: b.version(), MTime: r.time,
		Section: "net", Priority: "optional", Homepage: "https://github.com/locus-url/locus",
		Maintainer: maintainer,
		Description: "URLs of every scheme of RFC 1738\n" +
			"Locus parses, checks, compares and opens URLs: ftp, gopher, news, wais,\n" +
			"telnet, prospero and all others. It finds dead links in documents, and has a\n" +
			"gateway that shows resources of every scheme as pages.",
		Overridables: nfpm.Overridables{Recommends: []string{"ca-certificates"}, Umask: 0o022},
	})
	changelog := debianChangelog(info)
	if info.Contents, err = debianContents(stage, b, t, licences, changelog); err != nil {
		return err
	}
	for _, s := range []struct {
		name   string
		octets []byte
		path   *string
	}{{"postinst", afterInstall, &info.Scripts.PostInstall}, {"prerm", beforeRemove, &info.Scripts.PreRemove}, {"postrm", afterRemove, &info.Scripts.PostRemove}} {
		*s.path = filepath.Join(stage, "DEBIAN-"+s.name)
		if err := os.WriteFile(*s.path, s.octets, 0o666); err != nil {
			return err
		}
	}
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := deb.Default.Package(info, &out); err != nil {
		return err
	}
	return d.write(deb.Default.ConventionalFileName(info), out.Bytes())
}

// debianContents writes the files of the package below the directory stage, and returns the
// installation path of each file.
func debianContents(stage string, b binary, t *texts, licences []licence, changelog file) (files.Contents, error) {
	const doc = "/usr/share/doc/locus/"
	list := []file{
		{name: "/usr/bin/locus", octets: b.octets, program: true},
		{name: "/usr/lib/systemd/system/locus-gateway.service", octets: debianUnit(t.unit)},
		{name: "/usr/lib/systemd/system/locus-gateway.socket", octets: t.socket},
		{name: "/usr/share/bash-completion/completions/locus", octets: t.completions["bash"]},
		{name: "/usr/share/zsh/vendor-completions/_locus", octets: t.completions["zsh"]},
		{name: "/usr/share/fish/vendor_completions.d/locus.fish", octets: t.completions["fish"]},
		{name: doc + "README.md", octets: t.document("README.md")},
		{name: doc + "copyright", octets: debianCopyright(t, licences)},
		{name: "/etc/locus/gateway.toml", octets: t.config},
		{name: "/usr/share/lintian/overrides/locus", octets: lintianOverrides},
	}
	notes := "CHANGELOG.md"
	if changelog.name != "changelog" {
		notes = "changelog" // the name that Debian requires for the upstream changelog
	}
	packed := []file{{name: doc + notes, octets: t.document("CHANGELOG.md")}, {name: doc + changelog.name, octets: changelog.octets}}
	for _, page := range t.man {
		packed = append(packed, file{name: "/usr/share/man/man1/" + page.name, octets: page.octets})
	}
	for _, f := range packed {
		octets, err := gzipped(f.octets)
		if err != nil {
			return nil, err
		}
		list = append(list, file{name: f.name + ".gz", octets: octets})
	}
	var contents files.Contents
	for _, f := range list {
		source := filepath.Join(stage, filepath.FromSlash(f.name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(source), fs.ModePerm), os.WriteFile(source, f.octets, 0o666)); err != nil {
			return nil, err
		}
		c := &files.Content{Source: source, Destination: f.name, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode()}}
		if strings.HasPrefix(f.name, "/etc/") {
			c.Type = files.TypeConfigNoReplace
		}
		contents = append(contents, c)
	}
	return contents, nil
}

// debianChangelog is the changelog of the package (Debian policy, section 12.7).
func debianChangelog(info *nfpm.Info) file {
	version, _, _ := strings.Cut(strings.TrimPrefix(deb.Default.ConventionalFileName(info), info.Name+"_"), "_")
	name := "changelog"
	if strings.Contains(version, "-") {
		name = "changelog.Debian" // "-" in the version marks a package with its own Debian changelog
	}
	return file{name: name, octets: fmt.Appendf(nil, "%s (%s) unstable; urgency=medium\n\n  * Release %s: the project's CHANGELOG.md has the notes.\n\n -- %s  %s\n",
		info.Name, version, info.Version, maintainer, info.MTime.UTC().Format(time.RFC1123Z))}
}

// debianUnit changes the program path in a systemd unit to the path at which the package installs
// the program.
func debianUnit(unit []byte) []byte {
	return bytes.ReplaceAll(unit, []byte("/usr/local/bin/locus"), []byte("/usr/bin/locus"))
}

// debianCopyright returns the file copyright (Debian policy, section 12.5).
func debianCopyright(t *texts, licences []licence) []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"+
		"Upstream-Name: Locus\nSource: https://github.com/locus-url/locus\n"+
		"Comment: The program also contains the parts that are listed below the first.\n\n"+
		"Files: *\nCopyright: the authors of Locus\nLicense: Apache-2.0\n")
	own := string(t.document("LICENSE"))
	terms := apacheTerms(own)
	b.WriteString(paragraph(terms.ReplaceAllLiteralString(own, apacheReference)))
	for _, l := range licences {
		fmt.Fprintf(&b, "\nFiles: %s\nComment: %s %s\n", strings.TrimPrefix(l.name, "@"), l.name, l.version)
		var text strings.Builder
		for _, f := range l.texts {
			text.WriteString(terms.ReplaceAllLiteralString(string(f.octets), apacheReference) + "\n")
		}
		fmt.Fprintf(&b, "Copyright: as in its licence\nLicense: %s\n%s", strings.ReplaceAll(l.expression(), " AND ", " and "), paragraph(text.String()))
	}
	return b.Bytes()
}

// apacheTerms matches the terms of the Apache License, with any whitespace between words.
func apacheTerms(licence string) *regexp.Regexp {
	terms, _, _ := strings.Cut(licence, "END OF TERMS AND CONDITIONS")
	var pattern strings.Builder
	for i, word := range strings.Fields(terms) {
		part := regexp.QuoteMeta(word)
		if i > 0 {
			part = `\s+` + part
		}
		if listMark.MatchString(word) {
			part = "(?:" + part + ")?"
		}
		pattern.WriteString(part)
	}
	return regexp.MustCompile(pattern.String() + `(?:\s+END OF TERMS AND CONDITIONS)?`)
}

// listMark matches a list mark such as "(a)". Some copies of the Apache License contain no list
// marks.
var listMark = regexp.MustCompile(`^\([a-d]\)$`)

// apacheReference replaces the terms of the Apache License, because every Debian system contains a
// copy of these terms.
const apacheReference = "On Debian systems the terms of the Apache License 2.0 are in\n/usr/share/common-licenses/Apache-2.0."
