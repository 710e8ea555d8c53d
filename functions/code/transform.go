package code

import (
	"fmt"

	"go.starlark.net/syntax"
)

// transformer replaces operations of unbounded cost by calls of guard functions.
type transformer struct {
	depth   int
	tooDeep bool
	temps   int
}

func (t *transformer) statements(list []syntax.Stmt) []syntax.Stmt {
	var out []syntax.Stmt
	for _, s := range list {
		out = append(out, t.statement(s)...)
	}
	return out
}

func (t *transformer) statement(s syntax.Stmt) []syntax.Stmt {
	if t.enter() {
		defer t.leave()
	} else {
		return []syntax.Stmt{s}
	}
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return t.assign(s)
	case *syntax.DefStmt:
		t.parameters(s.Params)
		s.Body = t.statements(s.Body)
	case *syntax.ExprStmt:
		s.X = t.expr(s.X)
	case *syntax.ForStmt:
		s.Vars, s.X, s.Body = t.target(s.Vars), t.expr(s.X), t.statements(s.Body)
	case *syntax.WhileStmt:
		s.Cond, s.Body = t.expr(s.Cond), t.statements(s.Body)
	case *syntax.IfStmt:
		s.Cond, s.True, s.False = t.expr(s.Cond), t.statements(s.True), t.statements(s.False)
	case *syntax.ReturnStmt:
		s.Result = t.expr(s.Result)
	}
	return []syntax.Stmt{s}
}

// assign replaces x += y by an assignment of a guarded call, since its effect on x depends on
// both types. In a[i] += y, a and i are evaluated once, into names that no script can use.
func (t *transformer) assign(s *syntax.AssignStmt) []syntax.Stmt {
	s.RHS = t.expr(s.RHS)
	s.LHS = t.target(s.LHS)
	if s.Op == syntax.EQ {
		return []syntax.Stmt{s}
	}
	op := s.Op - syntax.PLUS_EQ + syntax.PLUS
	var before []syntax.Stmt
	target := s.LHS
	for paren, ok := target.(*syntax.ParenExpr); ok; paren, ok = target.(*syntax.ParenExpr) {
		target = paren.X
	}
	read := target
	switch x := target.(type) {
	case *syntax.Ident:
		read = &syntax.Ident{NamePos: x.NamePos, Name: x.Name}
	case *syntax.IndexExpr:
		t.temps++
		object, index := fmt.Sprintf("$object %d", t.temps), fmt.Sprintf("$index %d", t.temps)
		before = []syntax.Stmt{t.keep(object, x.X, s.OpPos), t.keep(index, x.Y, s.OpPos)}
		at := func() syntax.Expr {
			return &syntax.IndexExpr{X: name(object, x.Lbrack), Lbrack: x.Lbrack, Y: name(index, x.Lbrack), Rbrack: x.Rbrack}
		}
		target, read = at(), at()
	default:
		return []syntax.Stmt{s} // a field; no value here has a field that can be set
	}
	return append(before, &syntax.AssignStmt{OpPos: s.OpPos, Op: syntax.EQ, LHS: target, RHS: call(inPlace(op), s.OpPos, read, s.RHS)})
}

func (t *transformer) keep(as string, x syntax.Expr, at syntax.Position) syntax.Stmt {
	return &syntax.AssignStmt{OpPos: at, Op: syntax.EQ, LHS: name(as, at), RHS: x}
}

// target transforms the left side of an assignment.
func (t *transformer) target(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		x.X = t.target(x.X)
	case *syntax.TupleExpr:
		each(x.List, t.target)
	case *syntax.ListExpr:
		each(x.List, t.target)
	case *syntax.IndexExpr:
		x.X, x.Y = t.expr(x.X), t.key(storeCall, x.Y)
	case *syntax.DotExpr:
		x.X = t.expr(x.X)
	}
	return x
}

