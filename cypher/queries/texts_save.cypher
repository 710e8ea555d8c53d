// texts_save.cypher: keeps texts of definitions; those already there stay as they are. One row for each.
UNWIND $rows AS r
MERGE (d:DEFINITION {hash: r.hash})
ON CREATE SET d.workflow = r.workflow, d.step = r.step, d.text = r.text, d.first_seen = coalesce(r.first_seen, datetime.realtime())
RETURN r.hash AS hash
