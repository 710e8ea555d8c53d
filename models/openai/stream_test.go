package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/models"
)

func TestStream(t *testing.T) {
	s := serve(t, streams(
		delta(`{"role":"assistant","content":"","refusal":null}`, ""),
		delta(`{"content":"Hel"}`, ""), delta(`{"content":"lo é"}`, ""), delta(`{}`, "stop"), usageChunk, "[DONE]"))
	req := hello()
	var parts []string
	req.Token = func(text string) { parts = append(parts, text) }
	resp, err := s.client(t).Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "Hello é" || fmt.Sprint(parts) != "[Hel lo é]" || resp.FinishReason != "stop" || resp.Model != "gpt-4o-2024-08-06" {
		t.Errorf("response %+v, parts %q", resp, parts)
	}
	if want := (models.Usage{InputTokens: 9, OutputTokens: 3}); resp.Usage != want {
		t.Errorf("usage %+v", resp.Usage)
	}
	got := s.seen()[0]
	if wire(got, "stream") != true || wire(got, "stream_options", "include_usage") != true {
		t.Errorf("body %v", got.body)
	}
}

func TestStreamedToolCallsAreAssembled(t *testing.T) {
	s := serve(t, streams(
		delta(`{"role":"assistant","content":"One moment. "}`, ""),
		delta(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"look","arguments":""}}]}`, ""),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"id\":"}}]}`, ""),
		delta(`{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"now","arguments":"{"}},{"index":0,"function":{"arguments":" 7}"}}]}`, ""),
		delta(`{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}`, ""),
		delta(`{}`, "tool_calls"), "[DONE]"))
	req := hello()
	var heard string
	req.Token = func(text string) { heard += text }
	resp, err := s.client(t).Generate(t.Context(), req)
	if err != nil || heard != "One moment. " || resp.Text != heard || resp.FinishReason != models.FinishToolCalls {
		t.Fatalf("%+v, heard %q, %v", resp, heard, err)
	}
	equalJSON(t, "calls", resp.ToolCalls, `[{"id":"c1","name":"look","arguments":{"id":7}},{"id":"c2","name":"now","arguments":{}}]`)
	if !resp.Usage.Estimated {
		t.Error("the usage of a stream without usage is not estimated")
	}
}

func TestStreamedStructuredOutput(t *testing.T) {
	s := serve(t, streams(delta(`{"content":"{\"a\": "}`, ""), delta(`{"content":"1}"}`, "stop"), "[DONE]"))
	req := hello()
	req.Schema, req.Token = json.RawMessage(`{}`), func(string) {}
	resp, err := s.client(t).Generate(t.Context(), req)
	if err != nil || string(resp.Object) != `{"a":1}` {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestStreamsOfOtherServers(t *testing.T) {
	changing := strings.Replace(delta(`{"content":"b"}`, "stop"), `"c1"`, `"c2"`, 1)
	for name, answers := range map[string]*server{
		"ids that change":            serve(t, streams(delta(`{"content":"a"}`, ""), changing, "[DONE]")),
		"an end without a reason":    serve(t, streams(delta(`{"content":"a"}`, ""), delta(`{"content":"b"}`, ""), "[DONE]")),
		"a reason without an end":    serve(t, streams(delta(`{"content":"ab"}`, "stop"))),
		"no stream at all":           serve(t, says("ab")),
		"a second choice in between": serve(t, streams(delta(`{"content":"a"}`, ""), strings.Replace(delta(`{"content":"X"}`, ""), `"index":0`, `"index":1`, 1), delta(`{"content":"b"}`, "stop"), "[DONE]")),
		"stream options are unknown": serve(t, reply(400, `{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`), streams(delta(`{"content":"ab"}`, "stop"), "[DONE]")),
	} {
		req := hello()
		var heard string
		req.Token = func(text string) { heard += text }
		resp, err := answers.client(t).Generate(t.Context(), req)
		if err != nil || resp.Text != "ab" || heard != "ab" || resp.FinishReason != "stop" {
			t.Errorf("%s: %+v, heard %q, %v", name, resp, heard, err)
		}
	}
}

func TestBrokenStreams(t *testing.T) {
	for name, c := range map[string]struct {
		server *server
		want   string
	}{
		"cut off":                {serve(t, streams(delta(`{"content":"half an"}`, ""))), "connection true"},
		"an error in the middle": {serve(t, streams(delta(`{"content":"half an"}`, ""), `{"error":{"message":"The server had an error","type":"server_error"}}`)), "server true"},
		"a limit in the middle":  {serve(t, streams(`{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`)), "rate_limit true"},
		"too long a prompt":      {serve(t, streams(`{"error":{"message":"too long","type":"invalid_request_error","code":400}}`)), "bad_request false"},
		"no JSON":                {serve(t, streams(`{"choices": [`)), "bad_response false"},
		"an absurd tool call":    {serve(t, streams(delta(`{"tool_calls":[{"index":1000000000,"id":"c"}]}`, ""))), "bad_response false"},
		"a refusal":              {serve(t, streams(delta(`{"refusal":"I can"}`, ""), delta(`{"refusal":"not."}`, "stop"), "[DONE]")), "refusal false"},
		"429":                    {serve(t, reply(429, `{"error":{"message":"slow down"}}`)), "rate_limit true"},
		"JSON that is none":      {serve(t, reply(200, `{"choices": `)), "bad_response false"},
	} {
		req := hello()
		req.Token = func(string) {}
		_, err := c.server.client(t).Generate(t.Context(), req)
		var failed *models.Error
		if !errors.As(err, &failed) || fmt.Sprint(failed.Kind, " ", failed.Transient()) != c.want {
			t.Errorf("%s: %#v %v, want %s", name, failed, err, c.want)
		}
		noKey(t, name, err)
	}
}
