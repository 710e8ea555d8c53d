package enginetest_test

import (
	"context"
	"fmt"
	"io"
	"testing"
)

// exampleTB lets an Example, which has no test, call what wants one.
type exampleTB struct {
	testing.TB
	ctx context.Context
}

func (t exampleTB) Helper()                  {}
func (t exampleTB) Context() context.Context { return t.ctx }
func (t exampleTB) Output() io.Writer        { return io.Discard }

func (t exampleTB) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (t exampleTB) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
