package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
)

// texts holds the release files that are the same for every system.
type texts struct {
	man         []file // manual pages, such as locus.1
	completions map[string][]byte
	documents   []file
	unit        []byte // systemd unit for a program in /usr/local/bin
	socket      []byte // systemd socket unit
	config      []byte // gateway configuration
}

// shells lists the shells that "locus completion" supports.
var shells = []string{"bash", "fish", "powershell", "zsh"}

// texts returns the text files of the release. To write the manual pages and completions, it
// builds locus for this machine and runs it.
func (r *repository) texts(ctx context.Context, work string) (*texts, error) {
	b, err := r.build(ctx, work, host)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(work, host.os+"-"+host.arch, b.name())
	t := &texts{completions: map[string][]byte{}}
	man := filepath.Join(work, "man")
	if err := os.Mkdir(man, 0o777); err != nil {
		return nil, err
	}
	env := []string{"HOME=/nonexistent"} // the user's settings must not affect the texts
	if _, err := command(ctx, work, env, program, "man", man); err != nil {
		return nil, err
	}
	pages, err := os.ReadDir(man)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		octets, err := os.ReadFile(filepath.Join(man, page.Name()))
		if err != nil {
			return nil, err
		}
		t.man = append(t.man, file{name: page.Name(), octets: octets})
	}
	for _, shell := range shells {
		if t.completions[shell], err = command(ctx, work, env, program, "completion", shell); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		octets, err := r.read(name)
		if err != nil {
			return nil, err
		}
		t.documents = append(t.documents, file{name: name, octets: octets})
	}
	if t.unit, err = r.read("contrib/locus-gateway.service"); err != nil {
		return nil, err
	}
	if t.socket, err = r.read("contrib/locus-gateway.socket"); err != nil {
		return nil, err
	}
	t.config, err = r.read("contrib/locus-gateway.toml")
	return t, err
}

func (t *texts) document(name string) []byte {
	i := slices.IndexFunc(t.documents, func(f file) bool { return f.name == name })
	return t.documents[i].octets
}

// archived returns the text files for a release archive.
func (t *texts) archived(to target) []file {
	files := slices.Clone(t.documents)
	for shell, octets := range t.completions {
		files = append(files, file{name: "completions/" + completionName(shell), octets: octets})
	}
	if to.os == "windows" {
		return files
	}
	for _, page := range t.man {
		files = append(files, file{name: "man/man1/" + page.name, octets: page.octets})
	}
	if to.os == "linux" {
		files = append(files, file{name: "systemd/locus-gateway.service", octets: t.unit}, file{name: "systemd/locus-gateway.socket", octets: t.socket}, file{name: "systemd/gateway.toml", octets: t.config})
	}
	return files
}

// completionName returns the name of the file from which a shell loads the completions of locus.
func completionName(shell string) string {
	switch shell {
	case "zsh":
		return "_locus"
	case "powershell":
		return "locus.ps1"
	}
	return "locus." + shell
}
