// 001_unique.cypher: what may exist only once. A constraint is an index, too.
// When one cannot be made because of duplicates, the error names them.
CREATE CONSTRAINT session_id IF NOT EXISTS FOR (s:SESSION) REQUIRE s.id IS UNIQUE;
// A start counts once for each key; only sessions started with a key have one.
CREATE CONSTRAINT session_start_key IF NOT EXISTS FOR (s:SESSION) REQUIRE s.start_key IS UNIQUE;
CREATE CONSTRAINT execution_id IF NOT EXISTS FOR (e:EXECUTION) REQUIRE e.id IS UNIQUE;
CREATE CONSTRAINT request_id IF NOT EXISTS FOR (q:REQUEST) REQUIRE q.id IS UNIQUE;
// session/step/visit/ask of the question that an answer is for: one answer for each.
CREATE CONSTRAINT request_target IF NOT EXISTS FOR (q:REQUEST) REQUIRE q.target IS UNIQUE;
CREATE CONSTRAINT workflow_id IF NOT EXISTS FOR (w:WORKFLOW) REQUIRE w.id IS UNIQUE;
CREATE CONSTRAINT definition_hash IF NOT EXISTS FOR (d:DEFINITION) REQUIRE d.hash IS UNIQUE;
CREATE CONSTRAINT blob_id IF NOT EXISTS FOR (b:BLOB) REQUIRE b.id IS UNIQUE;
CREATE CONSTRAINT result_id IF NOT EXISTS FOR (r:RESULT) REQUIRE r.id IS UNIQUE;
