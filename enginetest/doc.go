// Package enginetest runs workflows in tests: it starts a session, gives answers in order and
// checks the result. It is for authors of workflows and functions who want to test them
// together, with the real engine and without a server.
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
// Each game uses a new memory store unless Game names another one. Inside a testing/synctest
// bubble, retries and timeouts take no real time. The package imports testing, so only tests
// may import it.
package enginetest
