// Talks to a server as users of Flowise's client do and prints what it got, a line of JSON
// for each answer. Arguments: base URL, key, id of a flow that greets, id of one that asks.
import { createRequire } from 'node:module'

const { FlowiseClient } = createRequire(import.meta.url)('flowise-sdk')
const [baseUrl, apiKey, greets, asks] = process.argv.slice(2)
const client = new FlowiseClient({ baseUrl, apiKey })
const show = (name, value) => console.log(JSON.stringify({ name, value }))

async function streamed(request) {
    const events = []
    for await (const event of await client.createPrediction({ ...request, streaming: true })) events.push(event)
    return events
}

const first = await client.createPrediction({ chatflowId: greets, question: 'Ada', chatId: 'chat-1' })
show('prediction', first)
show('again', await client.createPrediction({ chatflowId: greets, question: 'Ben', chatId: 'chat-1' }))
show('stream', await streamed({ chatflowId: greets, question: 'Cleo' }))

const chatId = 'chat-2'
show('asks', await client.createPrediction({ chatflowId: asks, question: 'go', chatId }))
show('resumed', await client.createPrediction({ chatflowId: asks, chatId, humanInput: { type: 'reject', feedback: 'shorter' } }))
show('asks in a stream', await streamed({ chatflowId: asks, question: 'go', chatId }))
show('resumed in a stream', await streamed({ chatflowId: asks, chatId, humanInput: { type: 'proceed' } }))

show('unknown flow', await client.createPrediction({ chatflowId: '00000000-0000-4000-8000-000000000000', question: 'q' }))
show('wrong key', await new FlowiseClient({ baseUrl, apiKey: 'wrong' }).createPrediction({ chatflowId: greets, question: 'q' }))
