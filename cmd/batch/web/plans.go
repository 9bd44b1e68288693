// This file has the screens of plans: what a run would cost at most, and its approval.

package web

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/pipeline"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// unitsPrefix is before the name of a meter in the names of inputs that limit units.
const unitsPrefix = "max-units."

// inputs are the inputs of the form of a plan, without those for fields, interfaces and units. Their names are flags.
var inputs = []input{
	{"max-spend", "Spend at most, in US dollars", "The run never spends more, over all its starts.", true},
	{"max-lookups", "Send at most, lookups", "", true},
	{"daily", "Spend at most in a day, in US dollars", "By UTC, for the job of the run.", true},
	{"monthly", "Spend at most in a month, in US dollars", "By UTC, for the job of the run.", true},
	{"workspace-monthly", "Spend at most in a month, in US dollars, for the whole workspace", "", true},
	{"limit", "Look up only the first, number", "", true},
	{"priority", "Look up in the order of this column", "Large numbers first.", false},
}

// input is an input of a form for one flag.
type input struct {
	Name, Label, Help string
	Number            bool
}

// LabelOf returns the label of the field of the form for a flag.
func LabelOf(flag string) string {
	for _, one := range inputs {
		if one.Name == flag {
			return one.Label
		}
	}
	return map[string]string{"fields": "What to find", "max-units": "Units of modules", "from": "Interfaces that are asked"}[flag]
}

// flagNames matches the names of flags in a text.
var flagNames = regexp.MustCompile(`--([a-z][a-z-]*)`)

// InFields names the fields of the form in a text that names their flags.
func InFields(text string) string {
	return flagNames.ReplaceAllStringFunc(text, func(name string) string {
		if label := LabelOf(name[2:]); label != "" {
			return strconv.Quote(label)
		}
		return name
	})
}

// completeFirst is the flag of the only checkbox of the form that is not for a field.
const completeFirst = "complete-first"

// planForm is a request for a plan.
type planForm struct {
	List    string // its address
	Flags   []Flag
	Choices Choices
}

// formOf reads the form of a plan. It ignores unknown inputs.
func (s *Server) formOf(query url.Values) planForm {
	f := planForm{List: query.Get("list"), Choices: s.Program.Choices()}
	f.setFields(query["fields"])
	f.set("from", query.Get("from"))
	for _, one := range inputs {
		f.set(one.Name, strings.TrimSpace(query.Get(one.Name)))
	}
	for _, unit := range f.Choices.Units {
		if n := strings.TrimSpace(query.Get(unitsPrefix + unit)); n != "" {
			f.Flags = append(f.Flags, Flag{"max-units", unit + "=" + n})
		}
	}
	if query.Get(completeFirst) != "" {
		f.set(completeFirst, "true")
	}
	return f
}

func (f *planForm) set(name, value string) {
	if value != "" {
		f.Flags = append(f.Flags, Flag{name, value})
	}
}

func (f *planForm) setFields(words []string) {
	if len(words) > 0 {
		f.Flags = append(f.Flags, Flag{"fields", strings.Join(words, ",")})
	}
}

// Inputs returns the inputs of the form.
func (planForm) Inputs() []input { return inputs }

// Value returns the value of a flag; "" when it is not given.
func (f planForm) Value(name string) string {
	for _, flag := range f.Flags {
		if flag.Name == name {
			return flag.Value
		}
	}
	return ""
}

// Asks reports whether a field is asked for.
func (f planForm) Asks(field string) bool {
	return slices.Contains(strings.Split(f.Value("fields"), ","), field)
}

// Unit returns the limit on a meter; "" when there is none.
func (f planForm) Unit(name string) string {
	for _, flag := range f.Flags {
		if n, is := strings.CutPrefix(flag.Value, name+"="); flag.Name == "max-units" && is {
			return n
		}
	}
	return ""
}

// Query returns the form as the query of a URL.
func (f planForm) Query() string {
	query := url.Values{"list": {f.List}}
	for _, flag := range f.Flags {
		switch name, value := flag.Name, flag.Value; name {
		case "fields":
			query[name] = strings.Split(value, ",")
		case "max-units":
			unit, n, _ := strings.Cut(value, "=")
			query.Set(unitsPrefix+unit, n)
		default:
			query.Set(name, value)
		}
	}
	return query.Encode()
}

// reading returns the flags on which the reading of the list's columns depends.
func (f planForm) reading() (flags []Flag) {
	for _, flag := range f.Flags {
		if flag.Name == "fields" {
			flags = append(flags, flag)
		}
	}
	return flags
}

// withLimits adds the limits that a run needs and that neither the form nor the configuration gives. Each is the most
// that the list can use according to the plan.
func (f planForm) withLimits(plan *report.Plan) planForm {
	isLimited := func(name, meter string) bool {
		return slices.ContainsFunc(plan.Ceilings, func(c report.Ceiling) bool { return strings.HasPrefix(c.Name, name) && c.Meter == meter })
	}
	f.Flags = slices.Clone(f.Flags)
	if plan.TakesMoney() && !isLimited(provider.CeilingMaxSpend, "") {
		f.set("max-spend", plan.Maximum.String())
	}
	for _, unit := range plan.Units {
		if !isLimited(provider.CeilingMaxUnits, unit.Meter) {
			f.Flags = append(f.Flags, Flag{"max-units", unit.Meter + "=" + strconv.FormatInt(unit.Most, 10)})
		}
	}
	return f
}

