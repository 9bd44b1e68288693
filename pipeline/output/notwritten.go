package output

import "errors"

// NotWrittenError says that the output was not written. The answers are recorded.
type NotWrittenError struct {
	Path    string
	Err     error
	Instead string // the text file that was written in its place; "" for none
}

func (e *NotWrittenError) Error() string {
	text := "every answer that came is recorded, but " + TargetName(e.Path) + " was not written: " + e.Err.Error()
	if e.Instead != "" {
		return text + "; the list with its answers was written to " + e.Instead
	}
	return text + "; correct this and run the same command: it writes the output and buys nothing twice"
}

// AsNotWritten says that an output was not written, unless the error says so already.
func AsNotWritten(path string, err error) error {
	if known, isKnown := errors.AsType[*NotWrittenError](err); isKnown {
		return known
	}
	return &NotWrittenError{Path: path, Err: err}
}

func (e *NotWrittenError) Unwrap() error { return e.Err }
