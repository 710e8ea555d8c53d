package gates

import (
	"bytes"
	"math/big"
	"slices"
)

// A when says under which decisions a node runs: in each of its cases, if no arm of the case
// was taken. Two cases are needed where branches of one decision meet that other decisions
// close: `c:0>m c:1>d d:0>m` runs m when c:1 was not taken, and when neither c:0 nor d:1 was.
type when struct {
	cases []*big.Int // sorted; no case contains another one; none: the node never runs
	exact bool       // the node runs in each of the cases, not only in some
}

var always = when{[]*big.Int{new(big.Int)}, true}

func (w when) key() string {
	var b bytes.Buffer
	for _, c := range w.cases {
		b.Write(c.Bytes())
		b.WriteString(", ")
	}
	return b.String()
}

// all are the arms of any case.
func (w when) all() *big.Int {
	out := new(big.Int)
	for _, c := range w.cases {
		out.Or(out, c)
	}
	return out
}

// common are the arms of every case.
func (w when) common() *big.Int {
	if len(w.cases) == 0 {
		return new(big.Int)
	}
	out := new(big.Int).Set(w.cases[0])
	for _, c := range w.cases[1:] {
		out.And(out, c)
	}
	return out
}

// within reports whether what runs under w runs only where what runs under other does.
func (w when) within(other when) bool {
	return !slices.ContainsFunc(w.cases, func(c *big.Int) bool {
		return !slices.ContainsFunc(other.cases, func(o *big.Int) bool { return subset(o, c) })
	})
}

func subset(a, b *big.Int) bool { return new(big.Int).AndNot(a, b).Sign() == 0 }

// mostCases bounds the cases of one node, mostBits their size together; what has more is
// reduced to what its cases have in common.
const (
	mostCases = 16
	mostBits  = 32_768
)

func (r *Result) limit() int { return max(1, min(mostCases, mostBits/max(1, len(r.arms)))) }

// through is when an arm of a node is taken, for arm Always when the node runs.
func (r *Result) through(node, arm int) when {
	w := r.when[node]
	if arm == Always {
		return w
	}
	out := when{exact: w.exact}
	for _, c := range w.cases {
		c = new(big.Int).Set(c)
		for other := range r.graph.Arms[node] {
			if other != arm {
				c.SetBit(c, r.first[node]+other, 1)
			}
		}
		out.cases = append(out.cases, c)
	}
	return r.reduced(out)
}

// both is when each of two runs.
func (r *Result) both(a, b when) when {
	out := when{exact: a.exact && b.exact}
	for _, x := range a.cases {
		for _, y := range b.cases {
			if c := new(big.Int).Or(x, y); !r.closed(c) {
				out.cases = append(out.cases, c)
			}
		}
	}
	return r.reduced(out)
}

// closed reports whether a set has all arms of a decision: one of them was taken, if the
// decision was made.
func (r *Result) closed(set *big.Int) bool {
	for at := 0; at < set.BitLen(); {
		node := r.arms[at].Node
		first, arms := r.first[node], r.graph.Arms[node]
		all := true
		for arm := range arms {
			all = all && set.Bit(first+arm) == 1
		}
		if all {
			return true
		}
		at = first + arms
	}
	return false
}

// apart reports whether two never run together.
func (r *Result) apart(a, b when) bool {
	return !slices.ContainsFunc(a.cases, func(x *big.Int) bool {
		return slices.ContainsFunc(b.cases, func(y *big.Int) bool { return !r.closed(new(big.Int).Or(x, y)) })
	})
}

// reduced says the same in as few cases as possible.
func (r *Result) reduced(w when) when {
	if len(w.cases) > 1 {
		w.cases = slices.Clone(w.cases)
	}
	for again := len(w.cases) <= mostCases*mostCases; again; {
		w.cases, again = r.joined(w.cases)
	}
	if len(w.cases) > r.limit() {
		return w.collapsed()
	}
	slices.SortFunc(w.cases, func(a, b *big.Int) int { return a.Cmp(b) })
	return w
}

// collapsed is what all cases have in common.
func (w when) collapsed() when {
	common := w.common()
	exact := w.exact && slices.ContainsFunc(w.cases, func(c *big.Int) bool { return c.Cmp(common) == 0 })
	return when{[]*big.Int{common}, exact}
}

// joined makes one case of two, or leaves out one that follows from another.
func (r *Result) joined(cases []*big.Int) ([]*big.Int, bool) {
	for i, a := range cases {
		for k, b := range cases[i+1:] {
			if common := new(big.Int).And(a, b); r.ofOneDecision(new(big.Int).Xor(a, b)) || common.Cmp(a) == 0 || common.Cmp(b) == 0 {
				cases[i] = common
				return slices.Delete(cases, i+1+k, i+2+k), true
			}
		}
	}
	return cases, false
}

// ofOneDecision reports whether all arms of a set are arms of the same decision.
func (r *Result) ofOneDecision(set *big.Int) bool {
	return set.Sign() != 0 && r.arms[set.BitLen()-1].Node == r.arms[int(set.TrailingZeroBits())].Node
}
