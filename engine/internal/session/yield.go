package session

// Yield asks the session to give up its lease as soon as none of its calls is under way, so that
// an engine with free slots makes the calls that wait here. Calls under way end here as usual.
func (r *Runner) Yield() {
	r.yielding.Store(true)
	r.Poke()
}

// mustGoIdle reports whether the session is to give up its lease although it could go on.
func (r *Runner) mustRest() bool {
	if r.stopping.Load() {
		return true
	}
	if !r.yielding.Load() {
		return false
	}
	for _, a := range r.running {
		if a.begun.Load() {
			return false
		}
	}
	return true
}
