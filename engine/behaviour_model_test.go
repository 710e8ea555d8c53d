package engine_test

import (
	"slices"
	"time"
)

// A plan is a workflow of a property test, with what each visit of each step comes to.
type plan struct {
	steps map[string]*planStep
	order []string // ids in id order; the first is the root
}

type planStep struct {
	id       string
	joinAll  bool
	onError  string
	takes    time.Duration // of one call; 0 for a pure step
	needs    []string      // steps whose newest output its input refers to
	visits   []planVisit   // what the first visits come to; later ones are complete and open no path
	next     []planPath    // in path order
	onErrors []string      // targets that a failed visit opens, with on_error: continue
}

type planPath struct {
	target string
	marked bool // `back`
}

type planVisit struct {
	does string   // "ok", "fail" or "ask"
	open []string // targets of the paths that are open afterwards
}

func (s *planStep) visit(n int) planVisit {
	if n <= len(s.visits) {
		return s.visits[n-1]
	}
	return planVisit{does: "ok"}
}

// opens reports whether the path to target is open after the n-th visit.
func (s *planStep) opens(n int, target string) bool {
	v := s.visit(n)
	if v.does == "fail" {
		return s.onError == "continue" && slices.Contains(s.onErrors, target)
	}
	return slices.Contains(v.open, target)
}

// A model plays a plan as DESIGN.md tells it, in the plainest way: sets that are computed
// anew whenever they are needed, and a clock that jumps from one end of a call to the next.
type model struct {
	plan    *plan
	back    map[[2]string]bool
	now     time.Duration
	status  map[string]string
	visits  map[string]int
	calls   map[string]int
	active  []string        // in the order of activation; those that are pending too
	tries   bool            // something has moved: what is pending may have its values now
	gave    map[string]bool // steps whose newest output has what inputs refer to
	under   map[string]time.Duration
	ended   map[string]int // number of the newest visit that ended, of each step
	seq     int
	again   map[string]int
	joins   map[string]int
	closed  map[string]bool // targets of forward paths that were not taken
	failing bool            // a step with fail_session has failed in this wave
	failed  bool            // it has ended the session
	passed  map[string]bool // steps in error after which a path was taken: they count no more
}

func newModel(p *plan) *model {
	m := &model{plan: p, status: map[string]string{}, visits: map[string]int{}, calls: map[string]int{}, under: map[string]time.Duration{},
		gave: map[string]bool{}, ended: map[string]int{}, again: map[string]int{}, joins: map[string]int{}, closed: map[string]bool{}, passed: map[string]bool{}}
	m.back = p.backPaths()
	m.begin(p.order[0])
	return m
}

// backPaths are the marked ones, and those that lead to a step on the way to itself.
func (p *plan) backPaths() map[[2]string]bool {
	back := map[[2]string]bool{}
	incoming := map[string]bool{}
	for _, s := range p.steps {
		for _, n := range s.next {
			incoming[n.target] = true
			if n.marked {
				back[[2]string{s.id, n.target}] = true
			}
		}
	}
	done := map[string]bool{}
	var walk func(id string, way []string)
	walk = func(id string, way []string) {
		if done[id] {
			return
		}
		way = append(slices.Clone(way), id)
		for _, n := range p.steps[id].next {
			switch path := [2]string{id, n.target}; {
			case back[path]:
			case slices.Contains(way, n.target):
				back[path] = true
			default:
				walk(n.target, way)
			}
		}
		done[id] = true
	}
	walk(p.order[0], nil)
	for _, id := range p.order {
		if !incoming[id] {
			walk(id, nil)
		}
	}
	for _, id := range p.order {
		walk(id, nil)
	}
	return back
}

// play moves on until only an answer can, or nothing.
func (m *model) play() {
	for {
		for m.tries {
			m.wave(nil)
		}
		if len(m.under) == 0 {
			return
		}
		ended := m.nextEnd()
		m.wave([]string{ended})
	}
}

// nextEnd moves the clock to the end of the call that ends first.
func (m *model) nextEnd() string {
	first := ""
	for id, at := range m.under {
		if first == "" || at < m.under[first] {
			first = id
		}
	}
	m.now = m.under[first]
	delete(m.under, first)
	return first
}

// answer answers the open question of a step.
func (m *model) answer(id string) {
	m.end(id, "complete")
	m.run([]string{id}, true)
	m.play()
}

// wave takes what has arrived, runs what is active, follows the paths of all that
// finished and settles the joins.
func (m *model) wave(arrived []string) {
	var done []string
	for _, id := range arrived {
		if m.finish(id) {
			done = append(done, id)
		}
	}
	m.run(done, len(arrived) > 0)
}

// run does the rest of a wave in which some steps have finished already. Inputs are resolved
// before anything runs; a step that is pending is tried when nothing has arrived.
func (m *model) run(done []string, arrived bool) {
	m.tries = arrived
	if m.endFailed() {
		return
	}
	var active, later []string
	for _, id := range m.active {
		switch {
		case m.status[id] == "pending" && arrived:
			later = append(later, id)
		case m.resolves(id):
			active = append(active, id)
		default:
			m.status[id] = "pending"
			later = append(later, id)
		}
	}
	m.active = later
	m.tries = arrived || len(active) > 0
	for _, id := range active {
		m.status[id] = "active"
	}
	for _, id := range active {
		if takes := m.plan.steps[id].takes; takes > 0 {
			m.under[id] = m.now + takes
			continue
		}
		m.calls[id]++
		if m.finish(id) {
			done = append(done, id)
		}
	}
	if m.endFailed() {
		return
	}
	for _, id := range active { // calls start when the wave is durable
		if m.plan.steps[id].takes > 0 {
			m.calls[id]++
		}
	}
	m.follow(done)
	m.settle()
	m.label()
}