func (t *transformer) expr(x syntax.Expr) syntax.Expr {
	if x == nil || !t.enter() {
		return x
	}
	defer t.leave()
	switch x := x.(type) {
	case *syntax.BinaryExpr:
		x.X, x.Y = t.expr(x.X), t.expr(x.Y)
		if x.Op != syntax.AND && x.Op != syntax.OR {
			return call(operator(x.Op), x.OpPos, x.X, x.Y)
		}
	case *syntax.UnaryExpr:
		x.X = t.expr(x.X)
	case *syntax.ParenExpr:
		x.X = t.expr(x.X)
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = t.expr(x.Cond), t.expr(x.True), t.expr(x.False)
	case *syntax.ListExpr:
		each(x.List, t.expr)
	case *syntax.TupleExpr:
		each(x.List, t.expr)
	case *syntax.DictExpr:
		for _, e := range x.List {
			t.entry(e)
		}
	case *syntax.LambdaExpr:
		t.parameters(x.Params)
		x.Body = t.expr(x.Body)
	case *syntax.Comprehension:
		t.comprehension(x)
	case *syntax.CallExpr:
		x.Fn = t.expr(x.Fn)
		each(x.Args, t.argument)
	case *syntax.DotExpr:
		return call(attrCall, x.Dot, t.expr(x.X), &syntax.Literal{Token: syntax.STRING, TokenPos: x.NamePos, Raw: x.Name.Name, Value: x.Name.Name})
	case *syntax.IndexExpr:
		x.X, x.Y = t.expr(x.X), t.key(keyCall, x.Y)
	case *syntax.SliceExpr:
		x.X, x.Lo, x.Hi, x.Step = t.expr(x.X), t.expr(x.Lo), t.expr(x.Hi), t.expr(x.Step)
		return call(sliceCall, x.Lbrack, x)
	}
	return x
}

func (t *transformer) comprehension(x *syntax.Comprehension) {
	for _, clause := range x.Clauses {
		switch c := clause.(type) {
		case *syntax.ForClause:
			c.Vars, c.X = t.target(c.Vars), t.expr(c.X)
		case *syntax.IfClause:
			c.Cond = t.expr(c.Cond)
		}
	}
	if _, ok := x.Body.(*syntax.DictEntry); ok {
		t.entry(x.Body)
		return
	}
	if x.Curly {
		x.Body = t.key(storeCall, x.Body)
		return
	}
	x.Body = t.expr(x.Body)
}

func (t *transformer) entry(x syntax.Expr) {
	if e, ok := x.(*syntax.DictEntry); ok {
		e.Key, e.Value = t.key(storeCall, e.Key), t.expr(e.Value)
	}
}

// key guards an expression that is hashed and compared.
func (t *transformer) key(guard string, x syntax.Expr) syntax.Expr {
	if _, ok := x.(*syntax.Literal); ok {
		return x
	}
	return call(guard, syntax.Start(x), t.expr(x))
}

// argument transforms one argument of a call: x, name=x, *x or **x.
func (t *transformer) argument(x syntax.Expr) syntax.Expr {
	switch a := x.(type) {
	case *syntax.BinaryExpr:
		if a.Op == syntax.EQ {
			a.Y = t.expr(a.Y)
			return a
		}
	case *syntax.UnaryExpr:
		if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
			a.X = call(spreadCall, a.OpPos, t.expr(a.X))
			return a
		}
	}
	return t.expr(x)
}

// parameters transforms the default values of parameters.
func (t *transformer) parameters(list []syntax.Expr) {
	for _, p := range list {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = t.expr(b.Y)
		}
	}
}

func (t *transformer) enter() bool {
	if t.depth == maxDepth {
		t.tooDeep = true
		return false
	}
	t.depth++
	return true
}

func (t *transformer) leave() { t.depth-- }

func each(list []syntax.Expr, f func(syntax.Expr) syntax.Expr) {
	for i := range list {
		list[i] = f(list[i])
	}
}

func call(function string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: name(function, at), Lparen: at, Args: args, Rparen: at}
}

func name(of string, at syntax.Position) *syntax.Ident { return &syntax.Ident{NamePos: at, Name: of} }
