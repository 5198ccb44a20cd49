// Command measure says what a token costs: measure TEXT TOOLS ROUNDS BYTES; see bindings/measure.
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

func number(text string) int {
	number, err := strconv.Atoi(text)
	if err != nil {
		log.Fatal(err)
	}
	return number
}

func main() {
	text, tools := read(os.Args[1]), read(os.Args[2])
	rounds, size := number(os.Args[3]), number(os.Args[4])
	var pieces [][]byte
	for from := 0; from < len(text); from += size {
		pieces = append(pieces, text[from:min(from+size, len(text))])
	}
	from := time.Now()
	parser, err := toolglot.NewParser(toolglot.Config{Tools: tools})
	if err != nil {
		log.Fatal(err)
	}
	var first time.Duration
	best := time.Hour
	events := 0
	for round := range rounds {
		began := time.Now()
		for _, piece := range pieces {
			for range parser.PushBytes(piece) {
				events++
			}
		}
		for range parser.Finish() {
			events++
		}
		best = min(best, time.Since(began))
		if round == 0 {
			first = time.Since(from)
		}
	}
	if parser.Err() != nil || events == 0 {
		log.Fatal(parser.Err())
	}
	fmt.Printf("go %d %.2f\n", int(best)/len(pieces), float64(first)/1e6)
}
