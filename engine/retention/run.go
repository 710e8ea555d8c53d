package retention

import "context"

// RunThrough completes interrupted runs in the folder dir and removes all sessions of a query,
// archiving them in a file there; with dir "" no file is written. The caller must have the duty
// of pruning.
func RunThrough(ctx context.Context, from Source, q Query, dir string, pace Pace) (Total, error) {
	if dir == "" {
		return Prune(ctx, from, q, nil, pace, false)
	}
	folder, err := OpenFolder(dir)
	if err != nil {
		return Total{}, err
	}
	defer folder.Leave()
	if _, err := folder.Recover(ctx, from, q.Owner); err != nil {
		return Total{}, err
	}
	total, err := Prune(ctx, from, q, folder, pace, false)
	if err != nil {
		return total, err
	}
	return total, folder.Close()
}
