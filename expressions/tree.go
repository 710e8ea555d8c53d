package expressions

// A node is a part of a compiled expression.
type node interface {
	// eval gives its value; the error is an *Error.
	eval(r *run) (any, error)
}

type (
	// A constant is a literal.
	constant struct{ value any }

	name struct {
		name   string
		column int
	}

	// A logical is "and" or "or".
	logical struct {
		and         bool
		left, right spanned
	}

	not struct{ operand node }

	// A comparison is a chain: each operator stands before the operand of its index + 1.
	comparison struct {
		operators []string
		operands  []node
		column    int
	}

	binary struct {
		operator    string
		left, right node
		column      int
	}

	unary struct {
		operator string
		operand  node
		column   int
	}

	choice struct{ test, then, otherwise node }

	// A display is a list, tuple or set written out.
	display struct {
		kind   byte // '[', '(' or '{'
		items  []node
		column int
	}

	dictDisplay struct {
		keys, values []node
		column       int
	}

	// A comprehension gives item, and for a dict value, for what its clauses go over.
	comprehension struct {
		kind        byte // '[', '{', 'd' for a dict, '(' for a generator
		item, value node
		clauses     []clause
		column      int
	}

	clause struct {
		targets []string // more than one: each item is taken apart
		over    node
		tests   []node
		column  int
	}

	attribute struct {
		of     node
		name   string
		column int
	}

	index struct {
		of, at node
		column int
	}

	slice struct {
		of              node
		from, to, steps node // nil where left out
		column          int
	}

	call struct {
		of     node
		args   []node
		names  []string // of the arguments given by name
		named  []node
		column int
	}

	// A template is an f-string.
	template struct{ parts []templatePart }

	templatePart struct {
		literal    string
		value      node // nil: only literal
		conversion byte // 's', 'r', 'a' or 0
		format     node // nil for none
		column     int
	}
)
