package main

import (
	"log"
	"os"
)

func main() {
	output := os.Stdout
	os.Stdout = os.Stderr // standard output belongs to the protocol
	if err := Serve(Adapter{}, os.Stdin, output); err != nil {
		log.Fatal(err)
	}
}
