// iterate: a list is gone through item by item, and in the middle of each round a person
// decides.
//
// The step "review" runs the steps it CONTAINS once for each headline. A session that is
// stopped while it waits, or whose engine dies, goes on in the round in which it was. The
// path from "keep" to "enough" leads out of the body: it ends the iteration after its round.
CREATE
  (root:STEP {id: 'root', function: 'variable', name: 'What has come in',
    input: '{"value": ["Bridge reopens", "Cat elected mayor", "Rain expected"]}'}),

  (review:STEP {id: 'review', function: 'iterate', name: 'One after the other',
    input: '{"items": "@{SESSION_ID}.root.value"}'}),

  (keep:STEP {id: 'keep', function: 'utils.request.select', name: 'Shall it be printed?',
    input: '{"prompt": "@{SESSION_ID}.review.item: print it?", 
             "options": [{"text": "print", "value": true}, {"text": "drop", "value": true}, {"text": "that is enough", "value": false}]}'}),

  (note:STEP {id: 'note', function: 'template', name: 'What was decided',
    input: '{"template": "@{SESSION_ID}.review.item: @{SESSION_ID}.keep.response"}'}),

  (enough:STEP {id: 'enough', function: 'utils.reply.reply',
    input: '{"message": "We stop here."}'}),

  (done:STEP {id: 'done', function: 'utils.reply.reply',
    input: '{"message": "All seen.\\n@{SESSION_ID}.review.text"}'}),

  (root)-[:NEXT]->(review),
  (review)-[:CONTAINS {priority: 1}]->(keep),
  (review)-[:CONTAINS {priority: 2}]->(note),
  (keep)-[:NEXT {priority: 1}]->(note),
  (keep)-[:NEXT {priority: 2, label: 'that is enough', condition: '{"false": "@{SESSION_ID}.keep.value"}'}]->(enough),
  (review)-[:NEXT]->(done);
