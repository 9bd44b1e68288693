package jobs

import (
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
)

// month is what else happens in a month of three jobs: lists are missing, runs need an approval that nobody gives, and
// people pause and resume jobs and paste commands of alerts.
type month struct {
	calm     bool                 // nothing else happens any more
	missing  map[string]time.Time // by occurrence: until when its list is missing
	approval map[string]bool      // by occurrence: whether its run needs an approval
	finished map[string]bool      // by occurrence: every row of its list has its outcome
	pasted   map[string]bool      // IDs of alerts
	happens  map[string]int
}

func newMonth() *month {
	return &month{
		missing: map[string]time.Time{}, approval: map[string]bool{}, finished: map[string]bool{}, pasted: map[string]bool{},
		happens: map[string]int{},
	}
}

// fails returns how a run ends that has no list or no approval.
func (m *month) fails(y *spending, job *Job, at string) (outcome RunOutcome, fails bool) {
	key := job.Name + "/" + at
	if _, known := m.missing[key]; !known {
		m.missing[key] = time.Time{}
		switch y.random.IntN(12) {
		case 0:
			m.missing[key] = y.now.Add(time.Duration(y.random.IntN(60)) * time.Hour)
		case 1:
			m.approval[key] = true
		}
	}
	switch {
	case y.now.Before(m.missing[key]):
		m.happens["a list is missing"]++
		return RunOutcome{Exit: 2, Reason: "usage", Cause: "there is no list lists/" + at + ".csv", CauseKind: "list_missing"}, true
	case m.approval[key]:
		m.happens["nobody approves"]++
		return RunOutcome{Exit: exitApproval, Reason: "approval_missing"}, true
	}
	return outcome, false
}

// ended keeps which lists are finished.
func (m *month) ended(y *spending, one record.Occurrence) {
	if m.finished[one.Job+"/"+one.At] {
		y.t.Errorf("the list of %s of %s was finished, and ran again", one.At, one.Job)
	}
	if one.Until.IsZero() && one.Exit == exitDone {
		m.finished[one.Job+"/"+one.At] = true
	}
}

// commandOf matches the command of an alert that runs one occurrence, and rangeOf names several.
var (
	commandOf = regexp.MustCompile(`(?m)^batch jobs run ([a-z-]+) --occurrence ([-0-9T:]+)(?: --approve [A-Z0-9.]+)?$`)
	rangeOf   = regexp.MustCompile(`^[0-9]+ occurrences from ([-0-9T:]+) to ([-0-9T:]+) did not run: `)
)

// people pause and resume jobs, and paste the commands of alerts.
func (m *month) people(y *spending) {
	for _, job := range y.jobs {
		known, err := checkpoint.JobRecord(y.store, job.Name)
		y.check(err)
		if known.PausedAt.IsZero() && y.random.IntN(30) == 0 {
			m.happens["somebody pauses a job"]++
			if _, until, err := unfinishedOf(y.store, known); err == nil && until.After(y.now) {
				m.happens["somebody pauses a job that waits"]++
			}
			paused(y.t, y.store, job, y.now)
		}
	}
	for id, text := range y.told.texts {
		found := commandOf.FindStringSubmatch(text)
		if found == nil || m.pasted[id] {
			continue
		}
		m.pasted[id] = true
		if y.random.IntN(4) > 0 {
			continue
		}
		at, err := parseLocalTime(found[2])
		y.check(err)
		for _, job := range y.jobs {
			if job.Name == found[1] {
				m.paste(y, job, at)
			}
		}
		return // the order of a map is not that of the seed, so one alert at a time
	}
}

// paste starts one occurrence. That is refused while another one goes on first.
func (m *month) paste(y *spending, job *Job, at LocalTime) {
	known, err := checkpoint.JobRecord(y.store, job.Name)
	y.check(err)
	if at.In(job.Plan.Zone).After(y.now) {
		m.happens["a command has to wait because the clock was set back"]++
		return
	}
	if known.Unfinished != "" && known.Unfinished != at.String() {
		m.happens["a command has to wait for another occurrence"]++
		return
	}
	m.happens["somebody pastes a command"]++
	delete(m.approval, job.Name+"/"+at.String()) // the command approves
	y.startFor(job, RunRequest{At: at})
}

