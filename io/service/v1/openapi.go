package v1

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"payonce/io/service"
)

// OpenAPI reads the service's OpenAPI document, which is free and needs no key
// (specification v1, "Versioning"). From then on this client refuses lookups that the
// document's request schemas do not allow, when lookups go over REST. An error is a
// *DocumentError when the service answered without a document.
func (c *StatusClient) OpenAPI(ctx context.Context) (Description, error) {
	said, err := c.get(ctx, c.settings.names.OpenAPI, false, maxDocument)
	if err != nil {
		return Description{}, fmt.Errorf("OpenAPI document: %w", err)
	}
	if said.Status != http.StatusOK {
		return Description{}, &DocumentError{HTTPStatus: said.Status}
	}
	description, err := c.settings.decodeOpenAPI(said.Body)
	if err != nil {
		return Description{}, fmt.Errorf("OpenAPI document: %w", err)
	}
	if c.settings.transport == REST {
		c.inputs.learnEndpoints(description)
	}
	return description, nil
}

// ParseOpenAPI reads an OpenAPI document of the service, as OpenAPI does. Its paths
// begin with the operations' or with /api/v1 (specification v1, "Versioning").
func ParseOpenAPI(document []byte, names Names) (Description, error) {
	s := settings{base: service.Address{URL: &url.URL{Path: "/api/v1"}}, names: names.orDefaults()}
	description, err := s.decodeOpenAPI(document)
	if err != nil {
		return Description{}, fmt.Errorf("OpenAPI document: %w", err)
	}
	return description, nil
}

// DocumentError is a response without the document that was asked for.
type DocumentError struct{ HTTPStatus int }

func (e *DocumentError) Error() string { return fmt.Sprintf("OpenAPI document: HTTP %d", e.HTTPStatus) }

// decodeOpenAPI reads the document leniently.
func (s settings) decodeOpenAPI(body []byte) (Description, error) {
	document, ok := service.ParseObject(body)
	if !ok {
		return Description{}, errors.New("it is not a JSON object")
	}
	paths, ok := document.Object("paths")
	if !ok {
		return Description{}, errors.New("it describes no paths")
	}
	info, _ := document.Object("info")
	d := Description{
		Title: s.Plain(info.Text("title"), maxMessage), Version: s.Plain(info.Text("version"), maxName),
		Operations: map[Operation]Offer{},
	}
	lookups := map[string]bool{}
	for _, operation := range Operations() {
		path, post, found := s.findPath(paths, s.names.path(operation))
		if !found {
			continue
		}
		lookups[path] = true
		d.Operations[operation] = s.decodeOperation(path, post, document)
		if card := s.decodeCard(extension(post, "x-service-billing")); len(card.Options) > len(d.Card.Options) {
			d.Card = card
		}
	}
	if len(d.Card.Options) == 0 {
		d.Card = s.decodeCard(extension(document, "x-service-billing"))
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if !lookups[path] {
			d.Others = append(d.Others, s.Plain(path, maxName))
		}
	}
	return d, nil
}

// extension returns a member object without asking whether it is there.
func extension(o service.Object, name string) service.Object {
	found, _ := o.Object(name)
	return found
}

// findPath returns the POST operation at a path, which stands in the document
// relative to the base URL, or with the base URL's own path before it.
func (s settings) findPath(paths service.Object, path string) (string, service.Object, bool) {
	for _, candidate := range []string{"/" + path, strings.TrimRight(s.base.Path, "/") + "/" + path} {
		item, _ := paths.Object(candidate)
		if post, ok := item.Object("post"); ok {
			return candidate, post, true
		}
	}
	return "", nil, false
}

func (s settings) decodeOperation(path string, post, document service.Object) Offer {
	request, _ := post.Object("requestBody")
	content, _ := request.Object("content")
	media, _ := content.Object("application/json")
	offer := Offer{
		Name:   path,
		Access: s.decodeAccess(extension(post, "x-service-access")),
		Prices: decodePrices(extension(post, "x-service-pricing")),
	}
	offer.input, offer.InputError = service.CompileSchema(media["schema"], document["components"])
	return offer
}
