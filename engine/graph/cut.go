package graph

// CutText cuts s after n bytes, with an ellipsis where something is missing.
func CutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
