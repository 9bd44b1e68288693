// This file reads and writes plans that are kept in a file until somebody runs them.

package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"payonce/io/atomicfile"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// PlanFile is a plan in a file: what a run of it takes over, and what has to be so still when it
// runs. It holds no key.
type PlanFile struct {
	Version int         `json:"version"`
	Kept    time.Time   `json:"kept"`
	List    PlannedList `json:"list"`
	// Service is the base URL, or Sandbox for the embedded service.
	Service string `json:"service"`
	// ServiceV2 is the base URL of the second interface where a step asks it; "" with the embedded service.
	ServiceV2 string `json:"service_v2,omitempty"`
	// Others are the base URLs of further interfaces that steps ask, by their names.
	Others map[string]string `json:"other_services,omitempty"`
	// Options are flags by their long names; Map holds those that name columns.
	Options map[string]string `json:"options"`
	Map     []string          `json:"map"`
	// Columns is how the columns were read, in the form of Map.
	Columns []string `json:"columns,omitempty"`
	Header  string   `json:"header,omitempty"` // the fingerprint of the names of the columns
	// Plan is what was shown, and so what was approved.
	Plan *report.Plan `json:"plan"`
	// Checksum is the SHA-256 of all the rest: it shows that somebody edited the
	// file, not who did.
	Checksum string `json:"sha256"`
}

// secondInterface is the interface whose address has a member of its own.
const secondInterface = "v2"

// SetAddress sets the base URL of an interface besides the first.
func (f *PlanFile) SetAddress(of, address string) {
	if of == secondInterface {
		f.ServiceV2 = address
		return
	}
	if f.Others == nil {
		f.Others = map[string]string{}
	}
	f.Others[of] = address
}

// Address returns the base URL of an interface besides the first; "" where no step asks it.
func (f *PlanFile) Address(of string) string {
	if of == secondInterface {
		return f.ServiceV2
	}
	return f.Others[of]
}

// PlannedList is the list of a kept plan.
type PlannedList struct {
	Paths  []string `json:"paths"`  // where its files were; none for standard input
	SHA256 string   `json:"sha256"` // of its bytes
}

// CheckPlanName refuses a file name whose ending stands for another format than a plan's.
func CheckPlanName(path string) error {
	if ending := strings.ToLower(filepath.Ext(path)); ending != "" && ending != ".json" {
		return problem.Usagef("%s: a plan is kept as JSON, not as %s; choose a name that ends in .json", path, ending)
	}
	return nil
}

// PlanFileVersion is the version of the files that this program writes and reads.
const PlanFileVersion = 1

// PlannedSandbox is the service of a kept plan that is the embedded one.
const PlannedSandbox = "sandbox"

// Sum returns the checksum of everything but the checksum.
func (f *PlanFile) Sum() (string, error) {
	data, err := json.Marshal(f)
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

// Write writes the plan with its checksum to a file, whole or not at all. A new file gets the mode.
func (f *PlanFile) Write(path string, mode fs.FileMode) error {
	var err error
	if f.Checksum, err = f.Sum(); err != nil {
		return err
	}
	file, err := atomicfile.Create(path, mode)
	if err != nil {
		return err
	}
	defer file.Discard()
	if err := report.WriteJSON(file, f); err != nil {
		return err
	}
	return file.Commit()
}

// ReadPlanFile reads a kept plan.
func ReadPlanFile(path string) (*PlanFile, error) {
	data, err := atomicfile.ReadSmall(path)
	if err != nil {
		return nil, err
	}
	kept, err := parse(data)
	if err != nil {
		return nil, problem.Coded("plan_file", "%s %w", path, err)
	}
	return kept, nil
}

// parse reads the text of a kept plan. Its errors continue the file's name.
func parse(data []byte) (*PlanFile, error) {
	var head struct {
		Version  int               `json:"version"`
		Service  string            `json:"service"`
		Second   string            `json:"service_v2"`
		Others   map[string]string `json:"other_services"`
		Plan     *struct{}         `json:"plan"`
		Checksum string            `json:"sha256"`
	}
	if err := json.Unmarshal(data, &head); err != nil || head.Service+head.Second == "" && len(head.Others) == 0 || head.Plan == nil {
		return nil, errors.New("is not a kept plan, or not a whole one")
	}
	if head.Version != PlanFileVersion {
		return nil, fmt.Errorf("is a plan of version %d, and this program reads version %d", head.Version, PlanFileVersion)
	}
	if sum, err := sumOf(data); err != nil || sum != head.Checksum {
		return nil, errors.New("was changed after it was made: its checksum is wrong")
	}
	var kept PlanFile
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&kept); err != nil {
		return nil, fmt.Errorf("cannot be read by this program (%w)", err)
	}
	return &kept, nil
}
