package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// command gets the message as JSON on its standard input.
type command CommandLine

func (c command) Send(ctx context.Context, m Message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	run := CommandLine(c).Start(ctx)
	run.Stdin = bytes.NewReader(append(text, '\n'))
	if err := run.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the command failed: %w", err)
	}
	return nil
}
