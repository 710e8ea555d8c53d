package cypherfile

// A statement is what stands between two semicolons.
type statement struct {
	clauses []clause
	slots   int // variables it uses, each has its number; filled in by resolve
}

// A clause is one of the *…Clause types below.
type clause interface{ place() int }

type createClause struct {
	at    int
	paths []*path
}

type mergeClause struct {
	at       int
	path     *path
	onCreate []setItem
	onMatch  []setItem
}

type matchClause struct {
	at       int
	optional bool
	paths    []*path
	where    expression
	fresh    []int // slots that an OPTIONAL MATCH without result sets to null
}

type setClause struct {
	at    int
	items []setItem
}

type removeClause struct {
	at    int
	items []setItem
}

type deleteClause struct {
	at      int
	detach  bool
	targets []expression
}

type withClause struct {
	at       int
	distinct bool
	all      bool
	items    []withItem
	where    expression
}

// A returnClause says nothing to a workflow; it is parsed and checked only.
type returnClause struct {
	at    int
	name  string // RETURN or FINISH
	all   bool   // RETURN *
	items []withItem
	order []expression
}

// A schemaClause is CREATE or DROP of an index or a constraint, which is left out.
type schemaClause struct {
	at   int
	what string
}

func (c *createClause) place() int { return c.at }
func (c *mergeClause) place() int  { return c.at }
func (c *matchClause) place() int  { return c.at }
func (c *setClause) place() int    { return c.at }
func (c *removeClause) place() int { return c.at }
func (c *deleteClause) place() int { return c.at }
func (c *withClause) place() int   { return c.at }
func (c *returnClause) place() int { return c.at }
func (c *schemaClause) place() int { return c.at }

type withItem struct {
	value expression
	name  string
	at    int
	slot  int
}

// setItem is `target.key = value`, `target = value`, `target += value` or `target:Label`,
// for REMOVE without value.
type setItem struct {
	at     int
	target *variable
	key    string
	labels []string
	add    bool
	remove bool
	value  expression
}

// A path is nodes with relationships between them: len(nodes) == len(relations)+1.
type path struct {
	at        int
	nodes     []*nodePattern
	relations []*relationPattern
}

type nodePattern struct {
	at         int
	name       string // variable, or ""
	slot       int    // of the variable, or -1
	bound      bool   // the variable has its node before this pattern is reached
	labels     []string
	properties *mapExpression // or nil
}

type direction int

const (
	outgoing direction = iota
	incoming
	either
)

type relationPattern struct {
	at         int
	name       string
	slot       int
	bound      bool
	types      []string
	properties *mapExpression
	direction  direction
}
