package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payonce/io/sandbox/world"
)

// TestMain makes the test binary also the program, which starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && tasks()[os.Args[1]] != nil {
		main()
		return
	}
	m.Run()
}

// testList is the list that the tests work on; a tenth of it is answered.
func testList() world.ListSpec { return world.LargeList(1, 2000) }

// makeList writes the list of the tests, in CSV.
func makeList(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.csv")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := world.WriteListCSV(file, testList()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"-rows", "5000", "-pairs", "3", "-threads", "1", "-cache", "c", "-only", "^write"}, io.Discard)
	if err != nil || o.rows != 5000 || o.pairs != 3 || o.threads != 1 || o.cache != "c" || !o.only.MatchString("write CSV") || o.only.MatchString("plan") {
		t.Errorf("options %+v, %v", o, err)
	}
	for _, args := range []string{"-rows 999", "-pairs 0", "-threads 0", "-only (", "-colour", "-rows 5000 more"} {
		if o, err := parseOptions(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%s gave %+v", args, o)
		}
	}
}

func TestTasksWithoutArgumentsReturnTheirUsage(t *testing.T) {
	for name := range tasks() {
		err := run(context.Background(), []string{name}, io.Discard, io.Discard)
		if err == nil || !strings.HasPrefix(err.Error(), "usage: bench "+name+" LIST") {
			t.Errorf("%s without arguments: %v", name, err)
		}
	}
}
