// Package media guesses the media type of a file from its name, then from its first
// bytes (RFC 1738 section 3.2.3: "the data content type of a file can only be guessed from
// the name").
package media

import (
	"bytes"
	"mime"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// Head is the number of bytes at the start of a file that [Guess] reads.
const Head = 3072

// byExtension maps extensions to media types that must be the same on every machine. Package mime
// provides other types, from tables that differ between systems.
var byExtension = map[string]string{
	".adoc":     "text/asciidoc",
	".asc":      "text/asciidoc", // the extension of ASCII armor as well; see IsArmor
	".asciidoc": "text/asciidoc",
	".7z":       "application/x-7z-compressed",
	".atom":     "application/atom+xml",
	".avi":      "video/x-msvideo",
	".avif":     "image/avif",
	".bmp":      "image/bmp",
	".bz2":      "application/x-bzip2",
	".c":        "text/x-c",
	".css":      "text/css",
	".csv":      "text/csv",
	".deb":      "application/vnd.debian.binary-package",
	".doc":      "application/msword",
	".docx":     "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".eml":      "message/rfc822",
	".eps":      "application/postscript",
	".epub":     "application/epub+zip",
	".exe":      "application/vnd.microsoft.portable-executable",
	".flac":     "audio/flac",
	".gif":      "image/gif",
	".go":       "text/x-go",
	".gz":       "application/gzip",
	".h":        "text/x-c",
	".htm":      "text/html",
	".html":     "text/html",
	".ico":      "image/vnd.microsoft.icon",
	".ics":      "text/calendar",
	".iso":      "application/x-iso9660-image",
	".jar":      "application/java-archive",
	".jpeg":     "image/jpeg",
	".jpg":      "image/jpeg",
	".js":       "text/javascript",
	".json":     "application/json",
	".log":      "text/plain",
	".markdown": "text/markdown",
	".md":       "text/markdown",
	".mdown":    "text/markdown",
	".mdx":      "text/markdown",
	".mid":      "audio/midi",
	".mjs":      "text/javascript",
	".mkd":      "text/markdown",
	".mkdn":     "text/markdown",
	".mkv":      "video/x-matroska",
	".mov":      "video/quicktime",
	".mp3":      "audio/mpeg",
	".mp4":      "video/mp4",
	".mpeg":     "video/mpeg",
	".mpg":      "video/mpeg",
	".odt":      "application/vnd.oasis.opendocument.text",
	".oga":      "audio/ogg",
	".ogg":      "audio/ogg",
	".ogv":      "video/ogg",
	".otf":      "font/otf",
	".pdf":      "application/pdf",
	".png":      "image/png",
	".ppt":      "application/vnd.ms-powerpoint",
	".ps":       "application/postscript",
	".py":       "text/x-python",
	".rpm":      "application/x-rpm",
	".qmd":      "text/markdown",
	".rest":     "text/x-rst",
	".rmd":      "text/markdown",
	".rst":      "text/x-rst",
	".rss":      "application/rss+xml",
	".rtf":      "application/rtf",
	".sh":       "application/x-sh",
	".svg":      "image/svg+xml",
	".tar":      "application/x-tar",
	".tex":      "application/x-tex",
	".text":     "text/plain",
	".tgz":      "application/gzip",
	".tif":      "image/tiff",
	".tiff":     "image/tiff",
	".toml":     "application/toml",
	".tsv":      "text/tab-separated-values",
	".ttf":      "font/ttf",
	".txt":      "text/plain",
	".vcf":      "text/vcard",
	".wasm":     "application/wasm",
	".wav":      "audio/wav",
	".webm":     "video/webm",
	".webp":     "image/webp",
	".woff":     "font/woff",
	".woff2":    "font/woff2",
	".xhtml":    "application/xhtml+xml",
	".xls":      "application/vnd.ms-excel",
	".xml":      "application/xml",
	".xz":       "application/x-xz",
	".yaml":     "application/yaml",
	".yml":      "application/yaml",
	".z":        "application/x-compress",
	".zip":      "application/zip",
	".zst":      "application/zstd",
}

// ByName returns the media type for the extension of a file name, without parameters. If the type
// is unknown, it returns "". The name may be a path with "/".
func ByName(name string) string {
	name = path.Base(name)
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		// A name such as ".profile" has no extension.
		return ""
	}
	extension := strings.ToLower(name[dot:])
	if t, ok := byExtension[extension]; ok {
		return t
	}
	t, _, _ := strings.Cut(mime.TypeByExtension(extension), ";")
	return t
}

// IsArmor reports whether a file begins with the ASCII armor of OpenPGP (RFC 9580 section 6.2).
// The name of such a file may have the same extension as an AsciiDoc document.
func IsArmor(head []byte) bool { return bytes.HasPrefix(head, []byte("-----BEGIN PGP ")) }

// Guess returns the media type of a file by its name and its first bytes, which head contains. It
// uses at most [Head] bytes. If the extension is unknown, the first bytes determine the type. If
// the first bytes of a text show its charset, the result includes the charset. The default is
// "application/octet-stream".
func Guess(name string, head []byte) string {
	t := ByName(name)
	if t == "text/asciidoc" && IsArmor(head) {
		t = "text/plain"
	}
	if t != "" && (!strings.HasPrefix(t, "text/") || len(head) == 0) {
		return t
	}
	seen := mimetype.Detect(head[:min(len(head), Head)]).String()
	if t == "" {
		return seen
	}
	if _, parameters, ok := strings.Cut(seen, "; "); ok && strings.HasPrefix(seen, "text/") {
		return t + "; " + parameters
	}
	return t
}
