package v1

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"payonce/enrich"
	"payonce/io/service"
)

// Endpoints word the end of a session in more than one way.
func TestMCPEndOfASession(t *testing.T) {
	for status, codes := range map[int][]int{404: {-32600, -32602, -32001, -32000}, 400: {-32600, -32000}} {
		for _, code := range codes {
			for _, id := range []string{"3", "null", `"server-error"`} {
				f := newFakeMCP(t)
				f.onCall(func(w http.ResponseWriter, _ *http.Request, _ message) {
					respondJSON(w, status, rpcError([]byte(id), code))
				})
				client := mcpClient(t, f)
				if refused, ok := find(client).(enrich.Refused); !ok || refused.Class != enrich.TryAgain || refused.Code != "mcp_session_ended" {
					t.Errorf("%d %d: verdict %+v, want to try again", status, code, refused)
				}
				f.onCall(found)
				wantAnswered(t, find(client))
				if f.sessions != 2 {
					t.Errorf("%d %d: %d sessions, want 2", status, code, f.sessions)
				}
			}
		}
	}
}

// A session that the server has forgotten, as after a restart, is begun again for
// the next lookup; the one that met it was not run and may be asked again.
func TestMCPSessionsAreReopened(t *testing.T) {
	bothWays(t, func(t *testing.T, f *fakeMCP) {
		client := mcpClient(t, f)
		// Two sessions are idle, and both are forgotten.
		arrived, answer := make(chan struct{}), make(chan struct{})
		f.onCall(func(w http.ResponseWriter, r *http.Request, m message) {
			arrived <- struct{}{}
			<-answer // until the other has a session too
			found(w, r, m)
		})
		verdicts := make(chan enrich.Verdict, 2)
		for range 2 {
			go func() { verdicts <- find(client) }()
		}
		<-arrived
		<-arrived
		close(answer)
		wantAnswered(t, <-verdicts)
		wantAnswered(t, <-verdicts)
		f.onCall(found)
		f.restart()
		refused, ok := find(client).(enrich.Refused)
		if !ok || refused.Class != enrich.TryAgain || refused.Code != "mcp_session_ended" {
			t.Fatalf("verdict %+v, want to try again", refused)
		}
		wantAnswered(t, find(client))
		if f.paid() != 4 || f.sessions != 3 {
			t.Errorf("%d calls in %d sessions, want 4 in 3", f.paid(), f.sessions)
		}
	})
}

// An endpoint without sessions has none to have ended: its 404 proves nothing.
func TestMCPWithoutSessions(t *testing.T) {
	f := newFakeMCP(t)
	f.on("initialize", func(w http.ResponseWriter, _ *http.Request, m message) {
		respondRPC(w, m.ID, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`)
	})
	client := mcpClient(t, f)
	wantAnswered(t, find(client))
	f.onCall(func(w http.ResponseWriter, _ *http.Request, _ message) { http.Error(w, "no", http.StatusNotFound) })
	wantLost(t, find(client))
	client.Close()
	if slices.Contains(f.seen(), "DELETE") {
		t.Error("a session that there was none of was ended")
	}
}

// A response that cannot be used ends its own session and no other.
func TestALostMCPResponseEndsOnlyItsOwnSession(t *testing.T) {
	f := newFakeMCP(t)
	release := make(chan struct{})
	arrived := make(chan struct{})
	f.onCall(func(w http.ResponseWriter, r *http.Request, m message) {
		if m.tool == toolOf(EnrichContact) {
			respondJSON(w, http.StatusOK, "garbage")
			return
		}
		close(arrived)
		<-release
		found(w, r, m)
	})
	client := mcpClient(t, f)
	answered := make(chan enrich.Verdict)
	go func() {
		lookup := ada()
		lookup.Fields = enrich.FieldsOf(WorkEmail)
		answered <- client.Find(context.Background(), lookup)
	}()
	<-arrived
	wantLost(t, find(client))
	close(release)
	wantAnswered(t, <-answered)
	if f.paid() != 2 {
		t.Errorf("%d calls arrived for 2 lookups", f.paid())
	}
}

// A lookup that is under way when the client is closed goes on, and ends its session.
func TestMCPCloseWhileUnderWay(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, message){
		"answered": found,
		"lost":     func(w http.ResponseWriter, _ *http.Request, _ message) { respondJSON(w, 200, "garbage") },
	} {
		f := newFakeMCP(t)
		arrived, release := make(chan struct{}), make(chan struct{})
		f.onCall(func(w http.ResponseWriter, r *http.Request, m message) {
			close(arrived)
			<-release
			answer(w, r, m)
		})
		ended := make(chan struct{})
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			f.ServeHTTP(w, r)
			if r.Method == http.MethodDelete {
				close(ended)
			}
		})
		client := dialMCP(t, server.URL, service.SystemDialer())
		verdict := make(chan enrich.Verdict)
		go func() { verdict <- find(client) }()
		<-arrived
		client.Close()
		close(release)
		if name == "answered" {
			wantAnswered(t, <-verdict)
		} else {
			wantLost(t, <-verdict)
		}
		<-ended
	}
}
