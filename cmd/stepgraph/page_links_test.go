package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	markdownLink = regexp.MustCompile(`!?\[[^\]]*\]\(([^)\s]+)\)`)
	inlineCode   = regexp.MustCompile("`[^`\n]*`")
	heading      = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks follows every link inside the repository, of every Markdown file, to its file
// and its heading.
func TestLinks(t *testing.T) {
	followed := 0
	err := filepath.WalkDir(repository, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") && file != repository:
			return fs.SkipDir
		case filepath.Ext(file) != ".md":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, link := range markdownLink.FindAllStringSubmatch(inlineCode.ReplaceAllString(withoutBlocks(string(text)), ""), -1) {
			if strings.Contains(link[1], "://") || strings.HasPrefix(link[1], "mailto:") {
				continue
			}
			followed++
			follow(t, file, link[1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if followed < 100 {
		t.Errorf("only %d links were found", followed)
	}
}

func follow(t *testing.T, file, link string) {
	t.Helper()
	path, anchor, _ := strings.Cut(link, "#")
	target := file
	if path != "" {
		target = filepath.Join(filepath.Dir(file), path)
	}
	if _, err := os.Stat(target); err != nil {
		t.Errorf("%s: link %s: no such file", file, link)
		return
	}
	if anchor == "" {
		return
	}
	text, err := os.ReadFile(target)
	if err != nil {
		t.Errorf("%s: link %s: %v", file, link, err)
		return
	}
	for _, m := range heading.FindAllStringSubmatch(withoutBlocks(string(text)), -1) {
		if anchorOf(m[1]) == anchor {
			return
		}
	}
	t.Errorf("%s: link %s: no such heading", file, link)
}

// anchorOf is the anchor that Markdown viewers give a heading.
func anchorOf(text string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(text), ""), " ", "-")
}

// withoutBlocks is a page without its fenced blocks.
func withoutBlocks(page string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
			continue
		}
		if !inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestIndex looks for each page of docs in the README.md of its folder.
func TestIndex(t *testing.T) {
	for _, page := range pages(t) {
		name, folder := filepath.Base(page), filepath.Dir(page)
		index, err := os.ReadFile(filepath.Join(folder, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		if name != "README.md" && !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("%s does not list %s", filepath.Join(folder, "README.md"), name)
		}
	}
}
