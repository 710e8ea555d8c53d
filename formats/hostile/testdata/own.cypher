// A workflow of our own.
CREATE (:WORKFLOW {id: 'own', name: 'Own', settings: '{"max_steps": 10}'});
CREATE (root:STEP {id: 'root', workflow: 'own', function: 'utils.request.request', input: '{"prompt": "Name?"}', x: 1.5, y: -2})
CREATE (say:STEP {id: "say", workflow: 'own', function: "utils.reply.reply", input: '{"message": "Hi @{SESSION_ID}.root.response|you"}', retry: '{"max_attempts": 2}', approval: true, tags: ['a', 'b']})
MERGE (root)-[:NEXT {id: 'p', condition: '{"true": "@{SESSION_ID}.root.response"}', operator: 'OR', priority: 1}]->(say);
MATCH (a:STEP {id: 'say', workflow: 'own'}), (b:STEP {id: 'root', workflow: 'own'})
CREATE (a)-[:NEXT {back: true, condition: ['x', '@{SESSION_ID}.say.text']}]->(b)
SET a.name = 'Say', b += {description: "Asks"};
