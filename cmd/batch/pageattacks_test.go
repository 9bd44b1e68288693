package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func TestThePageRefusesWhoeverIsNotSignedIn(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	p.demoList("contacts.csv", 5)
	path, _ := p.plan("folder/contacts.csv", "fields", "email")
	cookie := func(value string) func(*http.Request) {
		return func(r *http.Request) {
			for _, own := range p.browser.Jar.Cookies(r.URL) {
				r.AddCookie(&http.Cookie{Name: own.Name, Value: strings.ReplaceAll(value, "OWN", own.Value)})
			}
		}
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	body := func(text string) func(*http.Request) { // its length is not announced
		return func(r *http.Request) { r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(text)) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for _, attack := range []struct {
		name, method, path string
		client             *http.Client
		change             func(*http.Request)
		status             int
	}{
		{"no cookie", "GET", "/", p.stranger, nil, 403},
		{"no cookie, a run", "POST", path, p.stranger, nil, 403},
		{"no cookie, a result", "GET", "/runs/x/download", p.stranger, nil, 403},
		{"an invented cookie", "GET", "/", p.stranger, cookie("9999999999.00"), 403},
		{"a cookie that lasts longer", "GET", "/", p.stranger, cookie("9OWN"), 403},
		{"a screen with the path of a file that is open", "GET", "/runs/..%2F..%2Fstatic%2Fpage.css", p.stranger, nil, 403},
		{"a result with such a path", "GET", "/runs/..%2Fstatic/result", p.stranger, nil, 403},
		{"a stop with such a path", "POST", "/runs/..%2Fstatic/stop", p.stranger, nil, 403},
		{"a token again", "GET", strings.TrimPrefix(p.invited, p.url), p.stranger, nil, 403},
		{"an invented token", "GET", "/login?token=AAAAAAAAAAAAAAAAAAAAAAAAAA", p.stranger, nil, 403},
		{"another host", "GET", "/", p.browser, host("attacker.example"), 421},
		{"another host with this port", "GET", "/", p.browser, host("attacker.example:" + p.url[strings.LastIndex(p.url, ":")+1:]), 421},
		{"another host for the login", "GET", "/login?token=x", p.stranger, host("attacker.example"), 421},
		{"another host for the metrics", "GET", "/metrics", p.stranger, host("attacker.example"), 421},
		{"no host", "GET", "/", p.browser, host("-"), 421},
		{"another site", "POST", path, p.browser, header("Sec-Fetch-Site", "cross-site"), 403},
		{"another port of this machine", "POST", path, p.browser, header("Sec-Fetch-Site", "same-site"), 403},
		{"another origin", "POST", path, p.browser, header("Origin", "http://attacker.example"), 403},
		{"no origin", "POST", path, p.browser, header("Origin", "null"), 403},
		{"JSON as a simple request", "POST", path, p.browser, header("Content-Type", "text/plain"), 415},
		{"JSON", "POST", path, p.browser, header("Content-Type", "application/json"), 415},
		{"no type", "POST", path, p.browser, header("Content-Type", ""), 415},
		{"a form that is no plan", "POST", path, p.browser, nil, 400},
		{"a form that is broken", "POST", path, p.browser, body("after=0&x=%zz"), 400},
		{"a form that is too large", "POST", path, p.browser, body("after=0&x=" + strings.Repeat("x", 2<<20)), 413},
		{"another method", "PUT", path, p.browser, nil, 405},
		{"a stop by a link", "GET", "/runs/x/stop", p.browser, nil, 404},
	} {
		answer := p.do(attack.client, attack.method, p.url+attack.path, `{"after":0}`, attack.change)
		if answer.status != attack.status {
			t.Errorf("%s: %d, want %d", attack.name, answer.status, attack.status)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
			"Referrer-Policy":         "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		} {
			if got := answer.header.Get(name); got != want {
				t.Errorf("%s: the header %s is %q", attack.name, name, got)
			}
		}
		if answer.status != 400 && (strings.Contains(answer.text, "contacts.csv") || answer.header.Get("Set-Cookie") != "") {
			t.Errorf("%s: the refusal tells of lists or signs in:\n%s", attack.name, answer.text)
		}
	}
	if n := p.starts(); n != 0 {
		t.Errorf("%d runs started", n)
	}
}

func TestALoginIsForOneBrowserAndSurvivesARestart(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	first := p.invited
	p.kill()
	p.get("/")
	if answer := p.do(p.stranger, http.MethodGet, p.url+first[strings.Index(first, "/login"):], "", nil); answer.status != http.StatusForbidden {
		t.Errorf("a token of an earlier start answers %d", answer.status)
	}
	if answer := p.do(p.stranger, http.MethodHead, p.invited, "", nil); answer.status != http.StatusForbidden || answer.header.Get("Set-Cookie") != "" {
		t.Errorf("HEAD answers %d %v", answer.status, answer.header)
	}
	answer := p.do(p.stranger, http.MethodGet, p.invited, "", nil)
	set := answer.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if answer.status != http.StatusOK || !strings.Contains(set, want) {
			t.Errorf("%d, the cookie %q is not %s", answer.status, set, want)
		}
	}
	invited := p.do(p.browser, http.MethodPost, p.url+"/browsers", "do=invite", nil)
	found := invitation.FindString(strings.ReplaceAll(strings.ReplaceAll(invited.text, `<pre class="address">`, "\n"), "</pre>", "\n"))
	if answer := p.do(p.stranger, http.MethodGet, found, "", nil); answer.status != http.StatusOK {
		t.Errorf("the address %q for another browser answers %d", found, answer.status)
	}
	p.do(p.browser, http.MethodPost, p.url+"/browsers", "do=sign-out", nil)
	if answer := p.do(p.browser, http.MethodGet, p.url+"/", "", nil); answer.status != http.StatusForbidden {
		t.Errorf("a browser that is signed out gets %d", answer.status)
	}
	key, err := os.Stat(p.state("page", "key"))
	if err != nil || key.Mode().Perm() != 0o600 {
		t.Errorf("the key of logins: %v %v", key.Mode(), err)
	}
}

func TestAnAddressCannotLeaveTheListsAndThePlans(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	secret := filepath.Join(p.dir, "secret.csv")
	if err := os.WriteFile(secret, []byte("first_name,last_name,company_domain\nSecret,Person,acme.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(p.lists(), "inner.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{
		"folder/../secret.csv", "folder/..%2fsecret.csv", "upload/../../page/key", "folder/" + secret, secret, "folder//" + secret, "folder/..", "folder/.", "folder/",
		"elsewhere/secret.csv", "folder/..\\secret.csv", "folder/secret.csv\x00.csv", "folder/inner.csv", "folder/inner.csv/../../secret.csv", "",
	} {
		for _, screen := range []string{"/columns?", "/plan?"} {
			answer := p.do(p.browser, http.MethodGet, p.url+screen+url.Values{"list": {list}}.Encode(), "", nil)
			if answer.status != http.StatusNotFound || strings.Contains(answer.text, "Secret") {
				t.Errorf("%s%q: %d", screen, list, answer.status)
			}
		}
	}
	for _, path := range []string{
		"/plans/..%2f..%2fkey", "/plans/" + strings.Repeat("0", 64), "/plans/x", "/static/..%2fpage.html", "/static/page.html", "/runs/..%2f..", "/runs/none", "/runs/none/result",
		"/runs/none/download", "/nothing",
	} {
		if answer := p.do(p.browser, http.MethodGet, p.url+path, "", nil); answer.status != http.StatusNotFound && answer.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", path, answer.status)
		}
	}
}

func TestALinkThatLeadsOutOfTheListsIsNotFollowed(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	p.demoList("contacts.csv", 5)
	p.demoList("shared.csv", 5)
	const secretText = "first_name,last_name,company_domain\nSecret,Person,acme.example\n"
	secret := filepath.Join(p.dir, "secret.csv")
	if err := os.WriteFile(secret, []byte(secretText), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(p.lists(), name)); err != nil {
			t.Fatal(err)
		}
	}
	path, after := p.plan("folder/shared.csv", "fields", "email")
	for name, target := range map[string]string{
		"relative.csv": "../secret.csv", "absolute.csv": secret, "second.csv": "relative.csv", "nowhere.csv": "../none.csv", "up": "..", "through.csv": "up/secret.csv",
		"device.csv": "/dev/zero", "alias.csv": "contacts.csv", "shared.enriched.csv": "../secret.csv", "mapped.csv": "contacts.csv", "mapped.csv.map.yaml": "../secret.csv",
	} {
		link(target, name)
	}
	lists := p.get("/")
	for _, name := range []string{"relative", "absolute", "second", "nowhere", "through", "device"} {
		if strings.Contains(lists, name+".csv") {
			t.Errorf("%s is offered", name)
		}
	}
	for _, name := range []string{"relative", "absolute", "second", "nowhere", "through", "device", "shared", "mapped"} {
		for _, screen := range []string{"/columns?", "/plan?"} {
			answer := p.do(p.browser, http.MethodGet, p.url+screen+url.Values{"list": {"folder/" + name + ".csv"}}.Encode(), "", nil)
			if answer.status != http.StatusForbidden && answer.status != http.StatusNotFound || strings.Contains(answer.text, "Secret") {
				t.Errorf("%s%s: %d\n%s", screen, name, answer.status, answer.text)
			}
		}
	}
	if answer := p.do(p.browser, http.MethodPost, p.url+path, "after="+after, nil); answer.status != http.StatusForbidden || p.starts() != 0 {
		t.Errorf("a run that would write through a link: %d, %d starts", answer.status, p.starts())
	}
	if text := p.get("/columns?list=folder/alias.csv"); !strings.Contains(text, "Columns of alias.csv") {
		t.Errorf("a link to a list of the folder is not followed:\n%s", text)
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != secretText {
		t.Errorf("the file outside is %q, error %v", text, err)
	}
}

func TestUploadsAreBoundedPrivateAndKnownToForget(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "", "--max-upload", "1M", "--rate", "1000/1s")
	for name, status := range map[string]int{
		"list.csv": 303, "../../escaped.csv": 303, `C:\lists\windows.csv`: 303, "ünïcode läst.csv": 303, "packed.csv.gz": 303,
		"script.html": 400, "": 400, "..": 400, ".hidden.csv": 400, strings.Repeat("a", 300) + ".csv": 400, "bidi\u202e.csv": 400, "key": 400,
	} {
		if answer := p.upload(name, "first_name,last_name,company_domain\nAda,Abbott,acme.example\n"); answer.status != status {
			t.Errorf("%q: %d, want %d", name, answer.status, status)
		}
	}
	p.upload("list.csv", "first_name\nanother\n")
	dir := p.state("lists", "uploads")
	var names []string
	err := filepath.WalkDir(filepath.Dir(filepath.Dir(dir)), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v %v", path, info.Mode(), err)
		}
		if filepath.Dir(path) == dir {
			names = append(names, entry.Name())
		}
		return nil
	})
	want := []string{"escaped.csv", "list-2.csv", "list.csv", "packed.csv.gz", "windows.csv", "ünïcode läst.csv"}
	if slices.Sort(names); err != nil || !slices.Equal(names, want) {
		t.Errorf("the uploads are %q, want %q, error %v", names, want, err)
	}
	for name, change := range map[string]func(*http.Request){
		"10 GB that are announced": func(r *http.Request) {
			r.ContentLength = 10 << 30
			r.Body = io.NopCloser(io.LimitReader(endless{}, 10<<30))
		},
		"10 GB that are not announced": func(r *http.Request) {
			head := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.csv\"\r\n\r\n"
			r.ContentLength, r.Body = -1, io.NopCloser(io.MultiReader(strings.NewReader(head), io.LimitReader(endless{}, 10<<30)))
		},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/lists", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		change(request)
		response, err := p.browser.Do(request)
		if err != nil {
			// The server has answered and closed the connection while the rest was sent.
			t.Logf("%s: %v", name, err)
			continue
		}
		response.Body.Close()
		if response.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d", name, response.StatusCode)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(want) {
		t.Errorf("%d files are there after refused uploads, error %v", len(entries), err)
	}
	path, after := p.plan("upload/list.csv", "fields", "email")
	p.ended(p.post(path, "after", after)) // now there is a journal
	forgotten := exec.Command(*programPath, "forget", "--first-name", "Ada", "--last-name", "Abbott", "--company-domain", "acme.example", "--yes", "--sandbox", "--state", filepath.Join(p.dir, "state"))
	if text, err := forgotten.CombinedOutput(); err != nil || !bytes.Contains(text, []byte("list.csv")) {
		t.Errorf("forget does not tell of the upload, error %v:\n%s", err, text)
	}
	if _, err := os.Stat(filepath.Join(dir, "list.csv")); err == nil {
		t.Error("the upload that names the person is still there")
	}
}

