"""Uses the client that openapi-python-client has made, as a program would: client.py ADDRESS TOKEN FLOW.

Warnings are errors. Every module is imported: one that does not import is a call that nobody can make.
"""

import importlib
import io
import json
import pkgutil
import sys
import warnings

warnings.simplefilter("error")

import made

modules = [importlib.import_module(m.name) for m in pkgutil.walk_packages(made.__path__, "made.")]

from made import AuthenticatedClient, Client
from made.api.batches import get_batch_results, start_batch
from made.api.history import list_messages
from made.api.people import answer, list_awaiting
from made.api.sessions import count_sessions, get_session, start_session
from made.api.workflows import export_workflow, get_workflow, import_workflows, patch_step
from made.models import AnswerBody, BatchBody, BatchBodyAction, BatchFilter, ExportWorkflowFormat, PropertyPatch, StartBody
from made.models.problem import Problem
from made.types import File

address, token, flow = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)

with open(flow, "rb") as f:
    imported = import_workflows.sync(client=client, name="flow.json", body=File(payload=io.BytesIO(f.read())))
assert [w.workflow for w in imported.workflows] == ["client"], imported
again = export_workflow.sync(client=client, workflow="client", format_=ExportWorkflowFormat.YAML)
assert b"id: client" in again.payload.read()

session = start_session.sync(client=client, body=StartBody(workflow="client", id="py-1"), wait="10s", idempotency_key="py-1")
assert (session.id, session.status, session.awaiting[0].prompt) == ("py-1", "awaiting_input", "How many?"), session
assert any(w.session == "py-1" for w in list_awaiting.sync(client=client, workflow="client").items)

refused = answer.sync_detailed(client=client, session="py-1", body=AnswerBody(response="none"), wait="10s")
assert refused.status_code == 422 and isinstance(refused.parsed, Problem), refused
assert refused.parsed.errors[0].pointer == "/response", refused.parsed

answered = answer.sync(client=client, session="py-1", body=AnswerBody(response=3), wait="10s")
assert answered.status == "complete", answered
assert [m.content for m in list_messages.sync(client=client, session="py-1").items][-1] == "3 it is."

edited = patch_step.sync(client=client, workflow="client", step="end", body=PropertyPatch.from_dict({"name": "Ends"}))
assert edited.step.name == "Ends" and edited.affected.at_step == 0, edited
assert [s.name for s in get_workflow.sync(client=client, workflow="client").steps if s.id == "end"] == ["Ends"]

for n in (2, 3):
    start_session.sync(client=client, body=StartBody(workflow="client", id=f"py-{n}"), wait="10s")
lines = b'{"session": "py-2", "response": 4}\n'
batch = start_batch.sync(client=client, body=File(payload=io.BytesIO(lines)), action="answer")
results = get_batch_results.sync(client=client, batch=batch.id).payload.read().splitlines()
assert [(r["session"], r["outcome"]) for r in map(json.loads, results)] == [("py-2", "done")], results
batch = start_batch.sync(client=client, body=BatchBody(action=BatchBodyAction.ANSWER, filter_=BatchFilter(workflow="client"), response=5))
assert len(get_batch_results.sync(client=client, batch=batch.id).payload.read().splitlines()) == 1
counts = count_sessions.sync(client=client, by="status", workflow="client")
assert counts.counts.to_dict() == {"complete": 3}, counts

missing = get_session.sync_detailed(client=client, session="nothing")
assert missing.status_code == 404 and missing.parsed.type_ == "/problems/session_not_found", missing
stranger = get_session.sync_detailed(client=Client(base_url=address), session="py-1")
assert stranger.status_code == 401 and stranger.parsed.type_ == "/problems/unauthorized", stranger
client.get_httpx_client().close()
print(len(modules), "modules")
