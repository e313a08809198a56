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

// terminalScript is the largest asset. Only session pages load this script. The program contains it
// in compressed form.
const terminalScript = "xterm.js"

// Asset returns a file that pages load: a style sheet, a script, an icon, or the license of
// a third-party file. If there is no such file, the error wraps fs.ErrNotExist.
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
	return io.ReadAll(r) // the file is trusted, so its size needs no limit
})

// AssetsVersion returns a version for [Site.Assets]. The version changes whenever a file
// that Asset returns changes.
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
		panic(err) // unreachable, because the files are embedded
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
})
