package jobs

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"

	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/report"
)

// nightlyMetrics is a job with every metric.
func nightlyMetrics() JobMetrics {
	at := time.Date(2026, 11, 23, 2, 30, 0, 0, time.UTC)
	fields := enrich.Named("email")
	return JobMetrics{
		Read: at.Add(time.Hour),
		Known: Known{
			Job: record.Job{Name: "nightly", Failures: 2, Unfinished: "second"},
			History: []record.Occurrence{
				{At: "first", Count: 1, Starts: 1, Began: at.AddDate(0, 0, -1).Add(-time.Minute), Ended: at.AddDate(0, 0, -1)},
				{At: "second", Count: 1, Starts: 1, Began: at, Ended: at.Add(90 * time.Second), Exit: 3, Found: 4, Lookups: 6, Spent: 2 * cost.Dollar, Until: at.Add(24 * time.Hour)},
			},
		},
		Accounts: []AccountMetrics{
			{
				Name: "v1-0", MayBeFree: 5 * cost.Cent, InDoubt: 3,
				AccountTerms: report.AccountTerms{Catalogue: fields, Tariff: cost.Tariff{Meters: []cost.MeterInfo{{Name: "usd"}, {Name: "free_email"}}}},
				Totals: cost.Totals{
					Lookups: 9, Uncharged: 2, Forfeited: 1, Settled: cost.Amounts{int64(12_55 * cost.Cent), 5}, Held: cost.Amounts{int64(cost.Dollar), 1},
					Asked: enrich.ByField[int64]{9}, Returned: enrich.ByField[int64]{7},
				},
				LastRun: cost.Totals{Returned: enrich.ByField[int64]{4}},
			},
			{Name: "v2-1"},
		},
		Ceilings: []CeilingMetrics{
			{Name: "daily", Meter: "usd", Limit: int64(20 * cost.Dollar), Left: int64(7_50 * cost.Cent)},
			{Name: "max-units", Account: "v2-1", Meter: "companies", Limit: 500, Left: 20},
		},
		Rows: map[string]int64{"matched": 4, "not_found": 1}, Waited: map[string]float64{"ceiling:daily": 3600.5},
	}
}

const nightlyFile = `# HELP payonce_job_calls_in_doubt Calls that may have been charged and whose answers did not arrive.
# TYPE payonce_job_calls_in_doubt gauge
payonce_job_calls_in_doubt{account="v1-0",job_name="nightly"} 3
payonce_job_calls_in_doubt{account="v2-1",job_name="nightly"} 0
`

func TestTheFileOfAJobHasItsValuesInBaseUnits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nightly.prom")
	if err := writeMetricsFile(path, nightlyMetrics()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{
		nightlyFile,
		`payonce_job_calls_total{account="v1-0",job_name="nightly",outcome="answered"} 9`,
		`payonce_job_calls_total{account="v1-0",job_name="nightly",outcome="forfeited"} 1`,
		`payonce_job_spend_dollars_total{account="v1-0",job_name="nightly"} 12.5`,
		`payonce_job_provisional_dollars{account="v1-0",job_name="nightly"} 0.05`,
		`payonce_job_held_dollars{account="v1-0",job_name="nightly"} 1`,
		`payonce_job_values_found_total{account="v1-0",field="email",job_name="nightly"} 7`,
		`payonce_job_units_total{account="v1-0",job_name="nightly",meter="free_email"} 5`,
		`payonce_job_ceiling_left_dollars{ceiling="daily",job_name="nightly"} 7.5`,
		`payonce_job_ceiling_left_units{account="v2-1",ceiling="max-units",job_name="nightly",meter="companies"} 20`,
		`payonce_job_waiting{job_name="nightly"} 1`,
		`payonce_job_occurrences{job_name="nightly",state="done"} 1`,
		`payonce_job_occurrences{job_name="nightly",state="paused"} 0`,
		`payonce_job_waited_seconds_total{job_name="nightly",reason="ceiling:daily"} 3600.5`,
		`payonce_job_last_run_duration_seconds{job_name="nightly"} 90`,
		`payonce_job_last_run_exit_code{job_name="nightly"} 3`,
		`payonce_job_last_run_rows{job_name="nightly",outcome="matched"} 4`,
		`payonce_job_last_success_timestamp_seconds{job_name="nightly"} 1.7953146e+09`,
	} {
		if !strings.Contains(text, strings.TrimSuffix(want, "\n")+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "ceiling_left_dollars{ceiling=\"max-units\"") {
		t.Error("units are shown as money")
	}
}

func TestTheNamesFollowTheConventionsOfPrometheus(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(newCollector(nightlyMetrics()))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if described := len(jobMetrics); len(families) != described {
		t.Errorf("the job has %d metrics, and %d are described: it shows the rest to nobody", len(families), described)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestMetricsOfAJobThatNeverRanHaveNoTimestamps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new.prom")
	if err := writeMetricsFile(path, JobMetrics{Known: Known{Job: record.Job{Name: "new", PausedAt: time.Now()}}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "timestamp") || !strings.Contains(string(text), `payonce_job_paused{job_name="new"} 1`) {
		t.Errorf("%s", text)
	}
}

// get returns the status and the body of a page.
func get(t *testing.T, address string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestTheServerHasTheMetricsOfTheJobsThatAreLeft(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent()) // so this test is not parallel
	jobs := newCollector(nightlyMetrics())
	s, err := ListenMetrics(":0", "1.2.3", jobs)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.Address(), "127.0.0.1:") {
		t.Errorf("without a host it listens at %s", s.Address())
	}
	base := "http://" + s.Address()
	status, text := get(t, base+"/metrics")
	for _, want := range []string{`payonce_job_paused{job_name="nightly"} 0`, `payonce_build_info{version="1.2.3"} 1`, "go_goroutines ", "process_open_fds "} {
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("status %d, without %s:\n%s", status, want, text)
		}
	}
	jobs.Set(JobMetrics{Known: Known{Job: record.Job{Name: "other"}}})
	jobs.Keep([]string{"other"})
	if _, text := get(t, base+"/metrics"); strings.Contains(text, "nightly") || !strings.Contains(text, `job_name="other"`) {
		t.Errorf("nightly is not served any more, and other is:\n%s", text)
	}
	var health []string
	for range 2 {
		status, text := get(t, base+"/healthz")
		health = append(health, http.StatusText(status)+": "+text)
		s.Stopping()
	}
	if diff := cmp.Diff([]string{"OK: ok\n", "Service Unavailable: stopping\n"}, health); diff != "" {
		t.Error(diff)
	}
	if status, _ := get(t, base+"/"); status != http.StatusNotFound {
		t.Errorf("another page has the status %d", status)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestAnAddressWithoutAPortIsRefused(t *testing.T) {
	t.Parallel()
	if s, err := ListenMetrics("localhost", "", newCollector()); err == nil {
		t.Errorf("it listens at %s", s.Address())
	}
}