// TestInAMonthEveryListIsFinishedOrNamedWithACommand lives through a month with outages, pauses, resumes, missing lists,
// approvals that nobody gives, ceilings, kills, and a machine that is off. Every list that was due is finished, or an
// alert names it with a command that runs it.
func TestInAMonthEveryListIsFinishedOrNamedWithACommand(t *testing.T) {
	t.Parallel()
	const months = 6
	first := yearSeed()
	var finished, named, kinds atomic.Int64 // in all months: chance decides how much happens in one
	t.Run("months", func(t *testing.T) {
		for i := range uint64(months) {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				t.Logf("seed %d; repeat all with -year.seed=%d", first+i, first)
				inMonth, namedInMonth, happened := liveThroughMonth(t, first+i)
				finished.Add(int64(inMonth))
				named.Add(int64(namedInMonth))
				kinds.Add(int64(happened))
			})
		}
	})
	if finished.Load() < 20*months || named.Load() < 10*months || kinds.Load() < 3*months {
		t.Errorf("too little happened: %d lists finished, %d named, %d kinds of events; -year.seed=%d", finished.Load(), named.Load(), kinds.Load(), first)
	}
}

// liveThroughMonth returns how many lists of a month were finished, how many were named in an alert, and how many kinds
// of events there were.
func liveThroughMonth(t *testing.T, seed uint64) (finished, named, happened int) {
	y := newSpending(t, seed)
	y.month = newMonth()
	for _, job := range y.jobs {
		job.PauseAfter = 3
	}
	end := y.now.AddDate(0, 1, 0)
	y.live(end)
	y.month.calm = true
	for _, job := range y.jobs {
		if known, err := checkpoint.JobRecord(y.store, job.Name); err == nil && !known.PausedAt.IsZero() {
			y.resumeJob(job, known)
		}
	}
	y.live(end.AddDate(0, 1, 0)) // what waits goes on, or its window ends
	finished, named = y.verifyMonth(end)
	for range 100 {
		y.now = y.now.Add(6 * time.Hour)
		for _, job := range y.jobs {
			y.told.send(job)
		}
	}
	y.told.verify()
	t.Logf("seed %d: %d lists finished, %d named in an alert; %v; %v; stops %v", seed, finished, named, y.month.happens, y.happens, y.stops)
	return finished, named, len(y.month.happens)
}

// verifyMonth fails unless every list that was due before an end is finished, or named with a command in an alert that
// was heard. It returns how many there were of both.
func (y *spending) verifyMonth(end time.Time) (finished, named int) {
	for _, job := range y.jobs {
		inAlerts := map[string]bool{}
		for id, text := range y.told.texts {
			if _, heard := y.told.heard["mail"][id]; !heard {
				continue
			}
			command := commandOf.FindStringSubmatch(text)
			if command == nil || command[1] != job.Name {
				continue
			}
			inAlerts[command[2]] = true
			if several := rangeOf.FindStringSubmatch(text); several != nil {
				at, err := parseLocalTime(several[1])
				y.check(err)
				for ; at.String() <= several[2]; at = job.Plan.Times.Next(at) {
					inAlerts[at.String()] = true
				}
			}
		}
		history, err := checkpoint.JobHistory(y.store, job.Name)
		y.check(err)
		from := history[0].At
		if history[0].Count > 1 {
			from = history[0].First
		}
		at, err := parseLocalTime(from)
		y.check(err)
		for ; job.Plan.Due(at).Before(end); at = job.Plan.Times.Next(at) {
			switch {
			case y.month.finished[job.Name+"/"+at.String()]:
				finished++
			case inAlerts[at.String()]:
				named++
			default:
				one, _, _ := checkpoint.OccurrenceRecord(y.store, job.Name, at.String())
				y.t.Errorf("the list of %s of %s is not finished, and no alert names it with a command: %+v", at, job.Name, one)
			}
		}
	}
	return finished, named
}
