package gateway

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/policy"
)

// FilesBelow returns an [Options.Files] function that allows the files below the given
// folders. The paths of the folders must be absolute. The function does not resolve
// symbolic links, so a link inside a folder can make files outside the folder available.
func FilesBelow(folders []string) (func(u locus.URL) bool, error) {
	clean := make([]string, len(folders))
	for i, folder := range folders {
		if !filepath.IsAbs(folder) {
			return nil, errors.New("gateway: " + locus.Quote(folder) + " is not an absolute path")
		}
		clean[i] = strings.TrimSuffix(filepath.ToSlash(filepath.Clean(folder)), "/") + "/"
		if !strings.HasPrefix(clean[i], "/") {
			clean[i] = "/" + clean[i]
		}
	}
	return func(u locus.URL) bool {
		path, ok := u.Path()
		decoded, err := escape.Decode(path)
		host := strings.ToLower(u.Host())
		if !ok || err != nil || host != "" && host != "localhost" || u.Scheme() != "file" || policy.HasDots(path) || strings.ContainsAny(decoded, "\\\x00") {
			return false
		}
		decoded = "/" + decoded
		for _, folder := range clean {
			if strings.HasPrefix(decoded+"/", folder) {
				return true
			}
		}
		return false
	}, nil
}
