package generate

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// readImages reads one image or a list of images, each a URL or {url} or {data, media_type}.
func readImages(text json.RawMessage) ([]models.Image, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	list := []json.RawMessage{text}
	if text[0] == '[' {
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, input.Bad("images: %v", err)
		}
	}
	var images []models.Image
	for i, given := range list {
		image := models.Image{URL: input.TextOf(given)}
		if given[0] == '{' {
			image = models.Image{}
			if err := json.Unmarshal(given, &image); err != nil {
				return nil, input.Bad("images[%d]: want {url} or {data, media_type} with data in base64", i)
			}
		}
		image, err := located(image)
		if err != nil {
			return nil, input.Bad("images[%d]: %v", i, err)
		}
		images = append(images, image)
	}
	return images, nil
}

// located validates the URL of an image and decodes a data: URL.
func located(image models.Image) (models.Image, error) {
	rest, data := strings.CutPrefix(image.URL, "data:")
	switch {
	case len(image.Data) > 0:
		return image, nil
	case data:
		kind, text, found := strings.Cut(rest, ";base64,")
		bytes, err := base64.StdEncoding.DecodeString(text)
		if !found || err != nil {
			return image, input.Bad("the data: address is not in base64")
		}
		return models.Image{MediaType: kind, Data: bytes, Detail: image.Detail}, nil
	case strings.HasPrefix(image.URL, "https://"), strings.HasPrefix(image.URL, "http://"):
		return image, nil
	}
	return image, input.Bad("want an http, https or data: address")
}
