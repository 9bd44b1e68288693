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
)

// sampleView is a paid sample that the plan proposes: what it shows of the match
// rates is worth its price before all is spent.
type sampleView struct {
	Persons int64      `json:"persons"`
	Lookups int64      `json:"lookups"`
	Maximum cost.Money `json:"maximum_usd"`
	// WidthAfter is about how far the ends of the expected range will lie apart after
	// the sample; null when the sample leaves a kind of lookups out.
	WidthAfter *cost.Money `json:"range_after_usd"`
	Command    string      `json:"command"`

	words []string // of the command, as a shell reads them
}

// proposeSample works out what the first persons of the list would cost.
func (j *job) proposeSample(ctx context.Context, flags *pflag.FlagSet, list []string) (*sampleView, error) {
	scope := j.scope
	if scope.Limit == 0 || *j.sample.count < scope.Limit {
		scope.Limit = *j.sample.count
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
	if j.maxSpend.amount != nil {
		limit = min(limit, *j.maxSpend.amount)
	}
	command := slices.Concat([]string{"batch", "run"}, list, flagsForRun(flags))
	command = append(command, "--limit="+strconv.FormatInt(scope.Limit, 10), "--max-spend="+limit.String())
	for i, word := range command {
		command[i] = shellWord(word)
	}
	view := &sampleView{
		Persons: scope.Limit, Lookups: counts.Lookup, Maximum: maximum, Command: strings.Join(command, " "), words: command,
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

func (v *planView) printSample(p *printer) {
	if v.Sample == nil {
		return
	}
	p.line("")
	p.line("To see the match rates first, send %s for at most $%s:", lookupCount(v.Sample.Lookups), v.Sample.Maximum)
	p.line("  %s", strings.Join(wrapped(v.Sample.words, lineWidth-len("    \\ ")), " \\\n    "))
	if width := v.Sample.WidthAfter; width != nil {
		p.line("The range of the expected spend is then about $%s wide.", *width)
	}
	if v.Priority != "" {
		p.line("It has the first persons by --priority, who may match unlike the others.")
	}
	p.line("What the sample finds counts: the whole list then asks for the rest alone.")
}
