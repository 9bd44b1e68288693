package service

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// readEvents returns the data of the first server-sent event that is wanted, without
// waiting for the end of the stream. Everything before it counts towards MaxBody.
func readEvents(stream io.Reader, wanted func(data []byte) bool) ([]byte, error) {
	limited := &io.LimitedReader{R: stream, N: MaxBody + 1}
	lines := eventLines{reader: bufio.NewReader(limited)}
	var data []byte
	for {
		line, err := lines.next()
		if limited.N <= 0 {
			return nil, fmt.Errorf("the response is longer than %d bytes", MaxBody)
		}
		if value, ok := dataOf(line); ok {
			data = append(append(data, value...), '\n')
		}
		// A stream that ends well may leave out the blank line after its last event.
		if len(line) == 0 || errors.Is(err, io.EOF) {
			data = bytes.TrimLeft(bytes.TrimSuffix(data, []byte("\n")), "\uFEFF")
			if len(data) > 0 && wanted(data) {
				return data, nil
			}
			data = nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil, errors.New("the stream of events ended without the response")
		case err != nil:
			return nil, fmt.Errorf("the stream of events broke off: %w", networkCause(err))
		}
	}
}

// eventLines reads the lines of a stream, which end with a line feed, a carriage return
// or both. It never waits for what follows an end.
type eventLines struct {
	reader   *bufio.Reader
	returned bool // the last line ended with a carriage return
}

// next returns a line without its end, and with io.EOF what stands after the last end.
func (l *eventLines) next() ([]byte, error) {
	var line []byte
	for {
		b, err := l.reader.ReadByte()
		if err != nil {
			return line, err
		}
		continued := b == '\n' && l.returned
		l.returned = b == '\r'
		switch {
		case continued:
		case b == '\n', b == '\r':
			return bytes.TrimPrefix(line, []byte("\uFEFF")), nil // a mark before the first
		default:
			line = append(line, b)
		}
	}
}

// dataOf returns the value of a data field, which one space may precede.
func dataOf(line []byte) ([]byte, bool) {
	value, ok := bytes.CutPrefix(line, []byte("data:"))
	return bytes.TrimPrefix(value, []byte(" ")), ok
}