// endless is an endless list.
type endless struct{}

func (endless) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = 'a'
	}
	return len(into), nil
}

// hostile are texts that try to become more than text, in HTML, in attributes, in addresses and in scripts.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `javascript:alert(1)`, `</table></main><iframe src=//attacker.example>`,
	`<svg/onload=alert(1)>`, `{{.}}`, `&lt;script&gt;`, `</textarea><style>*{display:none}</style>`, "\u202ereversed", "\x00\x1b[31m",
}

func TestNothingOfAListIsHTML(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "", "--rate", "1000/1s")
	var text strings.Builder
	quoted := func(cells []string) {
		for i, cell := range cells {
			cells[i] = `"` + strings.ReplaceAll(strings.ReplaceAll(cell, `"`, `""`), "\x00", "") + `"`
		}
		text.WriteString(strings.Join(cells, ",") + "\n")
	}
	quoted(append([]string{"first_name", "last_name", "company_domain"}, hostile...))
	for i := range hostile {
		quoted(append([]string{hostile[i], hostile[(i+1)%len(hostile)], fmt.Sprintf("acme-%d.example", i)}, append(slices.Clone(hostile[i:]), hostile[:i]...)...))
	}
	const name = `<b onclick=alert(1)>&"' list.csv`
	if err := os.WriteFile(filepath.Join(p.lists(), name), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	list := "folder/" + name
	path, after := p.plan(list, "fields", "email", "priority", "")
	run := p.post(path, "after", after)
	p.ended(run)
	query := url.Values{"list": {list}}.Encode()
	shown := 0
	for _, screen := range []string{
		"/", "/columns?" + query, "/plan?" + query, path, "/runs", run, run + "/result", run + "/result?outcome=" + url.QueryEscape(hostile[1]), "/report?run=" + strings.TrimPrefix(run, "/runs/"),
		"/budget", "/doubts", "/report?job=" + url.QueryEscape(hostile[1]), "/report?month=" + url.QueryEscape(hostile[0]), "/plan?" + query + "&priority=" + url.QueryEscape(hostile[0]),
		"/runs/" + url.PathEscape(strings.ReplaceAll(hostile[1], "/", "")), "/plan?list=" + url.QueryEscape(hostile[1]), "/login?token=" + url.QueryEscape(hostile[1]),
	} {
		answer := p.do(p.browser, http.MethodGet, p.url+screen, "", nil)
		if answer.status == http.StatusInternalServerError {
			t.Errorf("%s: %d", screen, answer.status)
		}
		shown += strings.Count(answer.text, "alert(1)")
		for _, wrong := range markupOf(t, answer.text) {
			t.Errorf("%s has %s", screen, wrong)
		}
	}
	if shown < 50 {
		t.Errorf("the hostile texts are shown %d times only", shown)
	}
}

