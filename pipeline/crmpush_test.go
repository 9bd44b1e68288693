package pipeline

import (
	"context"
	"errors"
	"testing"

	iocrm "payonce/io/crm"
	"payonce/pipeline/crm"
	"payonce/pipeline/report"
)

// TestAnInterruptOfAPushIsNoFaultOfTheCRM interrupts a push while the CRM is called. The error of the call is not the
// reason why the push ended. An error of the journal is never hidden.
func TestAnInterruptOfAPushIsNoFaultOfTheCRM(t *testing.T) {
	items := make([]*crm.Item, 3)
	lost := &iocrm.Error{Problem: iocrm.Unreachable, Err: errors.New("no answer")}
	disk := errors.New("the disk is full")
	for name, c := range map[string]struct {
		interrupt bool
		of        error
		want      string
		err       error
	}{
		"no answer":                           {false, lost, "crm_unreachable", nil},
		"an interrupt of a read":              {true, lost, "crm_interrupted", nil},
		"an interrupt of a wait":              {true, context.Canceled, "crm_interrupted", nil},
		"an interrupt, and the disk is full":  {true, disk, "", disk},
		"the disk is full without interrupts": {false, disk, "", disk},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			view, calls := &report.CRMPush{}, 0
			err := eachItem(ctx, items, view, 0, func(*crm.Item) error {
				if calls++; calls == 1 {
					return nil
				}
				if c.interrupt {
					cancel()
				}
				return c.of
			})
			code := ""
			if view.Stop != nil {
				code = view.Stop.Code
			}
			if !errors.Is(err, c.err) || code != c.want || calls != 2 || c.err == nil && view.Left != 2 {
				t.Errorf("error %v, stop %q, %d calls, %d left", err, code, calls, view.Left)
			}
		})
	}
}
