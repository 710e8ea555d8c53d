import { ArrowLeftRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { readDocument } from '../api/queries'
import type { Execution } from '../api/schema'
import { diffLines, near } from '../session/diff'
import { type Change, changesOf } from '../session/valueDiff'
import { type Version, pairOf, pairText, versionsOf } from '../session/versions'
import { cutOf, wholeOf } from '../session/whole'
import { bytes, clock, duration, json, plural } from '../ui/format'
import { Button, lookOf, messageOf } from '../ui/parts'

interface Props {
  session: string
  visits: Execution[]
  /** What the state keeps of the step's outputs, the oldest first. */
  outputs: unknown[]
  compare?: string
  onCompare: (pair: string) => void
}

/** StepHistory compares two things that a step has put out: visits, or the outputs its state keeps. */
export function StepHistory({ session, visits, outputs, compare, onCompare }: Props) {
  const versions = useMemo(() => versionsOf(visits, outputs), [visits, outputs])
  const pair = pairOf(versions, compare)
  if (!pair) return <p className="none">There is nothing to compare yet: the step has one output.</p>
  const [before, after] = pair
  const pick = (label: string, value: Version, put: (v: Version) => string) => (
    <label className="field">
      <span>{label}</span>
      <select value={value.key} onChange={(e) => onCompare(put(versions.find((v) => v.key === Number(e.target.value))!))}>
        {visits.length > 0 && <optgroup label="Visits">{versions.filter((v) => v.x).map((v) => optionOf(v, visits))}</optgroup>}
        {outputs.length > 0 && <optgroup label="Outputs in the state">{versions.filter((v) => !v.x).map((v) => optionOf(v, visits))}</optgroup>}
      </select>
    </label>
  )
  return (
    <section className="compare" aria-label="Compare visits">
      {pick('Before', before, (v) => pairText(v, after))}
      <Button quiet className="small" aria-label="Swap the two" title="Swap the two" icon={<ArrowLeftRight size={14} />} onClick={() => onCompare(pairText(after, before))} />
      {pick('After', after, (v) => pairText(before, v))}
      <Differences key={pairText(before, after)} session={session} before={before} after={after} />
    </section>
  )
}

function optionOf(v: Version, visits: Execution[]) {
  const x = v.x
  const again = x && visits.filter((o) => o.visit === x.visit).length > 1
  return (
    <option key={v.key} value={v.key}>
      {x ? `Visit ${x.visit}${again ? `, attempt ${x.attempt}` : ''}${x.status === 'complete' || x.status === 'answered' ? '' : `: ${lookOf(x.status).text.toLowerCase()}`}` : `Output [${v.key}]${v.key === -1 ? ', the newest' : ''}`}
    </option>
  )
}

/** Differences are those of the outputs and, of two visits, those of the resolved inputs. */
function Differences({ session, before, after }: { session: string; before: Version; after: Version }) {
  const [document, setDocument] = useState<string>()
  const [wrong, setWrong] = useState('')
  const sides = [before.output, after.output, before.x?.input, after.x?.input]
  const cut = sides.map(cutOf).filter((c) => c !== undefined)
  const load = async () => {
    try {
      setDocument(await readDocument(session))
    } catch (error) {
      setWrong(messageOf(error))
    }
  }
  const whole = (value: unknown) => {
    const c = cutOf(value)
    return c && document !== undefined ? (wholeOf(document, c.hash) ?? value) : value
  }
  const gone = document !== undefined && cut.some((c) => wholeOf(document, c.hash) === undefined)
  return (
    <div className="compare-result">
      {before.x && after.x && <Facts before={before.x} after={after.x} />}
      {cut.length > 0 && (
        <p className="note">
          {document === undefined ? (
            <>
              Of a large value the history keeps the beginning ({bytes(Math.max(...cut.map((c) => c.bytes)))} in all).{' '}
              <button type="button" className="link" onClick={() => void load()}>
                Load all to compare it
              </button>
            </>
          ) : gone ? (
            'A large value is no longer in the state; its beginning and its hash are compared.'
          ) : (
            'All of it is compared.'
          )}
        </p>
      )}
      {wrong && <p className="wrong">{wrong}</p>}
      <Compared title="Output" before={whole(before.output)} after={whole(after.output)} />
      {before.x && after.x && <Compared title="Input as resolved" before={whole(before.x.input)} after={whole(after.x.input)} />}
      {before.x && after.x && Boolean(before.x.error ?? after.x.error) && <Compared title="Error" before={before.x.error ?? undefined} after={after.x.error ?? undefined} />}
    </div>
  )
}

/** Facts are what two visits were, where they were not the same. */
function Facts({ before, after }: { before: Execution; after: Execution }) {
  const took = (x: Execution) => duration(Date.parse(x.finished_at) - Date.parse(x.started_at))
  return (
    <p className="faint">
      {before.status !== after.status && `${lookOf(before.status).text} before, ${lookOf(after.status).text.toLowerCase()} after. `}
      Ended {clock(before.finished_at)} after {took(before)}, then {clock(after.finished_at)} after {took(after)}.
      {before.definition && after.definition && before.definition !== after.definition && <b> The step was edited between the two.</b>}
    </p>
  )
}

/** So many differences are shown at first. */
const FIRST = 50

/** Compared lists what differs between two values. */
export function Compared({ title, before, after }: { title: string; before: unknown; after: unknown }) {
  const changes = useMemo(() => changesOf(before, after), [before, after])
  const [all, setAll] = useState(false)
  const shown = all ? changes : changes.slice(0, FIRST)
  return (
    <>
      <h3>
        {title} <span className="faint">{changes.length ? plural(changes.length, 'difference') : before === undefined ? 'none' : 'no difference'}</span>
      </h3>
      {changes.length > 0 && <ChangeList label={`Differences of ${title.toLowerCase()}`} changes={shown} />}
      {shown.length < changes.length && (
        <Button quiet className="small" onClick={() => setAll(true)}>
          Show all {changes.length}
        </Button>
      )}
    </>
  )
}

/** ChangeList shows differences, each with its value before and after. */
export function ChangeList({ label, changes }: { label: string; changes: Change[] }) {
  return (
    <ul className="changes" aria-label={label}>
      {changes.map((c) => (
        <ChangeItem key={`${c.kind} ${c.path}`} change={c} />
      ))}
    </ul>
  )
}

/** Longer texts are compared by lines or by words. */
const LONG = 48

function ChangeItem({ change: c }: { change: Change }) {
  const texts = c.kind === 'changed' && typeof c.before === 'string' && typeof c.after === 'string' && (Math.max(c.before.length, c.after.length) > LONG || /\n/.test(c.before + c.after))
  return (
    <li>
      <div className="change-head">
        <code>{c.path || 'the value'}</code> <span className="faint">{c.kind}</span>
      </div>
      {texts ? (
        <TextChange before={c.before as string} after={c.after as string} />
      ) : (
        <pre className="diff" tabIndex={0} aria-label={`${c.path || 'the value'}, ${c.kind}`}>
          {c.kind !== 'added' && <Side kind="old" value={c.before} />}
          {c.kind !== 'removed' && <Side kind="new" value={c.after} />}
        </pre>
      )}
    </li>
  )
}

/** So much of one side is shown at once. */
const SIDE = 2000

function Side({ kind, value }: { kind: 'old' | 'new'; value: unknown }) {
  const text = typeof value === 'string' ? JSON.stringify(value) : json(value)
  const sign = kind === 'old' ? '- ' : '+ '
  const lines = (text.length > SIDE ? `${text.slice(0, SIDE)}… (${bytes(text.length)} in all)` : text).split('\n')
  return <span className={kind}>{lines.map((l) => sign + l).join('\n')}</span>
}

/** TextChange shows what of a text changed: its lines, or in one line its words. */
function TextChange({ before, after }: { before: string; after: string }) {
  const lines = before.includes('\n') || after.includes('\n')
  if (lines) {
    return (
      <pre className="diff" tabIndex={0} aria-label="Changed lines">
        {near(diffLines(before, after)).map((l, i) => (
          <span key={i} className={l.kind}>
            {{ same: '  ', old: '- ', new: '+ ' }[l.kind] + l.text}
          </span>
        ))}
      </pre>
    )
  }
  const words = (text: string) => text.split(/(?<=\s)/).join('\n')
  return (
    <p className="diff words" tabIndex={0} role="group" aria-label="Changed words">
      {diffLines(words(before), words(after)).map((l, i) => (l.kind === 'same' ? <span key={i}>{l.text}</span> : l.kind === 'old' ? <del key={i}>{l.text}</del> : <ins key={i}>{l.text}</ins>))}
    </p>
  )
}
