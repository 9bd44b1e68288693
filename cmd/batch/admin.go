package main

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/http"

	"payonce/io/sandbox"
	"payonce/io/sandbox/crm"
	"payonce/io/sandbox/v2"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// adminServer is the admin interface of a sandbox on a separate address.
type adminServer struct {
	server *http.Server
	url    string
	token  string // that was made for it; "" when it was given
}

// serveAdmin serves the admin interface when it was asked for; nil when it was not.
func (f *sandboxFlags) serveAdmin(server *workspace.Embedded, env environment) (*adminServer, error) {
	if f.admin == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", f.admin)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	admin := &adminServer{url: "http://" + listener.Addr().String()}
	token := env.getenv("SANDBOX_ADMIN_TOKEN")
	if token == "" {
		token = rand.Text()
		admin.token = token
	}
	admin.server = &http.Server{Handler: server.Service.AdminHandler(token), ReadHeaderTimeout: workspace.HeaderTimeout}
	go admin.server.Serve(listener) // ends with close
	return admin, nil
}

func (a *adminServer) close() error {
	if a == nil {
		return nil
	}
	return a.server.Close()
}

// announce prints what a client needs, as variables of the environment. A key or a
// token that was given is not printed: it may be a real one.
func announce(env environment, server *workspace.Embedded, admin *adminServer) {
	say := func(name, value string) { fmt.Fprintf(env.stdout, "sandbox: %s=%s\n", name, value) }
	say("SERVICE_BASE_URL", server.BaseURL("v1"))
	say("SERVICE_MCP_URL", server.Address+"/mcp")
	if env.getenv("SERVICE_API_KEY") == "" {
		say("SERVICE_API_KEY", sandbox.DefaultKey)
	}
	say("SERVICE_V2_BASE_URL", server.BaseURL("v2"))
	if env.getenv("SERVICE_V2_API_KEY") == "" {
		say("SERVICE_V2_API_KEY", v2.DefaultKey)
	}
	say("ZOHO_ACCOUNTS_URL", server.Address)
	say("ZOHO_API_URL", server.Address)
	for _, credential := range [][2]string{
		{"ZOHO_CLIENT_ID", crm.DefaultClientID}, {"ZOHO_CLIENT_SECRET", crm.DefaultClientSecret}, {"ZOHO_REFRESH_TOKEN", crm.DefaultRefreshToken},
	} {
		if env.getenv(credential[0]) == "" {
			say(credential[0], credential[1])
		}
	}
	if admin == nil {
		return
	}
	say("SANDBOX_ADMIN_URL", admin.url)
	if admin.token != "" {
		say("SANDBOX_ADMIN_TOKEN", admin.token)
	}
}
