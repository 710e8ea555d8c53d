-- READ and TOOK of an execution are a list in its own row: [["READ", seq of the other, label], ...]. Rows of
-- their own were written to a second table and its index for every path taken and every value read.
-- oldest engine: 12
ALTER TABLE execution ADD COLUMN lineage TEXT;

-- What was written before. It is not copied, so that a large file is migrated at once.
ALTER TABLE lineage RENAME TO lineage_before;

-- Both, from the later execution (seq) to the earlier one (other). What leads to an execution that is
-- not there is left out.
CREATE VIEW lineage (session, seq, kind, other, label) AS
SELECT session, seq, kind, other, label FROM lineage_before
UNION ALL
SELECT e.session, e.seq, l.value ->> 0, o.seq, l.value ->> 2
FROM execution AS e, json_each(e.lineage) AS l, execution AS o
WHERE o.session = e.session AND o.seq = l.value ->> 1;
