import { useState } from 'react'
import { bytes, json } from './format'
import { Button, Copy } from './parts'

/** So much of a value is shown at once: a megabyte of text would hold the page up. */
const FIRST = 6000

/** pretty lays JSON text out; what is none stays as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Value shows any JSON: texts as texts, objects with colours, long ones cut until asked for. */
export function Value({ value, label }: { value: unknown; label: string }) {
  const [all, setAll] = useState(false)
  if (value === undefined) return <p className="none">Nothing.</p>
  const text = json(value)
  const long = text.length > FIRST
  const shown = long && !all ? text.slice(0, FIRST) : text
  return (
    <div className="value">
      <pre tabIndex={0} aria-label={label}>
        {typeof value === 'string' ? shown : shown.length > 40_000 ? shown : paint(shown)}
      </pre>
      <div className="value-tools">
        {long && !all && (
          <Button quiet className="small" onClick={() => setAll(true)}>
            Show all {bytes(text.length)}
          </Button>
        )}
        <Copy text={text} />
      </div>
    </div>
  )
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** paint gives keys, texts and plain values of JSON a class each. */
function paint(text: string) {
  const out: React.ReactNode[] = []
  let at = 0
  for (const m of text.matchAll(TOKEN)) {
    if (m.index > at) out.push(text.slice(at, m.index))
    if (m[1]) {
      out.push(
        <span key={m.index} className={m[2] ? 'j-key' : 'j-text'}>
          {m[1]}
        </span>,
      )
      if (m[2]) out.push(m[2])
    } else {
      out.push(
        <span key={m.index} className="j-plain">
          {m[0]}
        </span>,
      )
    }
    at = m.index + m[0].length
  }
  out.push(text.slice(at))
  return out
}
