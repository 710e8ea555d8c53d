package api

import (
	"context"
	"net/http"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

type auditIn struct {
	Paged
	Who      string    `query:"who" doc:"name of the token, operator or anonymous" example:"desk"`
	Action   string    `query:"action" doc:"operationId of the route, or what was done" example:"cancelSession"`
	Workflow string    `query:"workflow"`
	Session  string    `query:"session"`
	Refused  bool      `query:"refused" doc:"true: only what was refused"`
	Since    time.Time `query:"since" doc:"at or after this time"`
	Until    time.Time `query:"until" doc:"before this time"`
}

func (r *operatingRoutes) registerAudit() {
	register(r.routeTable, operation{id: "listAudit", method: http.MethodGet, path: "/api/v1/audit", tag: tagOperating,
		summary: "See who did what, the newest first",
		about: "Edits, starts, answers, operator actions, batches, profiles, variables, secrets and tokens by name, and refused requests, with before and after. " +
			"It needs the scope admin. Of an answer it has the size and a hash; the text is part of the session and is removed with it.",
		problems: []string{"bad_request"}}, r.listAudit)
}

func (r *operatingRoutes) listAudit(ctx context.Context, in *auditIn) (*pageOut[AuditEntry], error) {
	at, err := readCursor("audit", in.Cursor)
	if err != nil {
		return nil, err
	}
	found, err := r.e.Store().AuditEntries(ctx, engine.AuditQuery{Who: in.Who, Action: in.Action, Workflow: in.Workflow, Session: in.Session, Refused: in.Refused,
		Since: in.Since, Until: in.Until, After: engine.Cursor{At: at.At, ID: at.ID}, Limit: in.Limit + 1})
	if err != nil {
		return nil, err
	}
	if len(found) <= in.Limit {
		return pageOf(found, ""), nil
	}
	found = found[:in.Limit]
	last := found[in.Limit-1]
	return pageOf(found, rowCursor("audit", &engine.Cursor{At: last.At, ID: last.ID})), nil
}
