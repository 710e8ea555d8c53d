package api_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/api"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

// TestTheOwnDoorIsDisabled: a call of the server's own address is refused as a step error of
// kind disabled, whatever is allowed; it was an output, and tried again.
func TestTheOwnDoorIsDisabled(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the listener was called") }))
	t.Cleanup(server.Close)
	t.Cleanup(netguard.Own(server.Listener.Addr()))
	_, err := api.Spec(api.Options{AllowNet: loopback}).Function.Call(t.Context(), json.RawMessage(`{"url":"`+server.URL+`"}`))
	var fault *function.CallError
	if !errors.As(err, &fault) || fault.Kind != function.KindDisabled || fault.Transient {
		t.Errorf("the error is %+v", err)
	}
}
