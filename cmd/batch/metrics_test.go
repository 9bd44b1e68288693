package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A scheduler serves the metrics of its jobs while they run and afterwards, and says when it drains.
func TestServeHasMetricsOfItsJobs(t *testing.T) {
	t.Parallel()
	n := newNight(t, 2, 40)
	jobs, err := os.ReadFile(filepath.Join(n.dir, "jobs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	n.write("jobs.yaml", strings.Replace(string(jobs), "defaults:\n", "defaults:\n  metrics: '{job}.prom'\n", 1))
	reached, release := n.service.hold(t, 2)
	scheduler := n.batch("jobs", "serve", "--listen", ":0")
	scheduler.stderr.await(t, "the jobs are served")
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(scheduler.stderr.String())
	if address == "" {
		t.Fatalf("it does not say where the metrics are: %s", scheduler.stderr)
	}
	n.step()
	receive(t, reached, "no lookup was sent")
	if status, text := getPage(t, address+"/healthz"); status != http.StatusOK || text != "ok\n" {
		t.Errorf("while a job runs its health is %d %q", status, text)
	}
	if status, text := getPage(t, address+"/metrics"); status != http.StatusOK || !strings.Contains(text, "payonce_build_info") {
		t.Errorf("while a job runs the status of the metrics is %d\n%s", status, text)
	}
	close(release)
	n.service.watch.Store(nil)
	scheduler.stderr.await(t, ": exit 0")
	served := regexp.MustCompile(`payonce_job_last_run_exit_code\{job_name="(full|half)"\} 0\n`)
	for end := time.Now().Add(20 * time.Second); ; { // the metrics are read after the line is written
		if _, text := getPage(t, address+"/metrics"); served.MatchString(text) {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the metrics of the job that ran are not served:\n%s", text)
		}
	}
	if err := scheduler.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if code := scheduler.end(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, scheduler.stderr)
	}
	history := n.history()
	ran := history[len(history)-1]
	file, err := os.ReadFile(filepath.Join(n.dir, ran.Job+".prom"))
	if err != nil {
		t.Fatal(err)
	}
	want := `payonce_job_last_run_spend_dollars{job_name="` + ran.Job + `"} ` + strings.TrimRight(strings.TrimRight(ran.Spent.String(), "0"), ".") + "\n"
	if !strings.Contains(string(file), want) {
		t.Errorf("%s is missing in\n%s", want, file)
	}
}

// getPage returns the status and the text of a page.
func getPage(t *testing.T, address string) (int, string) {
	t.Helper()
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
