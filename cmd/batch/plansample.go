package main

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"payonce/pipeline/survey"

	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/report"
)

// proposeSample works out what the first persons of the list would cost.
func (j *job) proposeSample(ctx context.Context, flags *pflag.FlagSet, list []string) (*report.Sample, error) {
	scope := j.scope
	if scope.Limit == 0 || *j.sample.N < scope.Limit {
		scope.Limit = *j.sample.N
	}
	sampled, err := survey.Take(ctx, scope, j.list, j.recorder())
	if err != nil {
		return nil, err
	}
	counts := sampled.Count()
	maximum, err := cost.Demand(counts.Asked).Maximum(j.freeLeft(), j.quote.Prices)
	if err != nil {
		return nil, usageError{err}
	}
	spent := j.totals(checkpoint.RunScope(j.name))
	limit := (spent.Settled + spent.Held).Plus(maximum) // --max-spend counts what the run has spent
	if j.maxSpend.Amount != nil {
		limit = min(limit, *j.maxSpend.Amount)
	}
	command := slices.Concat([]string{"batch", "run"}, list, flagsForRun(flags))
	command = append(command, "--limit="+strconv.FormatInt(scope.Limit, 10), "--max-spend="+limit.String())
	for i, word := range command {
		command[i] = shellWord(word)
	}
	view := &report.Sample{
		Persons: scope.Limit, Lookups: counts.Lookup, Maximum: maximum, Command: strings.Join(command, " "), Words: command,
	}
	if width, known := j.forecast(j.freeLeft()).WidthAfter(counts.Kinds, j.quote.Prices); known {
		view.WidthAfter = &width
	}
	return view, nil
}

// flagsForRun returns the flags of a plan's command line as a run takes them, but
// for those that the sample decides.
func flagsForRun(flags *pflag.FlagSet) []string {
	var words []string
	flags.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "offline", "out", "sample", "json", "limit", "max-spend":
			return
		}
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+flag.Name+"="+value)
		}
	})
	return words
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord writes one word of a command.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
