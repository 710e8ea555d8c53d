package diagram

// maxIndent bounds the blanks before a line, in levels: indenting each of many levels would
// make a text that grows with their square.
const maxIndent = 20

// walk visits a frame and those in it, each when it begins and when it ends. It keeps its own
// stack: containers may stand in one another without end.
func walk(outermost *frame, begin, end func(f *frame, depth int)) {
	type visit struct {
		frame *frame
		next  int
	}
	begin(outermost, 0)
	for stack := []visit{{frame: outermost}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next == len(top.frame.inner) {
			end(top.frame, len(stack)-1)
			stack = stack[:len(stack)-1]
			continue
		}
		inner := top.frame.inner[top.next]
		top.next++
		begin(inner, len(stack))
		stack = append(stack, visit{frame: inner})
	}
}
