// 005_audit.cypher: who did what from outside. Entries outlive the workflows and sessions they name, so that they name them by
// property and have no relation to them.
CREATE CONSTRAINT audit_id IF NOT EXISTS FOR (a:AUDIT) REQUIRE a.id IS UNIQUE;
CREATE INDEX audit_at IF NOT EXISTS FOR (a:AUDIT) ON (a.at);
CREATE INDEX audit_session IF NOT EXISTS FOR (a:AUDIT) ON (a.session);
CREATE INDEX audit_workflow IF NOT EXISTS FOR (a:AUDIT) ON (a.workflow);
