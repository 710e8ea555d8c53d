package client

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine/retention"
)

// FindEnded looks for sessions that may go.
func (c *operating) FindEnded(ctx context.Context, q retention.Query) (*retention.Page, error) {
	return c.prune(ctx, api.PruneBody{Keep: q.Keep.Rules(), Workflow: q.Workflow, Labels: q.Labels, After: q.After, Limit: q.Limit, Owner: q.Owner, DryRun: true})
}

// RemoveEnded removes families that FindEnded has found and sets their outcomes.
func (c *operating) RemoveEnded(ctx context.Context, owner string, families []retention.Family) error {
	page, err := c.prune(ctx, api.PruneBody{Owner: owner, Families: families})
	if err != nil {
		return err
	}
	if len(page.Families) != len(families) {
		return fmt.Errorf("the server answered for %d of %d families", len(page.Families), len(families))
	}
	copy(families, page.Families)
	return nil
}

// EndPrune lets others remove sessions.
func (c *operating) EndPrune(ctx context.Context, owner string) error {
	_, err := c.prune(ctx, api.PruneBody{Owner: owner, End: true})
	return err
}

func (c *operating) prune(ctx context.Context, b api.PruneBody) (*retention.Page, error) {
	return send[retention.Page](ctx, c.connection, request{method: http.MethodPost, path: path("prune"), body: b})
}

// WriteDocument writes all there is of a session as lines of JSON.
func (c *operating) WriteDocument(ctx context.Context, id string, w io.Writer) error {
	document, err := c.open(ctx, request{method: http.MethodGet, path: path("sessions", id, "document"), accept: ndjson})
	if err != nil {
		return err
	}
	defer document.Close()
	_, err = io.Copy(w, document)
	return err
}
