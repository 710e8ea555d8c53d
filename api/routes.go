package api

import "sync/atomic"

// registerAll adds every operation of the API. The order is that of the document.
func registerAll(t *routeTable, e Engine, o Options, streams *atomic.Int64) {
	workflows := workflowRoutes{t, e}
	graph := graphRoutes{t, e}
	traffic := trafficRoutes{t, e}
	sessions := sessionRoutes{t, e}
	history := historyRoutes{t, e, o.Heartbeat, streams}
	batches := batchRoutes{t, e, o.Heartbeat}
	tokens := tokenRoutes{t, o.Tokens}
	eval := evalRoutes{t, e}
	operating := operatingRoutes{t, e, o.Neo4jBrowser, o.Findings}

	workflows.registerWorkflows()
	workflows.registerTransfer()
	graph.registerSteps()
	graph.registerPaths()
	operating.registerFunctions()
	registerSettings(t, o.Vault)
	sessions.registerSessions()
	sessions.registerState()
	history.registerHistory()
	history.registerEvents()
	sessions.registerAnswer()
	sessions.registerSteering()
	sessions.registerAwaiting()
	eval.registerEval()
	sessions.registerFork()
	sessions.registerExplain()
	sessions.registerRequests()
	batches.registerBatches()
	batches.registerBatchResults()
	traffic.registerAffected()
	graph.registerWorkflowLog()
	traffic.registerStats()
	traffic.registerTraffic()
	history.registerUsage()
	operating.registerServer()
	operating.registerDoctor()
	operating.registerEngines()
	operating.registerAudit()
	tokens.registerTokens()
	operating.registerPrune()
}
