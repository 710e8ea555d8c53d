package cypher_test

import (
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/storetest"
)

func TestStore(t *testing.T) {
	store := open(t)
	storetest.Run(t, func(*testing.T) engine.Store { return store })
}
