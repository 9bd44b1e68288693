// Package zoho reads and changes the contacts of a Zoho CRM account over version 8 of its REST interface.
//
// The behaviour that the package relies on is in the vendor's documentation of API v8 (pages Get Records, Update
// Records, Query API, Fields Meta Data, Multi DC Support, Token Validity, API Limits) and in the vendor's OpenAPI
// files. docs/crm.md lists the other assumptions.
//
// A change is sent at most once (package service). It is sent again only when the CRM itself said that it did not
// process it: an access token had expired, or a limit was reached. Reads are repeated after a lost answer. Errors and
// logs contain no values of records.
package zoho

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"payonce/io/crm"
	"payonce/io/service"
)

// The modules that are used.
const (
	contacts = "Contacts"
	accounts = "Accounts"
)

// Config is the configuration of a connector.
type Config struct {
	// ClientID, ClientSecret and RefreshToken are those of a client of the API console.
	ClientID, ClientSecret, RefreshToken string
	// DataCenter is where the account is: us, eu, in, au, jp, ca, cn or sa. Empty means us.
	DataCenter string
	// AccountsURL and APIURL replace the addresses of the data center, such as https://accounts.zoho.com and
	// https://www.zohoapis.com.
	AccountsURL, APIURL string
	// TokenFile keeps the access token between processes, with mode 0600. Empty keeps it in memory. Every process then
	// gets a token of its own, and the CRM gives ten in ten minutes.
	TokenFile string
	// Concurrency is the most calls at a time; 0 for DefaultConcurrency.
	Concurrency int
	// CreditReserve is how many of the account's API credits are left to others; 0 for DefaultCreditReserve, and
	// below 0 for none.
	CreditReserve int64
	// MaxWait is the longest time that a call waits because of a limit; 0 for DefaultMaxWait. A longer wait is an error
	// that says until when.
	MaxWait time.Duration
	// Timeout bounds one request; 0 for 60 seconds.
	Timeout time.Duration

	UserAgent string
	Now       func() time.Time // nil for time.Now
	Dial      service.Dialer   // nil for the system's
}

// The defaults. A free account allows 5 calls at a time and 5,000 credits in 24 hours (API Limits).
const (
	DefaultConcurrency   = 4
	DefaultCreditReserve = 500
	DefaultMaxWait       = 2 * time.Minute
	defaultTimeout       = 60 * time.Second
)

// dataCenter has the domains of a data center ("Multi DC Support").
type dataCenter struct{ name, accounts, api string }

var dataCenters = []dataCenter{
	{"us", "accounts.zoho.com", "zohoapis.com"},
	{"eu", "accounts.zoho.eu", "zohoapis.eu"},
	{"in", "accounts.zoho.in", "zohoapis.in"},
	{"au", "accounts.zoho.com.au", "zohoapis.com.au"},
	{"jp", "accounts.zoho.jp", "zohoapis.jp"},
	{"ca", "accounts.zohocloud.ca", "zohoapis.ca"},
	{"cn", "accounts.zoho.com.cn", "zohoapis.com.cn"},
	{"sa", "accounts.zoho.sa", "zohoapis.sa"},
}

// DataCenters returns the names that Config.DataCenter takes.
func DataCenters() []string {
	var names []string
	for _, c := range dataCenters {
		names = append(names, c.name)
	}
	return names
}

// Connector reads and changes contacts, as package crm describes. Its methods may be called from any goroutine.
type Connector struct {
	config Config
	api    service.Address // zero when the token's answer names it
	center dataCenter
	sender *service.Sender
	tokens *tokens
	places places       // one for each call under way
	pause  service.Wait // after a limit
	limits credits

	reading places      // one place: who reads the fields
	fields  []crm.Field // nil until they are read
}

