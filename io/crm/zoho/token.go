package zoho

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"payonce/enrich"
	"payonce/io/atomicfile"
	"payonce/io/crm"
	"payonce/io/service"
)

// "Token Validity": an access token is valid for an hour, and a refresh token gives ten of them in ten minutes.
const (
	tokenLife     = time.Hour
	tokensPerSpan = 10
	tokenSpan     = 10 * time.Minute
	// tokenMargin is the time before its end from which a token is no longer used.
	tokenMargin = time.Minute
)

// token is the content of the token file.
type token struct {
	// Client is a hash of the credentials. A file of other credentials is not used.
	Client  string    `json:"client"`
	Access  string    `json:"access_token"`
	API     string    `json:"api_domain"`
	Expires time.Time `json:"expires"`
	// Asked has the times of requests for tokens. Each is durable before its request is sent.
	Asked []time.Time `json:"asked"`
}

// tokens gets access tokens and keeps the newest one.
type tokens struct {
	config  Config
	at      service.Address
	sender  *service.Sender
	asking  places // one place: who asks for a token
	current token
}

func newTokens(config Config, at service.Address, sender *service.Sender) *tokens {
	sum := sha256.Sum256([]byte(strings.Join([]string{at.String(), config.ClientID, config.ClientSecret, config.RefreshToken}, "\x1f")))
	return &tokens{config: config, at: at, sender: sender, asking: make(places, 1), current: token{Client: hex.EncodeToString(sum[:])}}
}

// get returns a token other than the refused one. It requests a new one only if no other goroutine or process has done
// so.
func (t *tokens) get(ctx context.Context, refused string) (token, error) {
	if err := t.asking.take(ctx); err != nil {
		return token{}, err
	}
	defer t.asking.leave()
	if t.usable(t.current, refused) {
		return t.current, nil
	}
	if t.config.TokenFile != "" {
		unlock, err := atomicfile.Lock(ctx, t.config.TokenFile+".lock")
		if err != nil {
			return token{}, err
		}
		defer unlock() // the end of the process unlocks too
		if err := t.load(); err != nil {
			return token{}, err
		}
		if t.usable(t.current, refused) {
			return t.current, nil
		}
	}
	now := t.config.Now()
	t.current.Asked = slices.DeleteFunc(t.current.Asked, func(at time.Time) bool { return now.Sub(at) >= tokenSpan || at.After(now) })
	if len(t.current.Asked) >= tokensPerSpan {
		return token{}, &crm.Error{
			Problem: crm.Exhausted, Until: t.current.Asked[0].Add(tokenSpan),
			Err: fmt.Errorf("%d access tokens were requested within %s, which is the limit of the CRM", tokensPerSpan, tokenSpan),
		}
	}
	t.current.Asked = append(t.current.Asked, now)
	t.current.Access = ""
	if err := t.save(); err != nil { // before the request, so that a crash does not lose it
		return token{}, err
	}
	if err := t.ask(ctx); err != nil {
		return token{}, err
	}
	return t.current, t.save()
}

func (t *tokens) usable(of token, refused string) bool {
	return of.Access != "" && of.Access != refused && t.config.Now().Before(of.Expires.Add(-tokenMargin))
}

// load reads the file. A file that is missing, of other credentials or not readable as JSON holds no token.
func (t *tokens) load() error {
	if info, err := os.Stat(t.config.TokenFile); err == nil && info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(t.config.TokenFile, 0o600); err != nil {
			return err
		}
	}
	text, err := atomicfile.ReadSmall(t.config.TokenFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept token
	if json.Unmarshal(text, &kept) == nil && kept.Client == t.current.Client {
		t.current = kept
	}
	return nil
}

func (t *tokens) save() error {
	if t.config.TokenFile == "" {
		return nil
	}
	return atomicfile.Replace(t.config.TokenFile, 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(t.current) })
}

// ask asks for a token once.
func (t *tokens) ask(ctx context.Context) error {
	form := url.Values{
		"grant_type": {"refresh_token"}, "client_id": {t.config.ClientID}, "client_secret": {t.config.ClientSecret},
		"refresh_token": {t.config.RefreshToken},
	}
	said, verdict := t.sender.Send(ctx, t.at, service.Request{
		Method: http.MethodPost, Path: "oauth/v2/token", Body: []byte(form.Encode()),
		Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
	})
	if verdict != nil {
		return unanswered(verdict)
	}
	given, problem := decodeToken(said.Status, said.Body)
	if problem != nil {
		if problem.Problem == crm.Exhausted {
			problem.Until = t.config.Now().Add(tokenSpan)
		}
		return problem
	}
	t.current.Access, t.current.API, t.current.Expires = given.access, given.api, t.config.Now().Add(given.life)
	return nil
}

type givenToken struct {
	access, api string
	life        time.Duration
}

// decodeToken reads the answer to a request for a token. Errors come with the status 200 or 400. The access token must
// be fit for a header.
func decodeToken(status int, body []byte) (givenToken, *crm.Error) {
	said, ok := service.ParseObject(body)
	if access := said.Text("access_token"); ok && status == http.StatusOK && access != "" {
		if (service.Caller{Key: access}).Check() != nil {
			return givenToken{}, &crm.Error{Problem: crm.Unreachable, Status: status, Err: errors.New("the access token of the CRM cannot be sent in a header")}
		}
		given := givenToken{access: access, api: said.Text("api_domain"), life: tokenLife}
		if seconds := said.Integer("expires_in"); seconds.Known && seconds.Value > 0 && seconds.Value <= int64(tokenLife/time.Second) {
			given.life = time.Duration(seconds.Value) * time.Second
		}
		return given, nil
	}
	code := service.PlainText(said.Text("error"), maxCode)
	switch {
	case status == http.StatusTooManyRequests, strings.EqualFold(code, "access denied"), strings.EqualFold(code, "access_denied"):
		return givenToken{}, &crm.Error{Problem: crm.Exhausted, Code: code, Status: status, Err: errors.New("the CRM issues no more access tokens for now")}
	case ok && code != "" && status < http.StatusInternalServerError:
		return givenToken{}, &crm.Error{Problem: crm.Refused, Code: code, Status: status, Err: errors.New("the CRM refuses the client or the refresh token")}
	}
	return givenToken{}, &crm.Error{Problem: crm.Unreachable, Status: status, Err: errors.New("the answer to the request for an access token cannot be read")}
}

// unanswered is the error of a request without an answer. The request may have arrived, which does no harm.
func unanswered(verdict enrich.Verdict) *crm.Error {
	switch v := verdict.(type) {
	case enrich.NotSent:
		return &crm.Error{Problem: crm.Unreachable, Err: v.Err}
	case enrich.Lost:
		return &crm.Error{Problem: crm.Unreachable, Err: v.Err}
	}
	return &crm.Error{Problem: crm.Unreachable, Err: errors.New("the CRM did not answer")}
}
