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

	"payonce/enrich"
)

// OpenAPI reads the service's OpenAPI document, which is free and needs no key
// (specification v1, "Versioning"). From then on this client refuses lookups that the
// document's request schemas do not allow, when lookups go over REST. An error is a
// *DocumentError when the service answered without a document.
func (c *StatusClient) OpenAPI(ctx context.Context) (Description, error) {
	said, err := c.rest.get(ctx, c.settings.names.OpenAPI, false, maxDocument)
	if err != nil {
		return Description{}, fmt.Errorf("OpenAPI document: %w", err)
	}
	if said.status != http.StatusOK {
		return Description{}, &DocumentError{HTTPStatus: said.status}
	}
	description, err := c.settings.decodeOpenAPI(said.body)
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
	s := settings{base: &url.URL{Path: "/api/v1"}, names: names.orDefaults()}
	description, err := s.decodeOpenAPI(document)
	if err != nil {
		return Description{}, fmt.Errorf("OpenAPI document: %w", err)
	}
	return description, nil
}

// DocumentError is a response without the document that was asked for.
type DocumentError struct{ HTTPStatus int }

func (e *DocumentError) Error() string {
	return fmt.Sprintf("OpenAPI document: HTTP %d; the service may not publish one, or --base-url is wrong", e.HTTPStatus)
}

// decodeOpenAPI reads the document leniently.
func (s settings) decodeOpenAPI(body []byte) (Description, error) {
	document, ok := parseObject(body)
	if !ok {
		return Description{}, errors.New("it is no JSON object")
	}
	paths, ok := document.object("paths")
	if !ok {
		return Description{}, errors.New("it describes no paths")
	}
	info, _ := document.object("info")
	d := Description{
		Title: s.plain(info.text("title"), maxMessage), Version: s.plain(info.text("version"), maxName),
		Operations: map[enrich.Operation]Offer{},
	}
	lookups := map[string]bool{}
	for _, operation := range enrich.Operations() {
		path, post, found := s.findPath(paths, s.names.path(operation))
		if !found {
			continue
		}
		lookups[path] = true
		d.Operations[operation] = s.decodeOperation(path, post, document)
		if card := s.decodeCard(post.extension("x-service-billing")); len(card.Options) > len(d.Card.Options) {
			d.Card = card
		}
	}
	if len(d.Card.Options) == 0 {
		d.Card = s.decodeCard(document.extension("x-service-billing"))
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if !lookups[path] {
			d.Others = append(d.Others, s.plain(path, maxName))
		}
	}
	return d, nil
}

func (o object) extension(name string) object {
	extension, _ := o.object(name)
	return extension
}

// findPath returns the POST operation at a path, which stands in the document
// relative to the base URL, or with the base URL's own path before it.
func (s settings) findPath(paths object, path string) (string, object, bool) {
	for _, candidate := range []string{"/" + path, strings.TrimRight(s.base.Path, "/") + "/" + path} {
		item, _ := paths.object(candidate)
		if post, ok := item.object("post"); ok {
			return candidate, post, true
		}
	}
	return "", nil, false
}

func (s settings) decodeOperation(path string, post, document object) Offer {
	request, _ := post.object("requestBody")
	content, _ := request.object("content")
	media, _ := content.object("application/json")
	offer := Offer{
		Name:   path,
		Access: s.decodeAccess(post.extension("x-service-access")),
		Prices: decodePrices(post.extension("x-service-pricing")),
	}
	offer.input, offer.InputError = compileSchema(media["schema"], document["components"])
	return offer
}
