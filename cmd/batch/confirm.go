package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// confirmLine asks a question and waits for a line, or for an interrupt.
func confirmLine(ctx context.Context, in io.Reader, out io.Writer, question string) bool {
	fmt.Fprint(out, question)
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			fmt.Fprintln(out) // nobody ended the question's line
		}
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return false
	case text := <-answer:
		return text == "y" || text == "yes"
	}
}