// New returns a connector. It sends nothing.
func New(config Config) (*Connector, error) {
	config.Concurrency = cmp.Or(config.Concurrency, DefaultConcurrency)
	config.CreditReserve = max(0, cmp.Or(config.CreditReserve, DefaultCreditReserve))
	config.MaxWait = cmp.Or(config.MaxWait, DefaultMaxWait)
	config.Timeout = cmp.Or(config.Timeout, defaultTimeout)
	config.DataCenter = cmp.Or(strings.ToLower(config.DataCenter), "us")
	config.UserAgent = cmp.Or(config.UserAgent, "payonce")
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Dial == nil {
		config.Dial = service.SystemDialer()
	}
	at := slices.IndexFunc(dataCenters, func(c dataCenter) bool { return c.name == config.DataCenter })
	switch {
	case config.ClientID == "" || config.ClientSecret == "" || config.RefreshToken == "":
		return nil, errors.New("the client id, the client secret or the refresh token of the CRM is missing")
	case at < 0:
		return nil, fmt.Errorf("%q is not a data center; give one of %s", config.DataCenter, strings.Join(DataCenters(), ", "))
	case config.Concurrency < 0 || config.MaxWait < 0 || config.Timeout < 0:
		return nil, errors.New("the number of calls at a time, the longest wait or the time-out is below zero")
	}
	c := &Connector{config: config, center: dataCenters[at], places: make(places, config.Concurrency), reading: make(places, 1)}
	accountsAt, err := service.ParseAddress("accounts address of the CRM", "https://accounts.zoho.com",
		cmp.Or(config.AccountsURL, "https://"+c.center.accounts))
	if err != nil {
		return nil, err
	}
	if config.APIURL != "" {
		if c.api, err = service.ParseAddress("API address of the CRM", "https://www.zohoapis.com", config.APIURL); err != nil {
			return nil, err
		}
	}
	caller := service.Caller{
		Key: "none", Scheme: "Zoho-oauthtoken", UserAgent: config.UserAgent, Timeout: config.Timeout, Now: config.Now,
	}
	if err := caller.Check(); err != nil {
		return nil, err
	}
	c.sender = service.NewSender(caller, config.Dial, config.Concurrency)
	c.tokens = newTokens(config, accountsAt, c.sender.WithKey(""))
	c.limits.reserve = config.CreditReserve
	return c, nil
}

// Close closes idle connections.
func (c *Connector) Close() { c.sender.Close() }

// apiAt returns the address of the interface, from the answer with the token. An address outside the account's data
// center is an error, so the token is not sent elsewhere.
func (c *Connector) apiAt(domain string) (service.Address, error) {
	if c.api.URL != nil {
		return c.api, nil
	}
	address, err := service.ParseAddress("API address that the CRM named", "https://www.zohoapis.com", cmp.Or(domain, "https://www."+c.center.api))
	if err == nil && !strings.HasSuffix(address.Hostname(), "."+c.center.api) {
		err = fmt.Errorf("the CRM named the API address %s, which is not in the data center %s", service.PlainText(address.Hostname(), 100), c.center.name)
	}
	if err != nil {
		return service.Address{}, &crm.Error{Problem: crm.Refused, Err: err}
	}
	return address, nil
}

// Fields returns the fields of contacts. They are read once.
func (c *Connector) Fields(ctx context.Context) ([]crm.Field, error) {
	if err := c.reading.take(ctx); err != nil {
		return nil, err
	}
	defer c.reading.leave()
	if c.fields == nil {
		said, err := c.read(ctx, service.Request{Method: "GET", Path: "crm/v8/settings/fields", Query: url.Values{"module": {contacts}}})
		if err != nil {
			return nil, err
		}
		fields, err := decodeFields(said.Body)
		if err != nil {
			return nil, said.unreadable(err)
		}
		c.fields = fields
	}
	return slices.Clone(c.fields), nil
}

// field returns the field with an API name.
func field(fields []crm.Field, name string) (crm.Field, bool) {
	at := slices.IndexFunc(fields, func(f crm.Field) bool { return f.Name == name })
	if at < 0 {
		return crm.Field{}, false
	}
	return fields[at], true
}

// standard are the fields that are read if the account has them.
var standard = []string{"First_Name", "Last_Name", "Email", "Phone", "Mobile", accountField, "Email_Opt_Out"}

const (
	modifiedField = "Modified_Time"
	accountField  = "Account_Name" // a lookup of an account
)

// selected returns the API names of the fields to read.
func (c *Connector) selected(ctx context.Context) ([]string, error) {
	fields, err := c.Fields(ctx)
	if err != nil {
		return nil, err
	}
	names := []string{modifiedField}
	for _, name := range standard {
		if _, has := field(fields, name); has {
			names = append(names, name)
		}
	}
	return names, nil
}