// markupOf returns all markup of a page that only a list can have brought.
func markupOf(t *testing.T, text string) (wrong []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for node := range root.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		isScript := node.Data == "script" && len(node.Attr) == 2 && node.Attr[0].Val == "/static/page.js" && node.FirstChild == nil
		if slices.Contains([]string{"script", "img", "iframe", "style", "b", "object", "textarea"}, node.Data) && !isScript {
			wrong = append(wrong, "an element "+node.Data)
		}
		for _, attribute := range node.Attr {
			value := strings.ToLower(strings.TrimSpace(attribute.Val))
			isAddress := slices.Contains([]string{"href", "src", "action"}, attribute.Key)
			switch {
			case strings.HasPrefix(attribute.Key, "on") || attribute.Key == "style":
				wrong = append(wrong, "an attribute "+attribute.Key)
			case isAddress && !strings.HasPrefix(value, "/") && value != "#main" || isAddress && strings.HasPrefix(value, "//"):
				wrong = append(wrong, "an address "+attribute.Val)
			}
		}
	}
	return wrong
}

func TestAThousandIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	p := newServedPage(t, "")
	address := strings.TrimPrefix(p.url, "http://")
	var idle []net.Conn
	for range 1000 {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		idle = append(idle, connection)
	}
	for i, half := range idle[:600] {
		request := "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: "
		switch i {
		case 0, 1, 2, 3: // the head is complete, and the form never is
			request = []string{"GET", "POST"}[i%2] + []string{" /login", " /lists"}[i/2] + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
				"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\npass"
		}
		if _, err := io.WriteString(half, request); err != nil {
			t.Fatal(err)
		}
	}
	p.get("/") // others are served meanwhile
	for i, connection := range idle {
		if err := connection.SetReadDeadline(time.Now().Add(longWait)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, connection); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Fatalf("connection %d stays open: %v", i, err)
		}
	}
	p.get("/")
}

