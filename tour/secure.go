package tour

import (
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// extension is where the schemes within TLS are defined.
const extension = "an extension: neither document has it"

// How the lobby shows them.
const (
	secureName  = "Behind TLS"
	secureAbout = "The same rooms once more. Nobody on the way can read what is said in them."
)

// secureRooms are the same within TLS.
func secureRooms() []func(*house) (room, error) {
	return []func(*house) (room, error){httpsRoom, ftpsRoom, gophersRoom, nntpsRoom}
}

func ftpsRoom(h *house) (room, error) {
	return openFiles(h, ftptest.Options{Listener: h.tcp["ftps"], TLS: h.server, Implicit: true}, room{
		stops: []Stop{{Scheme: "ftps", Section: extension, Title: "a file within TLS, and its data connection too", URL: h.url("ftps", "/welcome.txt")}},
	})
}

func nntpsRoom(h *house) (room, error) {
	return openNews(h, newstest.Options{Listener: h.tcp["nntps"], TLS: h.server, Implicit: true}, room{
		stops: []Stop{{Scheme: "nntps", Section: extension, Title: "a newsgroup within TLS", URL: h.url("nntps", "/museum.announce")}},
	})
}
