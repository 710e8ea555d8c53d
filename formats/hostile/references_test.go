package hostile

import (
	"fmt"
	"strings"
)

// references are files in which little text stands for very much.
func references() []hostile {
	return []hostile{
		made("shape-nebulaflow-bomb.json", func() string {
			d := editor("", func(i, _ int) string {
				if i == 0 {
					return plain(i, "text-format", `"content":"`+strings.Repeat("x", 100_000)+`"`)
				}
				return plain(i, "text-format", `"content":"`+strings.Repeat("${1}", 900)+`"`)
			})
			return d.write(shape{nodes: 60, to: func(i int) []int { return []int{i + 1} }})
		}),
		made("shape-nebulaflow-readers.json", func() string {
			d := editor("", func(i, _ int) string {
				switch i {
				case 0:
					return plain(i, "text-format", `"content":"`+strings.Repeat("x", 100_000)+`"`)
				case 1:
					return plain(i, "text-format", `"content":"`+strings.Repeat("${1}", 900)+`"`)
				}
				return plain(i, "llm", `"content":"${1}${1}${1}"`)
			})
			return d.write(shape{nodes: 3000, to: func(i int) []int {
				if i == 1 {
					return after(1, 3000)
				}
				return []int{1}[:max(0, 1-i)]
			}})
		}),
		made("shape-nebulaflow-variables.json", func() string {
			d := editor("", func(i, _ int) string {
				return plain(i, "variable", fmt.Sprintf(`"variableName":"v%d","content":"%s"`, i, strings.Repeat("${v1}", 300)))
			})
			return d.write(shape{nodes: many(6000), to: func(int) []int { return nil }})
		}),
		made("shape-nebulaflow-placeholders.json", func() string {
			d := editor("", func(i, _ int) string {
				return plain(i, "text-format", `"content":"`+strings.Repeat("${1}", 50_000)+`"`)
			})
			return d.write(shape{nodes: 6, to: func(i int) []int { return []int{i + 1} }})
		}),
		made("shape-agentzero-tools.json", func() string {
			d := editor("", func(i, n int) string {
				switch i {
				case 0:
					return plain(i, "input", `"label":"x"`)
				case n - 1:
					return plain(i, "output", `"label":"x"`)
				}
				return plain(i, "agent", `"tools":`+list(`"shell"`, 500))
			})
			return d.write(shape{nodes: 100, to: func(i int) []int { return []int{i + 1} }})
		}),
		made("shape-agentzero-group.json", func() string {
			var b strings.Builder
			b.WriteString(`{"nodes":[{"id":"in","type":"input","data":{}},{"id":"g","type":"parallelGroup","data":{"label":"g"}},{"id":"out","type":"output","data":{}}`)
			for i := range 50_000 {
				fmt.Fprintf(&b, `,{"id":"c%d","type":"agent","parentId":"g","data":{"outputVariable":"v"}}`, i)
			}
			return b.String() + `],"edges":[{"id":"a","source":"in","target":"g"},{"id":"b","source":"g","target":"out"}]}`
		}),
		made("shape-callcentre-parameters.json", func() string {
			parameters := make([]string, 20_000)
			for i := range parameters {
				parameters[i] = fmt.Sprintf(`{"name":"p%d","type":"json","required":true}`, i)
			}
			return `{"nodes":[{"id":"r","type":"routerNode","data":{}},{"id":"t","type":"subAgentNode","data":{"parameters":[` + strings.Join(parameters, ",") + `]}}],"edges":[{"id":"e","source":"r","target":"t"}]}`
		}),
		made("shape-stepgraph-references.json", func() string {
			return `{"format":"stepgraph","version":1,"steps":[{"id":"root","input":{"a":"` + strings.Repeat("@{SESSION_ID}.root.a|", 50_000) + `"}}]}`
		}),
		made("shape-stepgraph-texts.json", func() string {
			return `{"format":"stepgraph","version":1,"steps":[{"id":"root","input":` + jsonText(nest(`{"@text":[`, "]}", 4000)) + `}]}`
		}),
		made("shape-stepgraph-conditions.json", func() string {
			return `{"format":"stepgraph","version":1,"steps":[{"id":"root"}],"paths":[{"source":"root","target":"root","condition":` + jsonText(nest(`[`, "]", 400_000)) + `}]}`
		}),
		made("shape-stepgraph-schema.json", func() string {
			return `{"format":"stepgraph","version":1,"steps":[{"id":"root","output_schema":` + jsonText(strings.Repeat(`{"allOf":[`, 3000)+"{}"+strings.Repeat("]}", 3000)) + `},{"id":"a","output_schema":{"$ref":"http://127.0.0.1:1/s"}},{"id":"b","output_schema":{"$ref":"file:///etc/passwd"}},{"id":"c","output_schema":{"pattern":"(((a{1,30}){1,30}){1,30}){1,30}"}}]}`
		}),
	}
}