// certificateFor writes a certificate with a name and its key, and returns the files.
func certificateFor(t *testing.T, name string) (certificate, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return certificate, key, pool
}

func TestACertificateThatWasRenewedIsUsed(t *testing.T) {
	t.Parallel()
	certificate, key, first := certificateFor(t, "lists.example")
	renewed, newKey, second := certificateFor(t, "lists.example")
	p := newServedPageWith(t, "", func(p *servedPage) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: first, ServerName: "lists.example"}}
		transport.DialContext = dialLocally
		p.browser.Transport = transport
	}, "--tls-cert", certificate, "--tls-key", key)
	address := "127.0.0.1" + p.url[strings.LastIndex(p.url, ":"):]
	trusts := func(pool *x509.CertPool) bool {
		connection, err := tls.Dial("tcp", address, &tls.Config{RootCAs: pool, ServerName: "lists.example"})
		return err == nil && connection.Close() == nil
	}
	minutes := 0
	replace := func(path, by string) {
		t.Helper()
		text, err := os.ReadFile(by)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if minutes++; err == nil {
			at := time.Now().Add(time.Duration(minutes) * time.Minute)
			err = os.Chtimes(path, at, at)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !trusts(first) || trusts(second) {
		t.Fatal("the page does not use its certificate")
	}
	replace(certificate, renewed) // its key is not there yet
	if !trusts(first) {
		t.Error("while a certificate is renewed the page does not use the one before")
	}
	replace(key, newKey)
	if trusts(first) || !trusts(second) {
		t.Error("the page does not use the renewed certificate")
	}
	replace(certificate, newKey)
	if !trusts(second) {
		t.Error("with a broken file the page does not use the certificate before")
	}
}

func TestAnotherAddressNeedsTLSAndAPassword(t *testing.T) {
	t.Parallel()
	certificate, key, pool := certificateFor(t, "lists.example")
	dir := t.TempDir()
	file := func(name, text string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	password := file("password", "correct horse battery\nnot this line\n", 0o600)
	for _, flags := range [][]string{
		{},
		{"--tls-cert", certificate, "--tls-key", key},
		{"--password-file", password},
		{"--tls-cert", certificate, "--password-file", password},
		{"--tls-cert", certificate, "--tls-key", key, "--password-file", file("open", "correct horse battery", 0o644)},
		{"--tls-cert", certificate, "--tls-key", key, "--password-file", file("short", "horse", 0o600)},
		{"--tls-cert", certificate, "--tls-key", password, "--password-file", password},
	} {
		command := exec.Command(*programPath, append([]string{"serve", "--sandbox", "--state", dir, "--listen", "0.0.0.0:0"}, flags...)...)
		if text, err := command.CombinedOutput(); command.ProcessState.ExitCode() != exitUsage {
			t.Errorf("%v: %v\n%s", flags, err, text)
		}
	}
	token := file("token", "a token for metrics", 0o600)
	p := newServedPageWith(t, "", func(p *servedPage) {
		p.flags[1] = "0.0.0.0:0"
		for _, client := range []*http.Client{p.browser, p.stranger} {
			transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "lists.example"}}
			transport.DialContext = dialLocally
			client.Transport = transport
		}
	}, "--tls-cert", certificate, "--tls-key", key, "--password-file", password, "--metrics-token-file", token)
	if !strings.HasPrefix(p.url, "https://lists.example:") {
		t.Errorf("the address is %s", p.url)
	}
	if answer := p.do(p.stranger, http.MethodGet, p.url+"/", "", nil); answer.status != http.StatusSeeOther || answer.header.Get("Location") != "/login" {
		t.Errorf("a stranger gets %d %v", answer.status, answer.header)
	}
	if answer := p.do(p.browser, http.MethodGet, p.url+"/", "", func(r *http.Request) { r.Host = "127.0.0.1" }); answer.status != http.StatusMisdirectedRequest {
		t.Errorf("a name that the certificate does not have: %d", answer.status)
	}
	for range 5 {
		if answer := p.do(p.stranger, http.MethodPost, p.url+"/login", "password=wrong", nil); answer.status != http.StatusForbidden {
			t.Errorf("a wrong password: %d", answer.status)
		}
	}
	if answer := p.do(p.stranger, http.MethodPost, p.url+"/login", "password=correct+horse+battery", nil); answer.status != http.StatusTooManyRequests {
		t.Errorf("a password after five wrong ones: %d", answer.status)
	}
	p.until("the password is looked at again", func() bool {
		answer := p.do(p.stranger, http.MethodPost, p.url+"/login", "password=correct+horse+battery", nil)
		return answer.status == http.StatusSeeOther && strings.Contains(answer.header.Get("Set-Cookie"), "Secure")
	})
	for authorization, status := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer a token for metrics": 200} {
		answer := p.do(p.stranger, http.MethodGet, p.url+"/metrics", "", func(r *http.Request) { r.Header.Set("Authorization", authorization) })
		if answer.status != status || (status == 200) != strings.Contains(answer.text, "payonce_build_info") {
			t.Errorf("metrics with %q: %d\n%.200s", authorization, answer.status, answer.text)
		}
	}
}
