package engine

// keyOr returns the caller's key, or a generated one when it is empty.
func keyOr(key string, fresh func() string) string {
	if key != "" {
		return key
	}
	return fresh()
}
