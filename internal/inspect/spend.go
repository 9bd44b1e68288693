package inspect

import (
	"time"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/internal/report/runview"
	"payonce/internal/usage"
)

// explainSpend adds the attempts of a run up, in three ways. It looks for them in the
// whole journal: where the clock was set back, some lie before the run's first start.
func explainSpend(reader usage.Reader, run checkpoint.Run) (*runview.Spend, error) {
	view := runview.NewSpend(reader.AccountTerms())
	err := reader.Journal.Attempts(time.Time{}, time.Time{}, func(e attempt.Entry) error {
		if e.Run != run.Name {
			return nil
		}
		view.Add(e)
		return nil
	})
	return view, err
}
