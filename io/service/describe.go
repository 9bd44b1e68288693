package service

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// How much of the names of members Describe shows.
const (
	maxMembers     = 5
	maxMemberNames = 100 // bytes
)

// Describe says what kind of body a response has, so that a person sees who may have sent it. It names the
// members of a JSON object and repeats no value.
func (c Caller) Describe(body []byte) string {
	text := bytes.TrimSpace(body)
	switch {
	case len(text) == 0:
		return "no body"
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}), bytes.HasPrefix(body, []byte{0xFE, 0xFF}):
		return "a text in UTF-16"
	case bytes.HasPrefix(body, []byte{0x1F, 0x8B}):
		return "packed data that cannot be unpacked"
	case text[0] == '<':
		return "a page of HTML or XML"
	}
	var object map[string]json.RawMessage
	isObject := text[0] == '{' && json.Unmarshal(text, &object) == nil
	switch {
	case isObject && len(object) == 0:
		return "an empty JSON object"
	case isObject:
		names := slices.Sorted(maps.Keys(object))
		more := ""
		if len(names) > maxMembers {
			names, more = names[:maxMembers], " and others"
		}
		return "a JSON object with " + c.Plain(strings.Join(names, ", "), maxMemberNames) + more
	case json.Valid(text) && text[0] == '[':
		return "a JSON array"
	case json.Valid(text):
		return "a JSON value that is not an object"
	case text[0] == '{' || text[0] == '[':
		return "JSON that is cut off or damaged"
	}
	return "a text that is not JSON"
}
