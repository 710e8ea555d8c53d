package event

// A Noted waits for the checkpoint that makes it true. It is noted also when no one
// watches: a watcher may begin before the checkpoint is written.
type Noted struct {
	Kind   Type
	Data   Data
	Seq, N int64 // counters when it happened
}
