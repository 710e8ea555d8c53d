// 009_turns.cypher: sessions of workflows with limits of their own wait for their turn in lanes. waiting is the lane of a session that waits, held that of one that has its turn.
CREATE CONSTRAINT turn_session IF NOT EXISTS FOR (t:TURN) REQUIRE t.session IS UNIQUE;
CREATE CONSTRAINT lane_id IF NOT EXISTS FOR (l:LANE) REQUIRE l.id IS UNIQUE;
CREATE INDEX turn_waiting_place IF NOT EXISTS FOR (t:TURN) ON (t.waiting, t.place);
CREATE INDEX turn_held IF NOT EXISTS FOR (t:TURN) ON (t.held);
CREATE INDEX lane_look_at IF NOT EXISTS FOR (l:LANE) ON (l.look_at);
