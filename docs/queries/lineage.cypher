// Which outputs led to this
// From one execution back along READ (whose output its input refers to) and TOOK (which path led here), nearest first. One shortest
// way to each is shown in words: << means read from, <- means led here by a path. No row: it began by itself.
// :param execution => '0199…/7';
MATCH (x:EXECUTION {id: $execution})
MATCH p = ANY SHORTEST (x)
  (()-[r:READ|TOOK]-(b) WHERE (type(r) = 'READ' AND endNode(r) = b) OR (type(r) = 'TOOK' AND startNode(r) = b))+
  (o)
RETURN length(p) AS far, o.seq AS seq, o.step AS step, o.visit AS visit, o.output AS output,
       reduce(way = x.step, i IN range(0, length(p) - 1) |
         way + CASE type(relationships(p)[i]) WHEN 'READ' THEN ' << ' ELSE ' <- ' END + nodes(p)[i + 1].step) AS way
ORDER BY far, seq DESC
