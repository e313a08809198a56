package main

import (
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// writeImage writes a container image with a program for each processor architecture in list. The
// file is an OCI image layout archive with one index. The commands "podman load", "skopeo" and
// "docker load" can read the file.
func writeImage(d *folder, work string, r *repository, list []binary) error {
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range list {
		image, err := imageOf(r, b)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: b.os, Architecture: b.arch},
		}})
	}
	name := "localhost/locus:" + imageTag(list[0])
	named := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{Add: index, Descriptor: v1.Descriptor{
		Annotations: map[string]string{"org.opencontainers.image.ref.name": name, "io.containerd.image.name": name},
	}})
	dir := filepath.Join(work, "image")
	if _, err := layout.Write(dir, named); err != nil {
		return err
	}
	files, err := readFolder(os.DirFS(dir))
	if err != nil {
		return err
	}
	octets, err := tarred(files, r.time)
	if err != nil {
		return err
	}
	return d.write("locus-"+list[0].version()+"-image.tar", octets)
}

// imageTag converts the version of b to an image tag. Image tags can't contain "+".
func imageTag(b binary) string {
	return strings.ReplaceAll(b.version(), "+", "-")
}

// imageOf returns an image that contains only the program b and root certificates. The image has
// the same settings as the image that contrib/Containerfile describes.
func imageOf(r *repository, b binary) (v1.Image, error) {
	octets, err := tarred([]file{{name: "etc/ssl/certs/ca-certificates.crt", octets: rootCertificates()}, {name: "locus", octets: b.octets, program: true}}, r.time)
	if err != nil {
		return nil, err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(octets)), nil }
	layer, err := tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression))
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), layer)
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, &v1.ConfigFile{
		OS: b.os, Architecture: b.arch, Created: v1.Time{Time: r.time},
		History: []v1.History{{Created: v1.Time{Time: r.time}, CreatedBy: "contrib/release"}},
		RootFS:  rootFS(image),
		Config: v1.Config{
			User: "65534:65534", StopSignal: "SIGTERM", ExposedPorts: map[string]struct{}{"1738/tcp": {}},
			Entrypoint: []string{"/locus", "gateway"},
			Cmd:        []string{"--listen", "0.0.0.0:1738", "--no-cache", "--log-format", "json"},
			Labels: map[string]string{
				"org.opencontainers.image.title":    "Locus",
				"org.opencontainers.image.version":  b.version(),
				"org.opencontainers.image.revision": b.setting("vcs.revision"),
				"org.opencontainers.image.source":   "https://github.com/locus-url/locus",
				"org.opencontainers.image.licenses": "Apache-2.0",
			},
		},
	})
}

// rootFS returns the layer list for an image that already contains the layers.
func rootFS(image v1.Image) v1.RootFS {
	config, err := image.ConfigFile()
	if err != nil {
		panic(fmt.Sprintf("the configuration of an image in memory: %v", err))
	}
	return config.RootFS
}

// setting returns the value of a build setting, or "" if the setting is missing.
func (b binary) setting(key string) string {
	for _, s := range b.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// rootCertificates returns Mozilla's root certificates. The certificates come from a Go module,
// not from this machine. It omits the certificates with constraints that a certificate file can't
// express.
func rootCertificates() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			b.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return b.Bytes()
}

// readFolder returns the files below a directory, sorted by name.
func readFolder(dir fs.FS) (list []file, err error) {
	err = fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		octets, err := fs.ReadFile(dir, name)
		list = append(list, file{name: name, octets: octets})
		return err
	})
	return list, err
}
