package inspect

import (
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/pipeline"
	"payonce/pipeline/report"
)

// callsOf adds up the attempts of a run. It looks for them in the whole journal: where the clock was set back, some are
// before the run's first start.
func callsOf(reader pipeline.UsageReader, run checkpoint.Run) (*report.ReportBuilder, error) {
	builder := report.NewReportBuilder(report.ReportFacts{Scope: report.ReportScope{Run: run.Name}, Accounts: reader.AccountTerms()})
	err := reader.Journal.Attempts(time.Time{}, time.Time{}, func(e attempt.Entry) error {
		builder.Add(report.ReportCall{Entry: e})
		return nil
	})
	return builder, err
}
