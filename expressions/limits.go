package expressions

// Limits bound what one expression may cost. The zero value means the defaults.
type Limits struct {
	// Steps is how many parts are evaluated and items looked at, 1,000,000 by default; a
	// step also covers looking at 64 bytes of text.
	Steps int
	// Bytes is how much text and how many items (of 16 bytes each) are made in all, 16 MB
	// by default. What a name holds does not count.
	Bytes int
}

// Limits of the source, which hold for every expression.
const (
	MaxSource = 10_000 // characters
	MaxDepth  = 100    // of brackets, operators and conditions in each other
)

func (l Limits) withDefaults() Limits {
	if l.Steps <= 0 {
		l.Steps = 1_000_000
	}
	if l.Bytes <= 0 {
		l.Bytes = 16 << 20
	}
	return l
}

const (
	bytesPerStep = 64
	bytesPerItem = 16
)

// spend takes n steps from the budget.
func (r *run) spend(n int) error {
	if r.left.Steps -= n; r.left.Steps < 0 {
		return faultf("takes more than %d steps", r.limits.Steps)
	}
	return nil
}

// look pays for looking at a text of n bytes.
func (r *run) look(n int) error { return r.spend(1 + n/bytesPerStep) }

// take pays for making n bytes before they are made.
func (r *run) take(n int) error {
	if n > r.left.Bytes {
		return faultf("makes more than %d bytes of text and items", r.limits.Bytes)
	}
	r.left.Bytes -= n
	return r.spend(1 + n/bytesPerStep)
}

// takeItems pays for a list of n items.
func (r *run) takeItems(n int) error {
	if n > r.left.Bytes/bytesPerItem {
		return r.take(r.left.Bytes + 1)
	}
	return r.take(n * bytesPerItem)
}
