-- Sessions that a batch at work still has something to do with. ?1 a JSON list of marks.
SELECT DISTINCT item.session FROM json_each(?1) AS mark
  JOIN batch_item AS item ON item.session = mark.value ->> 'id' AND item.outcome = 'open'
  JOIN batch ON batch.id = item.batch
WHERE batch.phase IN ('collecting', 'pinning', 'running') AND batch.deleting = 0;
