// removal_in_batch.cypher: those of $ids that a batch at work still has something to do with. No row: none.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (i:BATCH_ITEM) USING INDEX i:BATCH_ITEM(session, todo) WHERE i.session = id AND i.todo IS NOT NULL
MATCH (b:BATCH {id: i.batch}) WHERE b.phase IN ['collecting', 'pinning', 'running']
RETURN DISTINCT id
