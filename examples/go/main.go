// Reads a model's answer from standard input as it arrives, prints text at once and calls when they end.
//
//	go run . tools.json < answer.txt
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/toolglot/toolglot/bindings/go"
)

func main() {
	var config toolglot.Config
	if len(os.Args) > 1 {
		tools, err := os.ReadFile(os.Args[1])
		if err != nil {
			log.Fatal(err)
		}
		config.Tools = tools
	}
	parser, err := toolglot.NewParser(config)
	if err != nil {
		log.Fatal(err)
	}
	defer parser.Close()
	for event, err := range parser.Read(context.Background(), os.Stdin) {
		if err != nil {
			log.Fatal(err)
		}
		switch event.Kind {
		case toolglot.KindText:
			fmt.Print(event.Text)
		case toolglot.KindCallStart:
			fmt.Printf("\n-> %s ", event.Name)
		case toolglot.KindArguments:
			fmt.Print(event.Text)
		case toolglot.KindCallEnd:
			fmt.Printf(" (%s)\n", event.Outcome)
		}
	}
}