// resolves reports whether all that a step's input refers to is there.
func (m *model) resolves(id string) bool {
	return !slices.ContainsFunc(m.plan.steps[id].needs, func(n string) bool { return !m.gave[n] })
}

// finish ends a visit and reports whether its paths are to be followed.
func (m *model) finish(id string) bool {
	step := m.plan.steps[id]
	switch step.visit(m.visits[id]).does {
	case "ask":
		m.status[id], m.gave[id] = "awaiting_input", true
		return false
	case "fail":
		m.end(id, "error")
		if step.onError == "fail_session" {
			m.failing = true
		}
		if step.onError == "continue" {
			m.gave[id] = false // its output is the error
		}
		return step.onError == "continue"
	}
	m.end(id, "complete")
	m.gave[id] = true
	return true
}

func (m *model) end(id, status string) {
	m.seq++
	m.status[id], m.ended[id] = status, m.seq
}

// endFailed ends the session when a step with fail_session has failed and the others of its
// wave have run.
func (m *model) endFailed() bool {
	if !m.failing {
		return m.failed
	}
	m.failing, m.failed = false, true
	for id, status := range m.status {
		if status == "active" || status == "pending" || status == "awaiting_input" {
			m.status[id] = "cancelled"
		}
	}
	m.active, m.tries, m.under = nil, false, map[string]time.Duration{}
	return true
}

// follow judges the paths of all that finished, then activates the targets, then what was
// activated while it ran.
func (m *model) follow(done []string) {
	type taken struct {
		target string
		seq    int
	}
	var all []taken
	for _, id := range done {
		for _, n := range m.plan.steps[id].next {
			switch {
			case m.plan.steps[id].opens(m.visits[id], n.target):
				m.passed[id] = true
				all = append(all, taken{n.target, m.ended[id]})
			case !m.back[[2]string{id, n.target}]:
				m.closed[n.target] = true
			}
		}
	}
	for _, t := range all {
		m.activate(t.target, t.seq)
	}
	for _, id := range done {
		if seq, ok := m.again[id]; ok {
			delete(m.again, id)
			m.activate(id, seq)
		}
	}
}

// activate makes a step run after the visit that ended as number seq.
func (m *model) activate(id string, seq int) {
	step := m.plan.steps[id]
	_, running := m.under[id]
	switch status := m.status[id]; {
	case running:
		first(m.again, id, seq)
	case status == "active" || status == "pending" || status == "awaiting_input":
	case status == "error" && step.onError != "continue":
	case step.joinAll:
		first(m.joins, id, seq)
	default:
		m.begin(id)
	}
}

func first(in map[string]int, id string, seq int) {
	if _, ok := in[id]; !ok {
		in[id] = seq
	}
}

func (m *model) begin(id string) {
	m.visits[id]++
	m.status[id] = "active"
	delete(m.passed, id)
	m.active, m.tries = append(m.active, id), true
}

// settle starts the joins that nothing live can reach, in the order of what led to them.
func (m *model) settle() {
	live := m.live()
	var ready []string
	for _, id := range m.plan.order {
		if _, waits := m.joins[id]; waits && !m.reached(id, live) {
			ready = append(ready, id)
		}
	}
	slices.SortStableFunc(ready, func(a, b string) int { return m.joins[a] - m.joins[b] })
	for _, id := range ready {
		delete(m.joins, id)
		m.begin(id)
	}
}

// reached reports whether something else that is live leads to a step.
func (m *model) reached(id string, live []string) bool {
	return slices.ContainsFunc(live, func(l string) bool { return l != id && m.leads(l, id) })
}

// live are the steps from which something may still come.
func (m *model) live() []string {
	var live []string
	for _, id := range m.plan.order {
		switch status := m.status[id]; {
		case m.waits(id), status == "active", status == "pending", status == "awaiting_input",
			status == "error" && m.plan.steps[id].onError != "continue":
			live = append(live, id)
		}
	}
	return live
}

func (m *model) waits(id string) bool {
	_, ok := m.joins[id]
	return ok
}

// leads reports whether forward paths lead from one step to another.
func (m *model) leads(from, to string) bool {
	for _, n := range m.plan.steps[from].next {
		if !m.back[[2]string{from, n.target}] && (n.target == to || m.leads(n.target, to)) {
			return true
		}
	}
	return false
}

// questions are the steps that ask, in id order.
func (m *model) questions() []string {
	var open []string
	for _, id := range m.plan.order {
		if m.status[id] == "awaiting_input" {
			open = append(open, id)
		}
	}
	return open
}

// session is the status of the session.
func (m *model) session() string {
	for _, want := range []string{"active", "awaiting_input", "pending", "error"} {
		for id, status := range m.status {
			if status == want && (want != "error" || !m.passed[id]) {
				return want
			}
		}
	}
	return "complete"
}

// label gives `skipped` to the steps without a status, behind paths not taken, that nothing
// live can reach.
func (m *model) label() {
	live := m.live()
	var from func(id string)
	from = func(id string) {
		if status := m.status[id]; m.waits(id) || status != "" && status != "skipped" || m.reached(id, live) {
			return
		}
		m.status[id] = "skipped"
		for _, n := range m.plan.steps[id].next {
			if !m.back[[2]string{id, n.target}] {
				from(n.target)
			}
		}
	}
	for id := range m.closed {
		from(id)
	}
}
