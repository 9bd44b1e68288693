package pipeline

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"payonce/io/crm/zoho"
	sandbox "payonce/io/sandbox/crm"
	"payonce/pipeline/crm"
	"payonce/pipeline/problem"
)

// CRMAccount is an account of a CRM.
type CRMAccount struct{ zoho.Config }

// connect connects to the CRM, or to the embedded one.
func (s *session) connect(a CRMAccount) (*crm.CRM, error) {
	name := "zoho " + cmp.Or(strings.ToLower(a.DataCenter), "us")
	if at, err := url.Parse(a.APIURL); err == nil && at.Host != "" {
		name = fmt.Sprintf("%s at %s", name, at.Host)
	}
	if s.work.Workspace.Sandbox {
		address, err := s.place.SandboxAddress()
		if err != nil {
			return nil, err
		}
		name = "sandbox"
		a.Config = zoho.Config{
			ClientID: sandbox.DefaultClientID, ClientSecret: sandbox.DefaultClientSecret, RefreshToken: sandbox.DefaultRefreshToken,
			APIURL: address, AccountsURL: address,
		}
	}
	a.Now, a.UserAgent = s.now, "payonce/"+s.work.Env.Version
	// The CRM issues few access tokens, so all processes share one.
	state := s.work.Workspace.Journal.State
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	if name != "sandbox" {
		a.TokenFile = filepath.Join(state, "zoho-token.json")
	}
	connector, err := zoho.New(a.Config)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	s.closers = append(s.closers, connector.Close)
	return &crm.CRM{Connector: connector, Name: name, Names: crm.Names{
		FirstName: "First_Name", LastName: "Last_Name", Email: "Email", Phone: "Phone", Mobile: "Mobile", OptOut: "Email_Opt_Out",
	}}, nil
}
