package agentzero_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

func TestInvalidFlowsAreRefused(t *testing.T) {
	var file struct {
		Flows []struct {
			Name   string
			Flow   json.RawMessage
			Expect struct {
				Code  string
				Where []string
			}
		}
	}
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "agentzero"), "09-invalid-flows.json"), &file)
	if len(file.Flows) == 0 {
		t.Fatal("no flows")
	}
	for _, c := range file.Flows {
		t.Run(c.Name, func(t *testing.T) {
			if !agentzero.Recognise("x.json", c.Flow) {
				t.Error("not recognised")
			}
			_, err := agentzero.Parse("x.json", c.Flow)
			var faults *source.Faults
			if !errors.As(err, &faults) {
				t.Fatalf("got %v", err)
			}
			if len(faults.List) != 1 {
				t.Errorf("want one fault, got %v", err)
			}
			got := faults.List[0]
			if got.Code != c.Expect.Code || !sameIDs(got.IDs, c.Expect.Where) {
				t.Errorf("got %s %v, want %s %v", got.Code, got.IDs, c.Expect.Code, c.Expect.Where)
			}
		})
	}
}

func sameIDs(got, want []string) bool {
	return len(got) == 0 && len(want) == 0 || reflect.DeepEqual(got, want)
}
