package v2

import (
	"context"
	"encoding/json"
	"strconv"

	"payonce/io/service"
)

// WatchClient also changes what is watched, which is free. Its methods can be repeated. It has no
// method that uses units. It may be used by many goroutines at a time.
type WatchClient struct{ *StatusClient }

// NewWatchClient returns a client that changes what is watched. An error says what is wrong with
// the configuration; nothing is sent.
func NewWatchClient(config Config) (*WatchClient, error) {
	status, err := NewStatusClient(config)
	if err != nil {
		return nil, err
	}
	return &WatchClient{status}, nil
}

// WatchStop ends the watching of a company.
func (c *WatchClient) WatchStop(ctx context.Context, id string) error {
	_, err := c.free(ctx, request{operation: OpWatchStop, id: id})
	return err
}

// AddWatchFields watches more fields of a company, and returns all that are watched.
func (c *WatchClient) AddWatchFields(ctx context.Context, id string, fields []string) ([]string, error) {
	return c.changeFields(ctx, OpWatchFieldsAdd, id, fields)
}

// RemoveWatchFields watches fewer fields of a company, and returns those that are left.
func (c *WatchClient) RemoveWatchFields(ctx context.Context, id string, fields []string) ([]string, error) {
	return c.changeFields(ctx, OpWatchFieldsRemove, id, fields)
}

func (c *WatchClient) changeFields(
	ctx context.Context, o Operation, id string, fields []string,
) ([]string, error) {
	body, err := json.Marshal(map[string][]string{"fields": append([]string{}, fields...)})
	if err != nil {
		return nil, err
	}
	return read(ctx, c.StatusClient, request{operation: o, id: id, body: body}, fieldNames)
}

// SetCallback sets the address that changes are posted to.
func (c *WatchClient) SetCallback(ctx context.Context, address string) error {
	body, err := json.Marshal(map[string]string{"callback": address})
	if err != nil {
		return err
	}
	_, err = c.free(ctx, request{operation: OpSetCallback, body: body})
	return err
}

// NotifiedCompany returns the identifier of the company that a notification is about (specification v2, "Events"). It
// reports false for a body that names none. Notifications are not signed, so anybody who knows the address can send one.
func NotifiedCompany(body []byte) (id string, ok bool) {
	notification, _ := service.ParseObject(body)
	company, _ := notification.Object("company_data")
	raw := company["id"]
	if text := service.Literal(raw).String(); text.Known {
		return text.Value, checkID(text.Value) == nil
	}
	number, err := strconv.ParseUint(string(raw), 10, 63)
	return string(raw), err == nil && strconv.FormatUint(number, 10) == string(raw)
}
