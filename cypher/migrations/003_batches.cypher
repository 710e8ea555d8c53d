// 003_batches.cypher: one action on many sessions, and its items.
CREATE CONSTRAINT batch_id IF NOT EXISTS FOR (b:BATCH) REQUIRE b.id IS UNIQUE;
// The idempotency key of the call that made it; most have none.
CREATE CONSTRAINT batch_key IF NOT EXISTS FOR (b:BATCH) REQUIRE b.key IS UNIQUE;
// batch/n.
CREATE CONSTRAINT batch_item_id IF NOT EXISTS FOR (i:BATCH_ITEM) REQUIRE i.id IS UNIQUE;
// due_at is there only while something is to be done.
CREATE INDEX batch_due_at IF NOT EXISTS FOR (b:BATCH) ON (b.due_at);
CREATE INDEX batch_created_at IF NOT EXISTS FOR (b:BATCH) ON (b.created_at);
CREATE INDEX batch_item_batch_n IF NOT EXISTS FOR (i:BATCH_ITEM) ON (i.batch, i.n);
// todo is the item's number, there only until the item is done or has failed.
CREATE INDEX batch_item_todo IF NOT EXISTS FOR (i:BATCH_ITEM) ON (i.batch, i.todo);
