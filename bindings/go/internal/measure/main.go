// Command measure says what a token costs: measure TEXT TOOLS ROUNDS; see bindings/measure.
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"github.com/toolglot/toolglot/bindings/go"
)

func read(path string) []byte {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	return text
}

func main() {
	text, tools := read(os.Args[1]), read(os.Args[2])
	rounds, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	var pieces [][]byte
	for from := 0; from < len(text); from += 4 {
		pieces = append(pieces, text[from:min(from+4, len(text))])
	}
	from := time.Now()
	parser, err := toolglot.NewParser(toolglot.Config{Tools: tools})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Since(from)
	best := time.Hour
	events := 0
	for range rounds {
		from := time.Now()
		for _, piece := range pieces {
			for range parser.PushBytes(piece) {
				events++
			}
		}
		for range parser.Finish() {
			events++
		}
		best = min(best, time.Since(from))
	}
	if parser.Err() != nil || events == 0 {
		log.Fatal(parser.Err())
	}
	fmt.Printf("go %d %.1f\n", int(best)/len(pieces), float64(start)/1e6)
}
