package browser

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestZZShots(t *testing.T) {
	folder := os.Getenv("SHOTS")
	if folder == "" {
		t.Skip()
	}
	w := newWorld(t)
	b := newTab(t, w.base)
	wide, phone := view{"wide", "light", 1280, 900}, view{"phone", "light", 390, 844}
	dark := view{"dark", "dark", 1280, 900}
	shot := func(name, path, want string, views ...view) {
		for _, v := range views {
			b.setView(t, v.colours, v.width, v.height)
			b.visit(t, path)
			b.await(t, want)
			os.WriteFile(filepath.Join(folder, name+"-"+v.name+".png"), get(t, b, chromedp.CaptureScreenshot()), 0o644)
		}
	}
	q := func(u string) string { return "/?url=" + url.QueryEscape(u) }
	ready := "document.readyState === 'complete'"
	shot("home", "/", ready, wide, phone, dark)
	shot("schemes", b.schemes(t), ready, wide, phone)
	shot("gopher", q("gopher://"+w.gopher+"/"), ready, wide, phone)
	shot("ftp", q("ftp://"+w.ftp+"/pub/"), ready, wide, phone)
	shot("ftproot", q("ftp://"+w.ftp+"/"), ready, wide)
	shot("found", q("gopher://"+w.gopher+"/7/Find%20something%09maps"), ready, wide)
	shot("empty", q("gopher://"+w.gopher+"/7/Find%20something%09"), ready, wide)
	shot("nothing", q("wais://"+w.wais+"/museum?zebra"), ready, wide, phone)
	shot("www", q("www.example.com"), ready, wide, phone)
	shot("refusal", q("http://h/%zz"), ready, wide)
	shot("notfound", q("gopher://"+w.gopher+"/0/nothing"), ready, wide)
	shot("telnet", q("telnet://"+w.telnet+"/"), "(document.querySelector('.xterm-rows')?.textContent.trim() || '') !== ''", wide, phone)
	shot("tn3270", q("tn3270://"+w.tn3270+"/"), "(document.querySelector('.xterm-rows')?.textContent.trim() || '') !== ''", wide, phone)
}
