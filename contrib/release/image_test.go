package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// The image is an OCI layout with an image for the processor. The user of the image owns no files.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	archive := tar.NewReader(bytes.NewReader(read(t, built(t), "*-image.tar")))
	for h, err := archive.Next(); err != io.EOF; h, err = archive.Next() {
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(name, 0o777)
		} else if octets, readErr := io.ReadAll(archive); readErr != nil {
			t.Fatal(readErr)
		} else {
			err = os.WriteFile(name, octets, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	named, err := index.IndexManifest()
	if err != nil || len(named.Manifests) != 1 || named.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "localhost/locus:"+testTag {
		t.Fatalf("%+v, %v", named, err)
	}
	if index, err = index.ImageIndex(named.Manifests[0].Digest); err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 || manifest.Manifests[0].Platform.String() != "linux/amd64" {
		t.Fatalf("%+v, %v", manifest, err)
	}
	image, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65534:65534" || config.Config.Labels["org.opencontainers.image.version"] != testTag || len(config.RootFS.DiffIDs) != 1 {
		t.Errorf("%+v", config)
	}
	// The image has the start command in contrib/Containerfile.
	file, err := os.ReadFile("../Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	for instruction, words := range map[string][]string{"ENTRYPOINT": config.Config.Entrypoint, "CMD": config.Config.Cmd} {
		list, err := json.Marshal(words)
		if err != nil || !strings.Contains(string(file), "\n"+instruction+" "+strings.ReplaceAll(string(list), ",", ", ")+"\n") {
			t.Errorf("%s %s is not in the Containerfile", instruction, list)
		}
	}
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	r, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sizes := map[string]int64{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		sizes[h.Name] = h.Size
	}
	if sizes["locus"] < 1<<20 || sizes["etc/ssl/certs/ca-certificates.crt"] < 100<<10 {
		t.Errorf("%v", sizes)
	}
}
