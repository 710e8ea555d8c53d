// 000_turns.cypher: made before all others and outside of their turns: that there is one lock, so that engines which migrate at
// the same time take turns. The runner does not mind when another engine makes these at the same moment.
CREATE CONSTRAINT migration_lock_id IF NOT EXISTS FOR (l:MIGRATION_LOCK) REQUIRE l.id IS UNIQUE;
CREATE CONSTRAINT migration_version IF NOT EXISTS FOR (m:MIGRATION) REQUIRE m.version IS UNIQUE;
