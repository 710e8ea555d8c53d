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

	// A display is a list or a set written out.
	display struct {
		set    bool
		items  []node
		column int
	}

	dictDisplay struct {
		keys, values []node
		column       int
	}

	// A comprehension gives item for what its clauses go over.
	comprehension struct {
		item    node
		clauses []clause
		column  int
	}

	clause struct {
		targets []string // more than one: each item is taken apart
		over    node
		tests   []node
		column  int
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

	// A call calls a function, or a method where of is set.
	call struct {
		of     node
		name   string
		args   []node
		column int // of the name
		open   int // of the bracket
	}

	// A template is an f-string.
	template struct{ parts []templatePart }

	templatePart struct {
		literal string
		value   node // nil: only literal
		column  int
	}
)
