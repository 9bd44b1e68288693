package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"payonce/internal/report"
	"payonce/internal/smallfile"
	"payonce/io/atomicfile"
)

// keptPlan is a plan in a file: what a run of it takes over, and what has to be so
// still when it runs. It holds no key.
type keptPlan struct {
	Version int       `json:"version"`
	Kept    time.Time `json:"kept"`
	List    keptList  `json:"list"`
	// Service is the base URL, or "sandbox" for the embedded service.
	Service string `json:"service"`
	// Options are flags by their long names; Map are those of --map.
	Options map[string]string `json:"options"`
	Map     []string          `json:"map"`
	// Plan is what was shown, and so what was approved.
	Plan *report.Plan `json:"plan"`
	// Checksum is the SHA-256 of all the rest: it shows that somebody edited the
	// file, not who did.
	Checksum string `json:"sha256"`
}

// keptList is the list of a kept plan.
type keptList struct {
	Paths  []string `json:"paths"`  // where its files were; none for standard input
	SHA256 string   `json:"sha256"` // of its bytes
}

// keptPlanVersion is the version of the files that this program writes and reads.
const keptPlanVersion = 1

// The service of a kept plan that is the embedded one.
const embeddedService = "sandbox"

// agreedFlags are the flags that decide what is bought, for whom, by which reading of
// the list, and under which ceilings: a run of a plan takes them from it, and may not say
// otherwise.
var agreedFlags = []string{
	"encoding", "sheet", "fields", "prefer", "reask-missing", "limit", "priority", "profile", "name", "job",
	"max-spend", "max-lookups", "monthly", "daily", "workspace-monthly",
	"short-budget", "approval-threshold", "strict", "rate-option", "workspace", "sandbox",
}

// readingFlags are those of the agreed flags that stand in a plan also when they say
// nothing: in the plans of earlier programs they never do, and a run of one may set them.
var readingFlags = []string{"encoding", "sheet"}

// offeredFlags are those that a run of a plan takes from it where it says nothing
// itself: how it goes, and where the prices stand, which are compared. What is taken
// is told, and a rate faster than the default is not: the file may come from anybody.
var offeredFlags = []string{"transport", "rate", "headroom", "pace", "concurrency", "rate-card"}

// keepPlan writes the plan of the job to the file that was asked for.
func (j *job) keepPlan(flags *pflag.FlagSet, plan *report.Plan) error {
	sum, err := j.list.Sum()
	if err != nil {
		return err
	}
	kept := &keptPlan{
		Version: keptPlanVersion, Kept: plan.At, List: keptList{Paths: j.list.paths, SHA256: sum},
		Service: j.serviceName(), Options: map[string]string{}, Map: j.mapping, Plan: plan,
	}
	for _, name := range append(agreedFlags, offeredFlags...) {
		if value := flags.Lookup(name).Value.String(); value != "" || slices.Contains(readingFlags, name) {
			kept.Options[name] = value
		}
	}
	kept.Options["name"], kept.Options["job"] = j.name, j.jobName()
	if card := j.rateCard; card != "" {
		if kept.Options["rate-card"], err = filepath.Abs(card); err != nil {
			return err
		}
	}
	if kept.Checksum, err = kept.sum(); err != nil {
		return err
	}
	return writeJSONFile(j.keepAs, kept)
}

// serviceName returns the service as a kept plan names it.
func (s *settings) serviceName() string {
	if s.sandbox {
		return embeddedService
	}
	return trimBaseURL(s.baseURL)
}

// sum returns the checksum of everything but the checksum.
func (k *keptPlan) sum() (string, error) {
	data, err := json.Marshal(k)
	if err != nil {
		return "", err
	}
	return sumOf(data)
}

// sumOf returns the checksum of a kept plan as it stands in a file, whatever its
// layout and the order of its members.
func sumOf(data []byte) (string, error) {
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		return "", err
	}
	delete(members, "sha256")
	canonical, err := json.Marshal(members)
	hash := sha256.Sum256(canonical)
	return hex.EncodeToString(hash[:]), err
}

// writeJSONFile writes one object to a file, whole or not at all.
func writeJSONFile(path string, object any) error {
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer file.Discard()
	if err := report.JSON(file, object); err != nil {
		return err
	}
	return file.Commit()
}

// readPlan reads a kept plan.
func readPlan(path string) (*keptPlan, error) {
	data, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	kept, err := parsePlan(data)
	if err != nil {
		return nil, fmt.Errorf("%s %w; make a new one with %q", path, err, "batch plan LIST --out FILE")
	}
	return kept, nil
}

// parsePlan reads the text of a kept plan. Its errors go on from the file's name.
func parsePlan(data []byte) (*keptPlan, error) {
	var head struct {
		Version  int       `json:"version"`
		Service  string    `json:"service"`
		Plan     *struct{} `json:"plan"`
		Checksum string    `json:"sha256"`
	}
	if err := json.Unmarshal(data, &head); err != nil || head.Service == "" || head.Plan == nil {
		return nil, errors.New("is no plan that was kept with --out, or not a whole one")
	}
	if head.Version != keptPlanVersion {
		return nil, fmt.Errorf("is a plan of version %d, and this program reads version %d", head.Version, keptPlanVersion)
	}
	if sum, err := sumOf(data); err != nil || sum != head.Checksum {
		return nil, errors.New("was changed after it was made: its checksum is wrong")
	}
	var kept keptPlan
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&kept); err != nil {
		return nil, fmt.Errorf("cannot be read by this program (%w)", err)
	}
	return &kept, nil
}
