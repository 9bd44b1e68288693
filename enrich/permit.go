package enrich

import "context"

// permitKey is the key of a permit in a context.
type permitKey struct{}

// WithPermit returns a context for a call whose permission can end. Whoever sends its request calls permit right before
// the request leaves, and does not send it when permit returns an error.
func WithPermit(ctx context.Context, permit func() error) context.Context {
	return context.WithValue(ctx, permitKey{}, permit)
}

// PermitOf returns the permit of the call of a context; nil when its permission does not end.
func PermitOf(ctx context.Context) func() error {
	permit, _ := ctx.Value(permitKey{}).(func() error)
	return permit
}
