package references_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/references"
)

const typicalInput = `{"prompt":"You are talking to @{SESSION_ID}.ask.response|friend. Be brief.","system":"Answer in one sentence.",
	"data":{"merits":"@{SESSION_ID}.generate.merits","items":["@{SESSION_ID}.generate.items[0].name|none",1,true]}}`

const typicalOutputs = `{"ask":[{"prompt":"Name?","response":"Ada","waiting_for_input":false}],
	"generate":[{"response":"r0","merits":false,"items":[]},{"response":"r1","merits":true,"items":[{"name":"x"},{"name":"y"}]}]}`

func BenchmarkParseInput(b *testing.B) {
	for b.Loop() {
		if _, err := references.ParseInput([]byte(typicalInput)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResolveInput(b *testing.B) {
	in, err := references.ParseInput([]byte(typicalInput))
	if err != nil {
		b.Fatal(err)
	}
	resolve(b, in.Resolve, typicalOutputs)
}

func BenchmarkResolvePlainInput(b *testing.B) {
	in, err := references.ParseInput([]byte(`{"message":"Hello","n":1}`))
	if err != nil {
		b.Fatal(err)
	}
	resolve(b, in.Resolve, typicalOutputs)
}

func BenchmarkResolveLone(b *testing.B) {
	resolve(b, references.Parse("@{SESSION_ID}.generate.merits").Resolve, typicalOutputs)
}

// BenchmarkResolveInLargeState reads the last field of outputs of 64 KB.
func BenchmarkResolveInLargeState(b *testing.B) {
	var fields []string
	for i := range 1000 {
		fields = append(fields, fmt.Sprintf(`"field_%d":"%s"`, i, strings.Repeat("x", 50)))
	}
	large := `{"big":[{` + strings.Join(fields, ",") + `,"wanted":1}]}`
	b.SetBytes(int64(len(large)))
	resolve(b, references.Parse("@{SESSION_ID}.big.wanted").Resolve, large)
}

func resolve(b *testing.B, resolve func(references.Scope) (references.Result, error), outputs string) {
	scope := references.Scope{Session: "sess", Outputs: references.JSONOutputs(outputs)}
	b.ReportAllocs()
	for b.Loop() {
		if got, err := resolve(scope); err != nil || !got.Resolved {
			b.Fatal(got, err)
		}
	}
}
