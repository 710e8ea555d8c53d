package agentzero

func (c *checker) expressions() {
	for _, n := range c.flow.ofKind(kindCondition) {
		if n.Data.Expression == "" {
			c.atNode(n, "data/expression", codeEmpty, "the expression is empty")
		}
	}
}
