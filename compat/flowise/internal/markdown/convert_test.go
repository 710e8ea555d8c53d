package markdown_test

import (
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise/internal/markdown"
)

// What turndown 7.2 with its defaults and without escaping gives for each.
func TestFromHTML(t *testing.T) {
	tests := map[string]string{
		"<p>Hi <span class=\"variable\" data-type=\"mention\">{{ question }}</span> !</p><ul><li>one</li><li><strong>two</strong></li></ul>": "Hi {{ question }} !\n\n*   one\n*   **two**",
		"<ul><li>a</li><li>b</li></ul>":                                "*   a\n*   b",
		"<h2>T</h2><p><strong>b</strong> <em>i</em></p>":               "T\n-\n\n**b** _i_",
		"<h1>Big one</h1><h3>Small</h3>x":                              "Big one\n=======\n\n### Small\n\nx",
		"<p></p>":                                                      "",
		"  <p>a</p>":                                                   "a",
		"<p># not heading * star _under_</p>":                          "# not heading * star _under_",
		"<ol><li><p>one</p></li><li><p>two</p></li></ol>":              "1.  one\n    \n2.  two",
		"<ol start=\"4\"><li>x<ul><li>y</li></ul></li><li>z</li></ol>": "4.  x\n    *   y\n5.  z",
		"<p>a<br>b</p>":                                                "a  \nb",
		"<p>English:</p><p>{{ q }} </p><p>Japanese:</p><p></p>":        "English:\n\n{{ q }}\n\nJapanese:",
		"<p>a&lt;b&gt; &amp; c</p>":                                    "a<b> & c",
		"<blockquote><p>q</p><p>r</p></blockquote>":                    "> q\n> \n> r",
		"<pre><code>x = 1\ny</code></pre>":                             "    x = 1\n    y",
		"<p>use <code>a`b</code></p>":                                  "use ``a`b``",
		"<p><a href=\"http://a/(x)\" title=\"t\">l</a><hr></p>":        "[l](http://a/\\(x\\) \"t\")\n\n* * *",
		"<p>one <strong> two </strong> three</p>":                      "one **two** three",
		"<p><strong></strong>x<em> </em>y</p>":                         "x y",
		"<img src=\"s\" alt=\"a\">":                                    "![a](s)",
		"<table><tr><td>1</td><td>2</td></tr></table>":                 "1\n\n2",
		"<div>a<div>b</div></div>":                                     "a\n\nb",
		"<p>not closed <b>bold":                                        "not closed **bold**",
	}
	for in, want := range tests {
		if got := markdown.FromHTML(in); got != want {
			t.Errorf("%s\ngives %q\nwant  %q", in, got, want)
		}
	}
}

func TestDeepHTML(t *testing.T) {
	deep := strings.Repeat("<div>", 200_000) + "x"
	if got := markdown.FromHTML(deep); got == "" {
		t.Error("nothing is left of it")
	}
}
