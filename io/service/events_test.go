package service

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// A stream may end its lines in three ways, begin with a byte order mark and stay open
// after the response.
func TestEventsOfAnyLineEnding(t *testing.T) {
	const stream = ": hello\n\nid: 1\ndata:\n\nevent: message\ndata: {\"id\":3,\ndata: \"result\":{}}\n\n"
	wanted := func(data []byte) bool { return isObject(data) && strings.Contains(string(data), `"id":3`) }
	stayedOpen := errors.New("read on after the response")
	for name, text := range map[string]string{
		"line feeds": stream,
		"both":       strings.ReplaceAll(stream, "\n", "\r\n"),
		"returns":    strings.ReplaceAll(stream, "\n", "\r"),
		"mixed":      strings.ReplaceAll(strings.ReplaceAll(stream, ",\n", ",\r"), "}}\n\n", "}}\r\n\r"),
		"marked":     "\uFEFF" + stream[len(": hello\n\nid: 1\n"):],
	} {
		reader := io.MultiReader(strings.NewReader(text), failing{stayedOpen})
		data, err := readEvents(reader, wanted)
		if err != nil || string(data) != "{\"id\":3,\n\"result\":{}}" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		// Cut anywhere, the response is there whole or not at all.
		for length := range len(text) {
			if cut, err := readEvents(strings.NewReader(text[:length]), wanted); err == nil && string(cut) != string(data) {
				t.Errorf("%s: %d bytes: %q", name, length, cut)
			}
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzEvents compares what is read from a stream with the lines that are in it.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message\r\nid: 1\r\ndata: {\"id\":3}\r\n\r\n"))
	f.Add([]byte(": comment\n\ndata\ndata:\n\ndata: {\ndata: \"id\":3}\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		data, err := readEvents(bytes.NewReader(stream), func(data []byte) bool { return isObject(data) })
		if err != nil {
			if data != nil {
				t.Errorf("data %q with the error %v", data, err)
			}
			return
		}
		if !isObject(data) {
			t.Errorf("data %q was not wanted", data)
		}
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if !bytes.Contains(stream, bytes.TrimRight(line, "\r")) {
				t.Errorf("line %q is not in the stream", line)
			}
		}
	})
}

func isObject(data []byte) bool {
	_, ok := ParseObject(data)
	return ok
}
