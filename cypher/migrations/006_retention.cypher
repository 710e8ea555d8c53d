// 006_retention.cypher: what only one engine does at a time, and until when.
CREATE CONSTRAINT duty_name IF NOT EXISTS FOR (d:DUTY) REQUIRE d.name IS UNIQUE;
// Whether a batch still has something to do with a session: todo is there only until the item is done or has failed.
CREATE INDEX batch_item_session IF NOT EXISTS FOR (i:BATCH_ITEM) ON (i.session, i.todo);