// madePlan is a plan that is kept.
type madePlan struct {
	form planForm // with limits
	sum  string
}

// planOf returns the task that plans a list.
func (s *Server) planOf(form planForm, path string) *task {
	of, _ := s.tasks.begin("plan?"+form.Query(), func(ctx context.Context) (any, error) { return s.makePlan(ctx, form, path) })
	return of
}

// makePlan makes a plan with a limit on all that its run can use, and keeps it under its checksum.
func (s *Server) makePlan(ctx context.Context, form planForm, path string) (*madePlan, error) {
	plan, err := s.Program.Plan(ctx, path, form.Flags, "")
	if err != nil {
		return nil, err
	}
	form = form.withLimits(plan)
	made := filepath.Join(s.files.plans(), "new-"+rand.Text()+".json")
	defer os.Remove(made)
	if _, err := s.Program.Plan(ctx, path, form.Flags, made); err != nil {
		return nil, err
	}
	kept, err := pipeline.ReadPlanFile(made)
	if err != nil {
		return nil, err
	}
	s.removeOldPlans()
	return &madePlan{form, kept.Checksum}, os.Rename(made, s.keptPath(kept.Checksum))
}

// planDays is how long a plan that was not run is kept.
const planDays = 30

// removeOldPlans removes plans that were kept long ago. A run in progress has read its plan.
func (s *Server) removeOldPlans() {
	entries, _ := os.ReadDir(s.files.plans())
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && s.Now().Sub(info.ModTime()) > planDays*24*time.Hour {
			_ = os.Remove(filepath.Join(s.files.plans(), entry.Name())) // after an error the next plan tries again
		}
	}
}

func (s *Server) keptPath(sum string) string { return filepath.Join(s.files.plans(), sum+".json") }

// sums matches the checksums of plans.
var sums = regexp.MustCompile(`^[0-9a-f]{64}$`)

// kept reads a kept plan by the checksum of its content.
func (s *Server) kept(sum string) (*pipeline.PlanFile, error) {
	if !sums.MatchString(sum) {
		return nil, notFound("There is no such plan.")
	}
	kept, err := pipeline.ReadPlanFile(s.keptPath(sum))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("This plan is not kept. Make a new one from the list.")
	}
	if err == nil && kept.Checksum != sum {
		return nil, notFound("The file of this plan has changed. Make a new plan from the list.")
	}
	return kept, err
}

// planView is what the screens of a plan show.
type planView struct {
	Sum  string
	Plan part
	Run  string
	Most string // that the run can spend
	// Units are what the run can use of modules.
	Units []report.StepUnits
	// After is how many starts the run had when the plan was shown. An approval is only for the next start.
	After int
	Done  bool
	Name  string
	Form  *planForm // nil on the screen that only approves
}

// viewOf shows a kept plan.
func (s *Server) viewOf(sum string) (view planView, err error) {
	kept, err := s.kept(sum)
	if err != nil {
		return view, err
	}
	last, err := s.starts.last(kept.Plan.Run)
	if err != nil {
		return view, err
	}
	view = planView{Sum: sum, Run: kept.Plan.Run, After: last.Number, Done: kept.Plan.IsDone(), Name: kept.Plan.List, Units: kept.Plan.PossibleUnits()}
	if kept.Plan.TakesMoney() {
		view.Most = report.USD(kept.Plan.Possible)
	}
	view.Plan, err = partOf(kept.Plan)
	return view, err
}

func (s *Server) showPlan(w http.ResponseWriter, r *http.Request) error {
	form := s.formOf(r.URL.Query())
	path, err := s.pathOf(form.List)
	if err != nil {
		return err
	}
	task := s.planOf(form, path)
	ready, err := s.await(w, r, task, "Planning "+filepath.Base(path), "The list is being read, and nothing is sent. The plan")
	if err != nil || !ready {
		return err
	}
	made := task.value.(*madePlan)
	view, err := s.viewOf(made.sum)
	if err != nil {
		return err
	}
	view.Form, view.Name = &made.form, filepath.Base(path)
	s.show(w, r, http.StatusOK, "Plan for "+view.Name, "plan", view)
	return nil
}

func (s *Server) showKept(w http.ResponseWriter, r *http.Request) error {
	view, err := s.viewOf(r.PathValue("sum"))
	if err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "Approve the plan for "+view.Name, "plan", view)
	return nil
}

// approve starts the run of a kept plan, or shows the run when somebody else has started it since the plan was shown.
func (s *Server) approve(w http.ResponseWriter, r *http.Request) error {
	sum := r.PathValue("sum")
	kept, err := s.kept(sum)
	if err != nil {
		return err
	}
	after, err := strconv.Atoi(r.PostFormValue("after"))
	if err != nil {
		return badRequest("This is not the form of a plan.")
	}
	if len(kept.List.Paths) != 1 {
		return badRequest("The page runs only plans with one list. Run this plan in a terminal.")
	}
	path, output := s.keptPath(sum), s.outputOf(kept.List.Paths[0])
	if err := staysIn(output); err != nil {
		return err
	}
	err = s.starts.begin(kept.Plan.Run, after, start{Plan: sum, Output: output}, s.Program.RunArguments(kept, path, output))
	if err != nil && !errors.Is(err, errStarted) {
		return err
	}
	http.Redirect(w, r, runPath(kept.Plan.Run), http.StatusSeeOther)
	return nil
}

// runPath returns the path of the screen of a run.
func runPath(name string) string { return "/runs/" + url.PathEscape(name) }
