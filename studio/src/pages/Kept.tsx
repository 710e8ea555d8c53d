import { useState } from 'react'
import { readDocument } from '../api/queries'
import type { Execution } from '../api/schema'
import { cutOf, wholeOf } from '../session/whole'
import { bytes } from '../ui/format'
import { Value } from '../ui/json'
import { messageOf } from '../ui/parts'

/**
 * Kept shows an input or an output of a visit. Of a large one the history keeps the beginning;
 * all of it is in the session's document for as long as the state holds it.
 */
export function Kept({ x, value, label }: { x: Execution; value: unknown; label: string }) {
  const cut = cutOf(value)
  const [found, setFound] = useState<{ hash: string; value?: unknown; wrong?: string }>()
  const [busy, setBusy] = useState(false)
  if (!cut) return <Value value={value} label={label} />
  const here = found?.hash === cut.hash ? found : undefined
  if (here && !here.wrong) return <Value value={here.value} label={label} />
  const load = async () => {
    setBusy(true)
    try {
      const whole = wholeOf(await readDocument(x.session), cut.hash)
      setFound({ hash: cut.hash, ...(whole === undefined ? { wrong: 'It is no longer in the state: newer outputs have taken its place.' } : { value: whole }) })
    } catch (error) {
      setFound({ hash: cut.hash, wrong: messageOf(error) })
    }
    setBusy(false)
  }
  return (
    <>
      <p className="note">
        {bytes(cut.bytes)}; this is the beginning.{' '}
        <button type="button" className="link" disabled={busy} onClick={() => void load()}>
          {busy ? 'Loading…' : 'Load all of it'}
        </button>
      </p>
      {here?.wrong && <p className="wrong">{here.wrong}</p>}
      <Value value={cut.head + '…'} label={label} />
    </>
  )
}
