/** One event of a text/event-stream. */
export interface SentEvent {
  type: string
  id: string
  data: string
}

/** EventReader cuts a stream of text into events, however it was cut into pieces. */
export class EventReader {
  private rest = ''

  feed(text: string): SentEvent[] {
    this.rest += text.replaceAll('\r\n', '\n')
    const blocks = this.rest.split('\n\n')
    this.rest = blocks.pop() ?? ''
    return blocks.map(eventOf).filter((e) => e !== undefined)
  }
}

function eventOf(block: string): SentEvent | undefined {
  const event: SentEvent = { type: 'message', id: '', data: '' }
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue // a comment, or nothing
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') event.type = value
    else if (name === 'id') event.id = value
    else if (name === 'data') data.push(value)
  }
  if (data.length === 0) return undefined
  event.data = data.join('\n')
  return event
}
