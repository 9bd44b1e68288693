package v2

import (
	"context"
	"encoding/json"
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
