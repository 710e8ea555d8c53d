package hostile

import "strings"

// nastyTexts are texts that some program somewhere takes for more than a text.
var nastyTexts = []string{
	"", " ", "\t\n", "\x00", "a\x00b", "\u202e", "\ufeff", "\ufffd", "👩‍👧", "ﷺ", "i̇", "a\nb", "a\r\nb:1:1: c", "\x1b[31mred", "\x7f",
	"__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "nil", "null", "undefined", "true", "false", "NaN", "Infinity", "-1", "0", "1e999", "99999999999999999999", "01",
	"root", "initial", "default", "variables", "item", "index", "SESSION_ID", "engine", "STEP", "id", "in-0", "in--1", "in-99999999999999999999", "out-0", "out-2147483647",
	"../../../../etc/passwd", "/etc/passwd", `..\..\windows\system32`, "C:\\x", "file:///etc/passwd", "~/.ssh/id_rsa", "a/b", "a~1b", "a~0b", "/nodes/0", ".", "..", "con",
	"http://127.0.0.1:1/", "http://169.254.169.254/latest/meta-data/", "https://example.invalid/x?y=z#w", "//example.invalid", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "ws://x", "gopher://x:70/_", "smb://x/y",
	"<script>fetch('http://127.0.0.1:1/')</script>", "<img src=x onerror=alert(1)>", "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>&a;", "&lt;&amp;", "</script>", "<!--", "]]>",
	"$(touch /tmp/stepgraph-was-here)", "`touch /tmp/stepgraph-was-here`", "; rm -rf ~ #", "| nc 127.0.0.1 1", "&& curl http://127.0.0.1:1", "npx -y evil-server", "-rf", "--help", "\"; exit 1; \"", "${IFS}", "%s%s%n", "%n%d", "{0}", "{{7*7}}", "#{7*7}", "<%= 7 %>",
	"__import__('os').system('touch /tmp/stepgraph-was-here')", "open('/etc/passwd').read()", "().__class__.__bases__[0].__subclasses__()", "(lambda: 1)()", "eval('1')", "exec('import os')", "import os", "load('x.star', 'y')", "[i for i in range(10**9)]", "'a' * 10**9", "9**9**9**9", "1 if", "x = 1", "f'{__import__(\"os\")}'",
	"require('child_process').execSync('id')", "process.exit(1)", "import('fs')", "fetch('http://127.0.0.1:1')", "while(true){}", "new Function('return 1')()", "this.constructor.constructor('return process')()", "return 1", "await x", "class {", "`${1}`",
	"'}) MATCH (n) DETACH DELETE n //", "'; DROP TABLE sessions; --", "`", "``", "'", "\"", "\\", "\\u0041", "//", "/* */", "LOAD CSV FROM 'http://127.0.0.1:1' AS x", "CALL apoc.load.json('http://x')", "a:STEP", "CREATE (:STEP {id: 'x'})",
	"@{SESSION_ID}", "@{SESSION_ID}.x", "@{SESSION_ID}.x.y.z[0][-1]|@{SESSION_ID}.x|", "@{", "@{}", "@{x}", "@{SESSION_ID}.a[99999999999999999999]", "@{SESSION_ID}..", "a @{SESSION_ID}.b c", "@{SESSION_ID}.__proto__", "|", "x|y", "#", "*", "?", "@this", "@pretty", "a.b", "a\\.b", ":1", "-", "#(a==1)#", "!x",
	"${", "${}", "${1}", "${0}", "${99999999999999999999}", "${i}", "${__proto__}", "${${1}}", "{{", "}}", "{{}}", "{{question}}", "{{ $flow.state.x }}", "{{$vars.x}}", "{{llmAgentflow_0.output.content[0].a}}", "{{$form.}}", "{{current_date_time}}", "{{file_attachment}}", "{{chat_history}}", "{{$iteration}}", "{{{{question}}}}",
	"(a+)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "((((((((((a{1,30}){1,30}){1,30}){1,30})", "[", "(?P<", "\\", "a{100000}", "(?=x)", "(?<!y)", ".*.*.*.*.*.*=.*",
	"{", "[", "{\"a\":", "[1,2", "{}", "[]", "[[]]", "{\"@text\":[1]}", "{\"@literal\":1}", "{\"a\":1,\"a\":2}", "{\"true\":\"x\"}", "{\"operator\":\"XOR\"}", "\"", "1.5", "[{\"name\":1}]", "{\"type\":\"object\"}", "{\"$ref\":\"http://127.0.0.1:1/schema\"}", "{\"$ref\":\"#\"}", "{\"$ref\":\"file:///etc/passwd\"}",
	"1s", "-1s", "999999h", "P1Y", "2026-01-01T00:00:00Z", "0000-00-00", "shell", "agent", "loop", "utils.code.code", "api", "mcp.call", "graph.query", "files.write", "utils.reply.reply", "subflow", "python", "pwsh",
	strings.Repeat("a", 300), strings.Repeat("é", 5000), strings.Repeat("x ", 20000), strings.Repeat("${1}", 3000), strings.Repeat("@{SESSION_ID}.a|", 3000), strings.Repeat("{{question}}", 2000), strings.Repeat("(", 20000), strings.Repeat("[", 50000), strings.Repeat("{\"a\":", 20000),
	strings.Repeat("not ", 20000) + "x", strings.Repeat("-", 30000) + "1", "1" + strings.Repeat("+1", 20000), "x" + strings.Repeat("[0]", 20000), "x" + strings.Repeat(".strip()", 5000), strings.Repeat("x if y else ", 5000) + "z", strings.Repeat("\\", 30001), strings.Repeat("<b>", 20000), strings.Repeat("> ", 20000), strings.Repeat("- ", 10000), strings.Repeat("\n", 50000),
}

// nastyJSON are values as they stand in a file, some of them no JSON.
var nastyJSON = []string{
	"null", "true", "false", "0", "-0", "-1", "1", "1.5", "-0.0", "1e5", "1e308", "1e999", "-1e999", "1e-999", "2147483648", "-2147483649", "9007199254740993", "9223372036854775808", "-9223372036854775809", "99999999999999999999999999", "0.1e1", "1E400",
	strings.Repeat("9", 5000), "0." + strings.Repeat("0", 5000) + "1", "{}", "[]", `""`, `"x"`, "[null]", "[[]]", "[{}]", "[1]", `["x"]`, `["x",1,null,{}]`, `{"":null}`, `{"a":1,"a":2}`, `{"__proto__":{"x":1}}`, `{"constructor":{"prototype":{}}}`, `{"length":-1}`, `{"toString":null}`,
	`"\ud800"`, `"\udc00\ud800"`, `"\u0000"`, "\"\xff\xfe\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\x00\"", "\"\x01\"", `"\u2028"`, `"\uFFFF"`, `"\/"`, `"\x"`, `"`, "'x'", "NaN", "Infinity", "undefined", "01", "+1", ".5", "1.", "0x10", "tru", "{,}", "[,]", "[1,]", `{"a"}`, `{"a":}`, "/* x */ 1", "{a:1}", "{}{}", "\x00", "\ufeff1",
	nest("[", "]", 12), nest(`{"a":`, "}", 12), nest("[", "]", 300), nest(`{"a":`, "}", 300), nest("[", "]", 9000), nest(`{"a":`, "}", 9000), nest("[", "]", 10001), strings.Repeat("[", 20000),
	`{"@text":["@{SESSION_ID}.a|","b"]}`, `{"@literal":"@{SESSION_ID}.a"}`, `{"@text":` + nest(`[{"@text":`, "}]", 200) + `}`, `{"true":"@{SESSION_ID}.a"}`, `{"operator":"OR","true":[],"false":[]}`,
	`{"x":1e999,"y":1e999}`, `{"x":"0","y":null}`, `{"x":1e308,"y":-1e308}`, `[0,0]`, `{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/s.json"}}}`, `{"type":"array","items":{"$ref":"#"}}`, `{"pattern":"(a+)+$"}`, `{"mcpServers":{"x":{"command":"touch","args":["/tmp/stepgraph-was-here"]}}}`,
	list(`"x"`, 5000), list("{}", 5000), list("[]", 5000), list("0", 5000), list(`{"id":"a","type":"agent"}`, 500),
}

// nest is a value in many others; "1" stands innermost where an object needs it.
func nest(open, end string, depth int) string {
	return strings.Repeat(open, depth) + "1" + strings.Repeat(end, depth)
}

func list(item string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}
