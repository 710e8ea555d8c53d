package bench

import (
	"log/slog"
	"time"
)

// Options say what to measure and how much of it. Zero numbers take their defaults.
type Options struct {
	Sessions int           // in flight at once, or in all for resume; 50
	Time     time.Duration // how long the others than turns and resume run; 5 s
	Turns    int           // of the conversation; 200
	Log      *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Sessions <= 0 {
		o.Sessions = 50
	}
	if o.Time <= 0 {
		o.Time = 5 * time.Second
	}
	if o.Turns <= 0 {
		o.Turns = 200
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// A Result is what one workload came to.
type Result struct {
	Workload       string   `json:"workload"`
	Store          string   `json:"store"`
	Sessions       int      `json:"sessions"` // that were played to their end
	StepsPerS      float64  `json:"steps_per_s"`
	CheckpointsPer float64  `json:"checkpoints_per_s"`
	RowsPerSession float64  `json:"rows_per_session"` // checkpoints, creations and requests
	P50            float64  `json:"p50_ms"`           // of a session, a turn, an answer or a commit
	P99            float64  `json:"p99_ms"`
	MSPerStep      float64  `json:"ms_per_step"` // as one session sees it
	PeakRSS        float64  `json:"peak_rss_mb"` // of the process, since it began
	First50        *float64 `json:"first50_ms,omitempty"`
	Last50         *float64 `json:"last50_ms,omitempty"`
	StartPerS      *float64 `json:"start_per_s,omitempty"`
	ResumePerS     *float64 `json:"resume_per_s,omitempty"`
}
