package service

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"payonce/enrich"
	"payonce/io/iotest"
)

// TestNothingLeavesAfterThePermissionEnded ends the permission before the connection is made, and while it is made.
func TestNothingLeavesAfterThePermissionEnded(t *testing.T) {
	var seen iotest.Arrivals
	answer := func(w http.ResponseWriter, r *http.Request) { seen.Add(r) }
	ended := errors.New("the lease has ended")
	for name, asked := range map[string]int{"before": 0, "while the connection is made": 1} {
		for _, secure := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				dialled := 0
				dial := func(ctx context.Context, network, address string) (net.Conn, error) {
					dialled++
					return SystemDialer()(ctx, network, address)
				}
				var c client
				if secure {
					c = overTLS(t, answer, dial)
				} else {
					server := httptest.NewServer(http.HandlerFunc(answer))
					t.Cleanup(server.Close)
					c = newClient(t, server.URL, dial)
				}
				times := 0
				ctx := enrich.WithPermit(t.Context(), func() error {
					if times++; times > asked {
						return ended
					}
					return nil
				})
				_, verdict := c.Post(ctx, c.address, "contacts/enrich", []byte(testBody))
				if unsent, is := verdict.(enrich.NotSent); !is || !errors.Is(unsent.Err, ended) {
					t.Errorf("verdict %T %+v, want NotSent because the lease has ended", verdict, verdict)
				}
				if len(seen.Seen()) != 0 || dialled != asked {
					t.Errorf("%d requests arrived, %d connections were made; want 0 and %d", len(seen.Seen()), dialled, asked)
				}
				c.wantResponse(t) // a request whose permission lasts is sent
				seen = iotest.Arrivals{}
			})
		}
	}
}
