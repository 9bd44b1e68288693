package badgerstore

import (
	"fmt"
	"strings"
	"sync"
)

// complaints is Badger's logger while a store is opened: it keeps the first
// error that Badger only writes down and goes on from.
type complaints struct {
	mu    sync.Mutex
	first string
	over  bool
}

// Errorf keeps the first error.
func (c *complaints) Errorf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == "" && !c.over {
		c.first = strings.TrimSpace(fmt.Sprintf(format, args...))
	}
}

// Warningf drops a message, which says nothing about damage, as do those below.
func (*complaints) Warningf(string, ...any) {}

// Infof drops a message.
func (*complaints) Infof(string, ...any) {}

// Debugf drops a message.
func (*complaints) Debugf(string, ...any) {}

// end returns the first complaint and stops listening.
func (c *complaints) end() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	return c.first
}
