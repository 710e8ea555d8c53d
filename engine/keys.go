package engine

// keyOr returns the caller's key, or a fresh one.
func keyOr(key string, fresh func() string) string {
	if key != "" {
		return key
	}
	return fresh()
}
