package api

// registerAll adds every operation of the API. The order is that of the document.
func (s *server) registerAll() {
	t := s.routeTable
	workflows := workflowRoutes{t, s.e}
	graph := graphRoutes{t, s.e}
	traffic := trafficRoutes{t, s.e}
	sessions := sessionRoutes{t, s.e}
	history := historyRoutes{t, s.e, s.o.Heartbeat, &s.metrics.streams}
	batches := batchRoutes{t, s.e, s.o.Heartbeat}
	settings := settingRoutes{t, s.o.Vault}
	tokens := tokenRoutes{t, s.o.Tokens}
	eval := evalRoutes{t, s.e}
	operating := operatingRoutes{t, s.e, s.o.Neo4jBrowser, s.o.Findings}

	workflows.registerWorkflows()
	workflows.registerTransfer()
	graph.registerSteps()
	graph.registerPaths()
	operating.registerFunctions()
	settings.registerProfiles()
	settings.registerVariables()
	settings.registerSecrets()
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
