package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/io/listfile"
	"payonce/sandbox"
	"payonce/service/v1"
)

// session is what a command works with: the journal of one workspace and the
// service that it belongs to. Its parts are opened as a command needs them.
type session struct {
	*settings
	journal  *checkpoint.Journal
	embedded *embeddedSandbox
	apiKey   string // that the client was opened with
	lists    []*listfile.List
	listOut  io.Writer        // where a list that is written to standard output goes
	listIn   func() io.Reader // begins to read standard input as a list, until an interrupt
}

// withSession runs a command with its settings loaded, and closes what it opened.
func (s *settings) withSession(cmd *cobra.Command, do func(*session) error) (err error) {
	if err := s.load(cmd); err != nil {
		return err
	}
	session := &session{settings: s, listOut: s.env.stdout, listIn: func() io.Reader { return readUntil(cmd.Context(), s.env.stdin) }}
	defer func() { err = errors.Join(err, session.close()) }()
	return do(session)
}

// withJournal runs a command on the workspace's journal, which has to exist.
func (s *settings) withJournal(cmd *cobra.Command, doing string, do func(*session) error) error {
	return s.withSession(cmd, func(session *session) error {
		found, err := session.openExisting(cmd.Context(), doing)
		if err != nil {
			return err
		}
		if !found {
			return s.noJournal()
		}
		return do(session)
	})
}

// workspaceDir returns the directory of the journal: one for each base URL and
// workspace, so that a sandbox's answers never meet the real ones.
func (s *settings) workspaceDir() (string, error) {
	if s.sandbox {
		return filepath.Join(s.state, "sandbox", s.workspace), nil
	}
	base, err := url.Parse(strings.TrimRight(s.baseURL, "/"))
	if err != nil || base.Host == "" {
		return "", usagef("--base-url is not an absolute http or https address; write it like https://host/api/v1")
	}
	hash := sha256.Sum256([]byte(strings.ToLower(base.Scheme+"://"+base.Host) + base.EscapedPath()))
	return filepath.Join(s.state, base.Hostname()+"-"+hex.EncodeToString(hash[:4]), s.workspace), nil
}

// openJournal opens the workspace's journal, which no other process may hold. What is
// begun on it ends by itself, also after an interrupt.
func (s *session) openJournal(doing string) error {
	return s.openJournalUntil(doing, nil)
}

// openJournalUntil opens the workspace's journal for walks that end when stop returns an
// error.
func (s *session) openJournalUntil(doing string, stop func() error) error {
	dir, err := s.workspaceDir()
	if err != nil {
		return err
	}
	options, err := s.journalOptions(doing, stop)
	if err != nil {
		return err
	}
	s.journal, err = openJournal(dir, options)
	return asJournalError(err)
}

// openExisting opens the workspace's journal for a command that spends nothing, so that
// an interrupt may end its walks; false when there is none.
func (s *session) openExisting(ctx context.Context, doing string) (bool, error) {
	_, exists, err := s.findJournal()
	if err != nil || !exists {
		return false, err
	}
	return true, s.openJournalUntil(doing, ctx.Err)
}

func (s *session) close() error {
	var err error
	for _, list := range s.lists {
		err = errors.Join(err, list.Close())
	}
	if s.journal != nil {
		err = errors.Join(err, s.journal.Close())
	}
	if s.embedded != nil {
		err = errors.Join(err, s.embedded.close())
	}
	return err
}

// serviceConfig returns how the service is called, and starts the embedded one
// when that is the service.
func (s *session) serviceConfig() (v1.Config, error) {
	config := v1.Config{
		BaseURL: s.baseURL, Transport: v1.Transport(s.transport.Value), MCPURL: s.mcpURL,
		Key: s.env.getenv("SERVICE_API_KEY"), Names: s.names, IncludeProfile: s.profile, Timeout: s.timeout,
		MaxConnections: s.concurrency, UserAgent: "payonce/" + version, Now: s.env.now,
	}
	if !s.sandbox {
		s.apiKey = config.Key
		return config, nil
	}
	embedded, err := s.startSandbox()
	if err != nil {
		return config, err
	}
	s.embedded = embedded
	config.BaseURL, config.MCPURL, config.Key = embedded.baseURL, "", sandbox.DefaultKey
	s.apiKey = config.Key
	return config, nil
}

// openStatus returns a client that can read the account status and nothing else.
func (s *session) openStatus() (*v1.StatusClient, error) {
	config, err := s.serviceConfig()
	if err != nil {
		return nil, err
	}
	client, err := v1.NewStatusClient(config)
	return client, asUsage(err)
}

// openClient returns a client that can spend, for the workspace of the journal.
func (s *session) openClient() (*v1.Client, error) {
	config, err := s.serviceConfig()
	if err != nil {
		return nil, err
	}
	client, err := v1.NewClient(config)
	if err != nil {
		return nil, usageError{err}
	}
	return client, s.journal.CheckAPIKey(config.Key, s.sameWorkspace)
}
