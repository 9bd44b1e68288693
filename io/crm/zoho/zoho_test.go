package zoho_test

import (
	"testing"

	"payonce/io/crm/crmtest"
)

func TestTheConnectorConforms(t *testing.T) {
	crmtest.Run(t, func(t *testing.T) crmtest.CRM { return open(t, nil) })
}
