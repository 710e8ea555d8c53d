-- Sessions of workflows with limits of their own wait for their turn in lanes.
ALTER TABLE session ADD COLUMN concurrency_key TEXT;

-- waiting is 0 for a session that has its turn. place is the order of the queue, status what the session
-- had before it waited.
CREATE TABLE turn (
  session TEXT PRIMARY KEY,
  lane TEXT NOT NULL,
  waiting INTEGER NOT NULL,
  place INTEGER NOT NULL,
  since INTEGER NOT NULL,
  fresh INTEGER NOT NULL,
  status TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX turn_lane ON turn (lane, waiting, place, session);

-- look_at is when somebody has to look at the lane, next_at when its rate lets the next session start.
CREATE TABLE lane (
  id TEXT PRIMARY KEY,
  workflow TEXT NOT NULL,
  key TEXT NOT NULL,
  look_at INTEGER NOT NULL,
  next_at INTEGER
) WITHOUT ROWID;
CREATE INDEX lane_look ON lane (look_at);
CREATE INDEX lane_workflow ON lane (workflow);
