// Command release builds the files of a release. These are program archives for each system,
// Debian packages, a container image, bills of materials and the file SHA256SUMS. It also creates
// the modules that "go install" downloads.
//
//	go -C contrib/release run . --out /tmp/modules modules v0.3.0
//	go -C contrib/release run . --out /tmp/locus-v0.3.0
//	go -C contrib/release run . --snapshot --only linux/amd64
//	go -C contrib/release run . licences
//	go -C contrib/release run . updates
//	go -C contrib/release run . vulnerabilities
//
// Builds of the same commit with the same Go version always produce identical files.
// docs/dev/release.md describes how to check and sign the files.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Stdout, os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release: "+err.Error())
		stop()
		os.Exit(1)
	}
}

// options holds the command-line flags.
type options struct {
	source   string // repository directory
	out      string // output directory
	snapshot bool   // build even a commit without a tag or with uncommitted changes
	only     targetList
}

func run(ctx context.Context, out io.Writer, args []string) error {
	var o options
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.source, "source", "../..", "build the repository in `FOLDER`")
	flags.StringVar(&o.out, "out", "../../dist", "write into `FOLDER`, which must be empty or missing")
	flags.BoolVar(&o.snapshot, "snapshot", false, "build a commit without a tag, or with changes")
	flags.Var(&o.only, "only", "build for `SYSTEM/PROCESSOR` (repeatable); all without it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if o.source, err = filepath.Abs(o.source); err != nil {
		return err
	}
	switch words := flags.Args(); {
	case len(words) == 0:
		return release(ctx, out, o)
	case len(words) == 1 && words[0] == "licences":
		return reportLicences(ctx, out, o)
	case len(words) == 1 && words[0] == "updates":
		return reportUpdates(ctx, out, o)
	case len(words) == 1 && words[0] == "vulnerabilities":
		return reportVulnerabilities(ctx, out, o, "")
	case len(words) == 2 && words[0] == "vulnerabilities":
		return reportVulnerabilities(ctx, out, o, words[1])
	case len(words) == 2 && words[0] == "modules":
		return releaseModules(ctx, out, o, words[1])
	default:
		return fmt.Errorf("unknown command %q; there are licences, updates, vulnerabilities [DATABASE] and modules VERSION, and none builds a release", strings.Join(words, " "))
	}
}

// release builds all files of a release into the directory o.out.
func release(ctx context.Context, out io.Writer, o options) error {
	r, err := newRepository(ctx, o)
	if err != nil {
		return err
	}
	if !o.snapshot {
		if err := r.findTag(ctx); err != nil {
			return err
		}
	}
	d, err := newFolder(o.out)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "locus-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	texts, err := r.texts(ctx, work)
	if err != nil {
		return err
	}
	var images []binary
	for _, t := range o.only.orAll() {
		b, err := r.build(ctx, work, t)
		if err != nil {
			return err
		}
		if err := r.writeTarget(ctx, d, b, texts); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		fmt.Fprintf(out, "%s: %s, %d octets\n", t, b.version(), len(b.octets))
		if t.os == "linux" {
			images = append(images, b)
		}
	}
	if len(images) > 0 {
		if err := writeImage(d, work, r, images); err != nil {
			return fmt.Errorf("image: %w", err)
		}
	}
	return d.writeSums()
}

// writeTarget writes the archive and the bill of materials for the program b. For a Linux program,
// it also writes the Debian package.
func (r *repository) writeTarget(ctx context.Context, d *folder, b binary, texts *texts) error {
	licences, err := r.licences(ctx, b.info)
	if err != nil {
		return err
	}
	bill, err := billOf(r, b, licences)
	if err != nil {
		return err
	}
	name := "locus-" + b.version() + "-" + b.os + "-" + b.arch
	if err := d.write(name+".cdx.json", bill); err != nil {
		return err
	}
	third := file{name: "LICENCES-OF-DEPENDENCIES", octets: licenceText(licences)}
	files := slices.Concat([]file{{name: b.name(), octets: b.octets, program: true}, third}, texts.archived(b.target))
	archive, err := packed(b.target, name, files, r.time)
	if err != nil {
		return err
	}
	if err := d.write(name+archiveSuffix(b.target), archive); err != nil {
		return err
	}
	if b.os != "linux" {
		return nil
	}
	return writeDebian(d, r, b, texts, licences)
}
