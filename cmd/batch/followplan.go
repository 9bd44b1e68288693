package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"payonce/cost"
	"payonce/internal/report"
)

// difference is one thing that is not as it was planned.
type difference struct{ what, planned, now string }

// differences are all of them, as an error that tells each with both values.
type differences struct {
	file  string
	found []difference
}

func (d *differences) add(what, planned, now string) {
	if planned != now {
		d.found = append(d.found, difference{what, cmp.Or(planned, "none"), cmp.Or(now, "none")})
	}
}

// err returns the differences, nil when there are none.
func (d *differences) err() error {
	if len(d.found) == 0 {
		return nil
	}
	return d
}

func (d *differences) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "this is not what %s planned; nothing was sent\n", d.file)
	for _, f := range d.found {
		fmt.Fprintf(&text, "  %s: planned %s, now %s\n", f.what, printable(f.planned), printable(f.now))
	}
	text.WriteString("Run it as it was planned, or make a new plan and have that approved.")
	return text.String()
}

// printable returns a text of a file that may come from anybody without what a
// terminal would act on.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// followPlan reads the plan that the run is to follow and takes its options over,
// where the command line and the configuration do not say the same. What they say
// otherwise is an error.
func (s *settings) followPlan(flags *pflag.FlagSet) error {
	kept, err := readPlan(s.planFile)
	if err != nil {
		return err
	}
	if s.rebuy {
		return errors.New("--rebuy is not in a plan; run without --plan to buy lost answers again")
	}
	found, taken := &differences{file: s.planFile}, []string{"batch:", s.planFile, "sets"}
	for _, name := range append(agreedFlags, offeredFlags...) {
		flag := flags.Lookup(name)
		planned, said := kept.Options[name]
		own := flag.Value.String()
		switch {
		case !said && slices.Contains(readingFlags, name): // what was found with its value is compared
		case !flag.Changed && planned != "":
			if err := s.setPlanned(flag, planned); err != nil {
				return fmt.Errorf("%s: %s: %w", s.planFile, name, err)
			}
			if planned != own {
				taken = append(taken, "--"+name+"="+shellWord(printable(planned)))
			}
		case flag.Changed && slices.Contains(agreedFlags, name):
			found.add("--"+name, planned, own)
		}
	}
	if flags.Lookup("map").Changed {
		found.add("--map", strings.Join(kept.Map, " "), strings.Join(s.mapping, " "))
	}
	for _, mapping := range kept.Map {
		taken = append(taken, "--map="+shellWord(printable(mapping)))
	}
	s.mapping, s.kept = kept.Map, kept
	if err := s.checkService(kept.Service, found); err != nil {
		return err
	}
	if err := found.err(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.env.stderr, strings.Join(report.Wrap(taken, report.LineWidth-2), "\n  "))
	return err
}

// setPlanned sets a flag to what the plan says. A rate faster than the default has to come
// from whoever runs the plan: too fast a rate costs refusals, and the file may come
// from anybody.
func (s *settings) setPlanned(flag *pflag.Flag, planned string) error {
	usual := s.rate
	if err := flag.Value.Set(planned); err != nil {
		return err
	}
	if !s.rate.Within(usual) {
		return fmt.Errorf("%s is faster than %s: give it yourself with --rate when the service allows it", s.rate.String(), usual.String())
	}
	return nil
}

// checkService compares the service with the planned one. Its address is not taken
// from the file: the API key goes to it, and the file may come from anybody.
func (s *settings) checkService(planned string, found *differences) error {
	if s.sandbox && s.baseURL == s.env.getenv("SERVICE_BASE_URL") {
		found.add("the service", planned, embeddedService)
		return nil
	}
	if s.baseURL == "" {
		return fmt.Errorf("%s plans for the service %s: give its address yourself with --base-url or SERVICE_BASE_URL, because your key goes to it",
			s.planFile, printable(planned))
	}
	found.add("the service", planned, trimBaseURL(s.baseURL))
	return nil
}

// trimBaseURL returns an address as it is compared.
func trimBaseURL(address string) string {
	address = strings.TrimRight(address, "/")
	if base, err := url.Parse(address); err == nil {
		base.Scheme, base.Host = strings.ToLower(base.Scheme), strings.ToLower(base.Host)
		base.User, base.RawQuery, base.Fragment = nil, "", "" // somebody may have put a secret there
		return base.String()
	}
	return address
}

// checkPlanned compares the plan of now with the one that was kept, nil when there
// is none to follow. What was answered meanwhile is no difference.
func (j *job) checkPlanned(plan *report.Plan) error {
	if j.kept == nil {
		return nil
	}
	sum, err := j.list.Sum()
	if err != nil {
		return err
	}
	kept, found := j.kept, &differences{file: j.planFile}
	found.add("the list's content", "SHA-256 "+kept.List.SHA256, "SHA-256 "+sum)
	addEach(found, "column of ", kept.Plan.Columns, plan.Columns, func(name string) string { return fmt.Sprintf("%q", name) })
	addEach(found, "price of ", kept.Plan.Prices.USD, plan.Prices.USD, func(m cost.Money) string { return "$" + m.String() })
	if plan.Maximum > kept.Plan.Maximum {
		found.add("maximum spend", "$"+kept.Plan.Maximum.String(), "$"+plan.Maximum.String())
	}
	return asUsage(found.err())
}

// addEach adds what differs between two maps, by the name of what is in them.
func addEach[V any](found *differences, what string, planned, now map[string]V, show func(V) string) {
	text := func(values map[string]V, name string) string {
		if value, has := values[name]; has {
			return show(value)
		}
		return ""
	}
	all := map[string]V{}
	maps.Copy(all, planned)
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		found.add(what+name, text(planned, name), text(now, name))
	}
}
