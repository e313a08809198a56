package main

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// curve is one line of the drawing.
type curve struct {
	name, unit string
	value      func(sample) float64
}

var curves = []curve{
	{"heap in use after a collection", "MiB", func(s sample) float64 { return float64(s.Heap) / (1 << 20) }},
	{"resident memory", "MiB", func(s sample) float64 { return float64(s.RSS) / (1 << 20) }},
	{"goroutines", "", func(s sample) float64 { return float64(s.Goroutines) }},
	{"open files", "", func(s sample) float64 { return float64(s.Files) }},
}

// Sizes of the drawing, in pixels.
const (
	chartWidth, chartHeight = 720, 110
	chartLeft, chartTop     = 56, 24
	maxPoints               = 240
)

// drawing returns the curves as SVG, one below the other, each from zero.
func drawing(samples []sample) string {
	var b strings.Builder
	height := len(curves)*(chartHeight+chartTop) + 24
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img">`+"\n", chartLeft+chartWidth+16, height)
	fmt.Fprintf(&b, "<title>Memory, goroutines and open files of the gateway under load</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n")
	samples = thin(samples)
	for i, c := range curves {
		c.draw(&b, samples, i*(chartHeight+chartTop)+chartTop)
	}
	if len(samples) > 0 {
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">0</text><text x=\"%d\" y=\"%[2]d\" text-anchor=\"end\">%[4]s</text>\n",
			chartLeft, height-6, chartLeft+chartWidth, html.EscapeString(samples[len(samples)-1].Time.Round(time.Second).String()))
	}
	return b.String() + "</svg>\n"
}

// thin returns at most maxPoints samples: of each group, the one with the largest heap.
func thin(samples []sample) []sample {
	group := (len(samples) + maxPoints - 1) / maxPoints
	if group < 2 {
		return samples
	}
	var list []sample
	for len(samples) > 0 {
		n := min(group, len(samples))
		largest := samples[0]
		for _, s := range samples[1:n] {
			if s.Heap > largest.Heap {
				largest = s
			}
		}
		list, samples = append(list, largest), samples[n:]
	}
	return list
}

func (c *curve) draw(b *strings.Builder, samples []sample, top int) {
	highest, end := 1.0, time.Duration(1)
	for _, s := range samples {
		highest, end = max(highest, c.value(s)), max(end, s.Time)
	}
	bottom := top + chartHeight - 8
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\">%s</text>\n", chartLeft, top-6, html.EscapeString(c.name))
	fmt.Fprintf(b, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#999\"/>\n", chartLeft, top, bottom, chartLeft+chartWidth)
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f %s</text><text x=\"%[1]d\" y=\"%[5]d\" text-anchor=\"end\">0</text>\n", chartLeft-4, top+10, highest, c.unit, bottom)
	var points []string
	for _, s := range samples {
		points = append(points, fmt.Sprintf("%.1f,%.1f", chartLeft+chartWidth*s.Time.Seconds()/end.Seconds(), float64(bottom)-c.value(s)/highest*(chartHeight-8)))
	}
	fmt.Fprintf(b, "<polyline points=\"%s\" fill=\"none\" stroke=\"#1a5fb4\"/>\n", strings.Join(points, " "))
}
