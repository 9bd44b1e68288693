package jobs

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// writeMetricsFile writes the metrics of a job to a file that the textfile collector of the node exporter reads. The
// file is replaced whole or not at all, and its name ends in ".prom".
func writeMetricsFile(path string, job JobMetrics) error {
	registry := prometheus.NewRegistry()
	if err := registry.Register(newCollector(job)); err != nil {
		return err
	}
	return prometheus.WriteToTextfile(path, registry)
}

// MetricsServer serves metrics over HTTP at /metrics. At /healthz it says whether the process serves.
type MetricsServer struct {
	listener net.Listener
	http     http.Server
	ended    chan error
	stopping atomic.Bool
}

// The limits of a request. Nobody sends a body.
const (
	headerTime = 5 * time.Second
	replyTime  = 30 * time.Second
)

// MetricsHandler serves the metrics of the process and its version besides those that are measured.
func MetricsHandler(version string, measured ...prometheus.Collector) (http.Handler, error) {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "payonce_build_info", Help: "1, with the version of the program.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	registry := prometheus.NewRegistry()
	for _, collector := range append(measured,
		build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})) {
		if err := registry.Register(collector); err != nil {
			return nil, err
		}
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), nil
}

// ListenMetrics serves at an address until the server is closed. Without a host it is the one of this machine alone. It
// serves the metrics of the process and its version besides those that are measured.
func ListenMetrics(address, version string, measured ...prometheus.Collector) (*MetricsServer, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host == "" {
		host = "127.0.0.1"
	}
	metrics, err := MetricsHandler(version, measured...)
	if err != nil {
		return nil, err
	}
	s := &MetricsServer{ended: make(chan error, 1)}
	if s.listener, err = net.Listen("tcp", net.JoinHostPort(host, port)); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /healthz", s.health)
	s.http = http.Server{Handler: mux, ReadHeaderTimeout: headerTime, WriteTimeout: replyTime, MaxHeaderBytes: 16 << 10}
	go func() { s.ended <- s.http.Serve(s.listener) }()
	return s, nil
}

// Address returns where the server listens.
func (s *MetricsServer) Address() string { return s.listener.Addr().String() }

// Stopping makes the server say that the process is about to end.
func (s *MetricsServer) Stopping() { s.stopping.Store(true) }

func (s *MetricsServer) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	text := "ok\n"
	if s.stopping.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		text = "stopping\n"
	}
	_, _ = w.Write([]byte(text)) // the client has gone
}

// Close ends the server. Requests that it serves end first, for some seconds.
func (s *MetricsServer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), headerTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if served := <-s.ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
