package main

import (
	"fmt"
	"slices"
	"strings"
)

// nearestQuestion asks about the name that is most like a word, with a mark before it; it is ""
// when none is like it.
func nearestQuestion(word, mark string, names []string) string {
	closest := nearest(word, names)
	if closest == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s%s?)", mark, closest)
}

// nearestName is nearestQuestion for names of which the case does not count.
func nearestName(word string, names []string) string {
	var lower []string
	for _, name := range names {
		lower = append(lower, strings.ToLower(name))
	}
	at := slices.Index(lower, nearest(strings.ToLower(word), lower))
	if at < 0 {
		return ""
	}
	return nearestQuestion(names[at], "", names[at:at+1])
}

// nearest returns the name that is most like a word, "" when none is like it.
func nearest(word string, names []string) string {
	closest, least := "", min(3, len(word)/2+1)
	for _, name := range names {
		if len(word) > 2 && strings.HasPrefix(name, word) {
			closest = name
			break
		}
		if edits := distance(word, name); edits < least {
			closest, least = name, edits
		}
	}
	return closest
}

// distance returns how many letters have to be put in, left out or changed to make one
// word the other.
func distance(from, to string) int {
	row := make([]int, len(to)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(from) {
		diagonal := row[0]
		row[0] = i + 1
		for k := range len(to) {
			changed := diagonal
			if from[i] != to[k] {
				changed++
			}
			diagonal = row[k+1]
			row[k+1] = min(changed, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(to)]
}
