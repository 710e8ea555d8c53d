// Package enginetest plays workflows in tests: a start, answers given in order, and what
// came of it. It is for people who write workflows and functions of their own and want to
// know that they work together, on the real engine and without a server.
//
//	func TestGreeting(t *testing.T) {
//		result := enginetest.Play(t, enginetest.Game{
//			Workflow: greeting,
//			Registry: functions,
//			Answers:  []enginetest.Answer{enginetest.Say("Ada")},
//		})
//		result.WantStatus(engine.StatusComplete)
//		result.WantChat("assistant: Name?", "user: Ada", "assistant: Hello Ada")
//	}
//
// A game is played on a store of its own in memory unless it names another. Inside a bubble
// of testing/synctest, retries and timeouts take no time. The package links testing, so only
// tests may import it.
package enginetest
