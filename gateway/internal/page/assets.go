package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"sync"
)

//go:embed assets
var assetFiles embed.FS

// terminalScript is the largest asset, and only pages of sessions load it: in the program it
// is compressed.
const terminalScript = "xterm.js"

// Asset returns a file that pages load: a style, a script, an icon, or the licence of a
// third-party file. The error is that of a file that is missing.
func Asset(name string) ([]byte, error) {
	if name == terminalScript {
		return unpackScript()
	}
	return assetFiles.ReadFile("assets/" + name)
}

var unpackScript = sync.OnceValues(func() ([]byte, error) {
	packed, err := assetFiles.ReadFile("assets/" + terminalScript + ".gz")
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r) // it is the project's own file
})

// AssetsVersion returns a text for [Site.Assets] that changes with the files of Asset.
func AssetsVersion() string { return assetsVersion() }

var assetsVersion = sync.OnceValue(func() string {
	sum := sha256.New()
	err := fs.WalkDir(assetFiles, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assetFiles.ReadFile(name)
		sum.Write([]byte(name + "\x00"))
		sum.Write(data)
		return err
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
})
