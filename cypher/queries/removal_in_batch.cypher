// removal_in_batch.cypher: one of $ids that a batch at work still has something to do with. No row: none.
UNWIND $ids AS id
MATCH (i:BATCH_ITEM) WHERE i.session = id AND i.todo IS NOT NULL
MATCH (b:BATCH {id: i.batch}) WHERE b.phase IN ['collecting', 'pinning', 'running']
RETURN id LIMIT 1
