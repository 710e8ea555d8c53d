// loop: a container goes round, and what it finds gathers in an accumulator.
//
// The step "savings" runs the steps it CONTAINS once for each year. "year" reads the round
// it is in, "balance" adds to its own newest output, which the first time it does not have
// yet: that is what the empty default stands for. What follows the container waits for
// its last round.
CREATE
  (root:STEP {id: 'root', function: 'utils.request.request',
    input: '{"prompt": "How much do you put aside each year?", "options": ["1200", "2400"],
             "schema": {"type": "string", "pattern": "^[0-9]{1,9}$"}}'}),

  (savings:STEP {id: 'savings', function: 'loop', name: 'Ten years',
    input: '{"count": 10}'}),

  (year:STEP {id: 'year', function: 'utils.code.code', name: 'What this year brings',
    input: '{"code": "result = amount * 103 // 100 if index % 2 else amount",
             "variables": {"amount": "@{SESSION_ID}.amount.result", "index": "@{SESSION_ID}.savings.index"}}'}),

  (balance:STEP {id: 'balance', function: 'accumulate', name: 'The balance',
    input: '{"mode": "sum", "previous": "@{SESSION_ID}.balance.total|", "value": "@{SESSION_ID}.year.result"}'}),

  (amount:STEP {id: 'amount', function: 'utils.code.code', name: 'The answer as a number',
    input: '{"code": "result = int(@{SESSION_ID}.root.response)"}'}),

  (tell:STEP {id: 'tell', function: 'utils.reply.reply',
    input: '{"message": {"@text": ["After ", "@{SESSION_ID}.savings.count", " years you have ", "@{SESSION_ID}.balance.total", "."]}}'}),

  (root)-[:NEXT]->(amount),
  (amount)-[:NEXT]->(savings),
  (savings)-[:CONTAINS {priority: 1}]->(year),
  (savings)-[:CONTAINS {priority: 2}]->(balance),
  (year)-[:NEXT]->(balance),
  (savings)-[:NEXT]->(tell);
