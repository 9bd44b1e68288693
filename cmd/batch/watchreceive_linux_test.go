package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/io/sandbox/v2"
	"payonce/io/spool"
	"payonce/pipeline/report"
)

// receiving is "batch watch receive" as a separate process.
type receiving struct {
	t       *testing.T
	process *exec.Cmd
	stdout  bytes.Buffer
	stderr  *lockedText
	state   string
	secret  string // the path
	address string // without the path
}

// lockedText is a text that one goroutine writes and others read.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedText) add(line string) { l.mu.Lock(); defer l.mu.Unlock(); l.text.WriteString(line) }
func (l *lockedText) String() string  { l.mu.Lock(); defer l.mu.Unlock(); return l.text.String() }

// watchOf returns a command below batch watch.
func watchOf(state, baseURL string, args ...string) *exec.Cmd {
	cmd := exec.Command(*programPath, append([]string{"watch"}, args...)...)
	cmd.Env = append(os.Environ(), "BATCH_STATE="+state, "SERVICE_V2_BASE_URL="+baseURL, "SERVICE_V2_API_KEY="+v2.DefaultKey)
	return cmd
}

const noService = "http://127.0.0.1:9/v2" // that nothing answers

// startReceiving starts a receiver and waits until it listens.
func startReceiving(t *testing.T, state, baseURL string, args ...string) *receiving {
	t.Helper()
	path, err := watchOf(state, baseURL, "callback", "path").Output()
	if err != nil {
		t.Fatal(err)
	}
	r := &receiving{t: t, state: state, secret: strings.TrimSpace(string(path)), stderr: &lockedText{}}
	r.process = watchOf(state, baseURL, append([]string{"receive", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	r.process.Stdout = &r.stdout
	stderr, err := r.process.StderrPipe()
	if err := errors.Join(err, r.process.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.process.Process.Kill() })
	listens := make(chan string, 1)
	go func() {
		at := regexp.MustCompile(`received at (https?://[^/]+)/`)
		for lines := bufio.NewReader(stderr); ; {
			line, err := lines.ReadString('\n')
			r.stderr.add(line)
			if found := at.FindStringSubmatch(line); found != nil {
				listens <- found[1]
			}
			if err != nil {
				close(listens)
				return
			}
		}
	}()
	if r.address = <-listens; r.address == "" {
		t.Fatalf("it does not listen: %s", r.stderr)
	}
	return r
}

// stop ends the receiver with SIGTERM and returns its counts.
func (r *receiving) stop() (counts report.Received) {
	r.t.Helper()
	if err := r.process.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
	if err := r.process.Wait(); err != nil {
		r.t.Errorf("it ended with %v: %s", err, r.stderr)
	}
	if err := json.Unmarshal(r.stdout.Bytes(), &counts); err != nil {
		r.t.Errorf("%q: %v", &r.stdout, err)
	}
	return counts
}

// post sends a notification and returns the status.
func (r *receiving) post(client *http.Client, path, body string) int {
	response, err := client.Post(r.address+path, "application/json", strings.NewReader(body))
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// spooled returns the companies that wait.
func spooled(t *testing.T, state string) (ids []string) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(state, "callbacks", "*", "default", "spool"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%q, %v", dirs, err)
	}
	s, err := spool.Open(dirs[0])
	if err == nil {
		err = s.Each(func(e spool.Entry) error { ids = append(ids, e.CompanyID); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// call sends a request of the service and requires a success.
func call(t *testing.T, method, address, authorization, body string) {
	t.Helper()
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", authorization)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); response.StatusCode > 299 {
		t.Fatalf("%s %s: %d %s", method, address, response.StatusCode, text)
	}
}

// A change of a watched company reaches the spool from the service itself, and stays there when the receiver is killed.
func TestTheServicesNotificationsSurviveAKilledReceiver(t *testing.T) {
	t.Parallel()
	service := startService(t, 5, "--admin", "127.0.0.1:0")
	baseURL := strings.TrimSuffix(service.listen(t), "/api/v1") + "/v2"
	state := t.TempDir()
	r := startReceiving(t, state, baseURL)
	if out, err := watchOf(state, baseURL, "callback", "set", r.address, "--secret-path").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := watchOf(state, baseURL, "callback", "show", "--json").Output()
	var shown report.Callback
	if err := errors.Join(err, json.Unmarshal(out, &shown)); err != nil || shown.Callback == nil || *shown.Callback != r.address+r.secret {
		t.Fatalf("%s, %v", out, err)
	}
	change := func(id, value string) {
		call(t, "PUT", service.admin+"/v2/companies/"+id, "Bearer "+adminToken, `{"field":"company_email","value":"`+value+`"}`)
	}
	for _, id := range []string{"1", "2"} {
		call(t, "POST", baseURL+"/companies/"+id+"/watch/start", "Token "+v2.DefaultKey, `{"fields":["company_email"]}`)
		change(id, "new@acme.example")
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(spooled(t, state)) < 2 {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal(r.stderr)
		}
	}
	_ = r.process.Process.Kill()
	_ = r.process.Wait()
	again := startReceiving(t, state, baseURL)
	if got := spooled(t, state); len(got) != 2 {
		t.Errorf("after a kill: %q", got)
	}
	if again.secret != r.secret {
		t.Errorf("another secret after a kill")
	}
	if counts := again.stop(); counts.Accepted != 0 {
		t.Errorf("%+v", counts)
	}
}

// Kills come at any moment of a notification. What was answered with 200 is in the spool.
func TestAReceiverThatIsKilledKeepsWhatItHasAnswered(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	accepted := map[string]bool{}
	for round := range 4 {
		r := startReceiving(t, state, noService)
		var sending sync.WaitGroup
		var mu sync.Mutex
		kill := make(chan struct{})
		var once sync.Once
		for sender := range 4 {
			sending.Go(func() {
				client := &http.Client{Transport: &http.Transport{}}
				for i := 0; ; i++ {
					id := fmt.Sprint(1000*round + 100*sender + i)
					if r.post(client, r.secret, `{"company_data":{"id":`+id+`}}`) != 200 {
						return // it is dead
					}
					mu.Lock()
					accepted[id] = true
					if len(accepted) > 10+25*round {
						once.Do(func() { close(kill) })
					}
					mu.Unlock()
				}
			})
		}
		<-kill
		_ = r.process.Process.Kill()
		sending.Wait()
		_ = r.process.Wait()
	}
	kept := map[string]bool{}
	for _, id := range spooled(t, state) {
		kept[id] = true
	}
	for id := range accepted {
		if !kept[id] {
			t.Errorf("company %s was answered with 200 and is not in the spool", id)
		}
	}
}

func TestAReceiverSpeaksTLSAndReadsTheCertificateAgain(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	first := writeCertificate(t, cert, key)
	r := startReceiving(t, state, noService, "--tls-cert", cert, "--tls-key", key)
	post := func(trusted *x509.Certificate) int {
		roots := x509.NewCertPool()
		roots.AddCert(trusted)
		return r.post(&http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}, r.secret, `{"company_data":{"id":7}}`)
	}
	if status := post(first); status != 200 || !strings.HasPrefix(r.address, "https://") {
		t.Errorf("%s: %d", r.address, status)
	}
	if response, err := http.Post(strings.Replace(r.address, "https", "http", 1)+r.secret, "", nil); err == nil && response.StatusCode == 200 {
		t.Error("it takes requests without TLS")
	}
	second := writeCertificate(t, cert, key)
	if err := r.process.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for post(second) != 200 {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal(r.stderr)
		}
	}
	if err := os.WriteFile(cert, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.process.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(r.stderr.String(), "the earlier certificate stays in use") {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal(r.stderr)
		}
	}
	if post(second) != 200 {
		t.Error("a broken certificate replaced the one in use")
	}
	r.stop()
}

// writeCertificate writes a certificate of this machine that signs itself.
func writeCertificate(t *testing.T, certFile, keyFile string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(file, kind string, der []byte) error {
		return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
	}
	if err := errors.Join(write(keyFile, "PRIVATE KEY", keyDER), write(certFile, "CERTIFICATE", der)); err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// personal is part of every body of the attack, and has to be nowhere afterwards.
const personal = "jane.doe@acme.example"

// TestAnAttackedReceiverStaysSmallAndTellsNothing measures the memory of the program, which the race detector
// multiplies.
func TestAnAttackedReceiverStaysSmallAndTellsNothing(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	state := t.TempDir()
	r := startReceiving(t, state, noService, "--max-waiting", "50", "--metrics", "127.0.0.1:0")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	send := func(path, body string, want int) {
		t.Helper()
		if status := r.post(client, path, body); status != want {
			t.Errorf("%s %.30s: %d, want %d", path[:2], body, status, want)
		}
	}
	for i := range 50 {
		send(r.secret, fmt.Sprintf(`{"company_data":{"id":%d,"name":%q},"new_value":%q}`, i, personal, personal), 200)
	}
	before := peakOf(t, r.process.Process.Pid)

	var attackers sync.WaitGroup
	attack := func(times int, what func(i int)) {
		attackers.Go(func() {
			for i := range times {
				what(i)
			}
		})
	}
	endless := func(path string) func(int) {
		return func(int) { // 100 MB, until the receiver ends the connection
			request, _ := http.NewRequest("POST", r.address+path, io.LimitReader(repeated(personal), 100<<20))
			if response, err := client.Do(request); err == nil {
				response.Body.Close()
			}
		}
	}
	for range 4 {
		attack(5, endless(r.secret))
		attack(5, endless("/"+personal))
	}
	garbage := []string{"", "null", "[" + strings.Repeat("[", 60_000), `{"company_data":{"id":"../` + personal + `"}}`, "\x00\xff" + personal, strings.Repeat(`{"a":`, 12_000)}
	attack(len(garbage), func(i int) { send(r.secret, garbage[i], 400) })
	attack(20, func(i int) { send(r.secret, fmt.Sprintf(`{"company_data":{"id":%d}}`, 1000+i), 503) })
	var slow []net.Conn
	attack(3000, func(i int) {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.address, "http://"))
		if err != nil {
			t.Error(err)
			return
		}
		slow = append(slow, c)
		_, _ = io.WriteString(c, "POST /"+personal+" HTTP/1.1\r\nHost: x\r\nX-Long: "+strings.Repeat("x", i))
	})
	attackers.Wait()
	// The slow senders are still there.
	send(r.secret, `{"company_data":{"id":7}}`, 200)
	send("/"+personal, "", 404)
	after := peakOf(t, r.process.Process.Pid)
	for _, c := range slow {
		c.Close()
	}

	t.Logf("peak memory before %d MB, after %d MB", before>>20, after>>20)
	if after-before > 64<<20 {
		t.Errorf("the memory grew by %d MB", (after-before)>>20)
	}
	metrics := scrape(t, r.stderr.String())
	for _, want := range []string{`payonce_notifications_total{outcome="full"} 20`, `payonce_notifications_repeated_total 1`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics have not %s:\n%s", want, metrics)
		}
	}
	counts := r.stop()
	want := map[string]int64{"full": 20, "no_company": int64(len(garbage))}
	for _, reason := range []string{"path", "too_long"} {
		if want[reason] = counts.Refused[reason]; want[reason] < 5 {
			t.Errorf("only %d refused by %s", want[reason], reason)
		}
	}
	if diff := cmp.Diff(report.Received{Accepted: 51, Repeated: 1, Refused: want}, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if got := spooled(t, state); len(got) != 50 {
		t.Errorf("%d companies wait", len(got))
	}
	for name, text := range map[string]string{"the log": r.stderr.String(), "the output": r.stdout.String(), "the metrics": metrics} {
		if strings.Contains(text, personal) || strings.Contains(text, r.secret) {
			t.Errorf("%s has a part of a body or the secret:\n%s", name, text)
		}
	}
	err := filepath.WalkDir(state, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if filepath.Base(path) != "path-secret" && len(text) > 0 || strings.Contains(path, fmt.Sprintf("%x", personal)) {
			t.Errorf("%s has %d bytes", path, len(text))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// repeated is a text without end.
type repeated string

func (r repeated) Read(data []byte) (n int, err error) {
	for n < len(data) {
		n += copy(data[n:], r)
	}
	return n, nil
}

// scrape returns the metrics of the receiver that wrote a log.
func scrape(t *testing.T, log string) string {
	t.Helper()
	at := regexp.MustCompile(`http://[^ ]+/metrics`).FindString(log)
	response, err := http.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var ours []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "payonce_") {
			ours = append(ours, line)
		}
	}
	return strings.Join(ours, "")
}

// peakOf returns the most memory that a process had at a time, in bytes.
func peakOf(t *testing.T, pid int) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(text), "VmHWM:")
	if _, err := fmt.Sscanf(line, "%d kB", &bytes); err != nil || !found {
		t.Fatalf("no peak in %s", text)
	}
	return bytes << 10
}
