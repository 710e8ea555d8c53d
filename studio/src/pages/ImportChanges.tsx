import { useState } from 'react'
import type { Difference, PropertyDiff } from '../api/schema'
import { valueOf } from '../graph/edits'
import { changesOf } from '../session/valueDiff'
import { Button } from '../ui/parts'
import { differenceWords } from './importText'
import { ChangeList } from './StepHistory'

/** So many are named at first. */
const FIRST = 50
/** A list of at most so many is open from the start. */
const SHORT = 12

interface Item {
  what: 'step' | 'path'
  id: string
  verb: 'new' | 'changed' | 'removed'
  fields?: PropertyDiff[]
}

/** itemsOf are the steps and paths that an import makes, changes and removes. */
function itemsOf(w: Difference): Item[] {
  return (['step', 'path'] as const).flatMap((what) => {
    const of = w[`${what}s`]
    const each = (verb: Item['verb'], ids: string[]) => ids.map((id) => ({ what, id, verb, fields: of.fields?.[id] }))
    return [...each('changed', of.changed), ...each('new', of.added), ...each('removed', of.removed)]
  })
}

/** ImportChanges names what an import does to one workflow; a changed step or path opens to the fields that differ. */
export function ImportChanges({ of: w }: { of: Difference }) {
  const items = itemsOf(w)
  const [all, setAll] = useState(false)
  if (items.length === 0) return <span className="faint">{differenceWords(w)}</span>
  const shown = all ? items : items.slice(0, FIRST)
  return (
    <details className="import-changes" open={!w.new && items.length <= SHORT}>
      <summary>{differenceWords(w)}</summary>
      <ul aria-label={`Changes of ${w.workflow}`}>
        {shown.map((i) => (
          <li key={`${i.what} ${i.verb} ${i.id}`}>{i.fields?.length ? <Changed item={i} fields={i.fields} /> : <Name item={i} />}</li>
        ))}
      </ul>
      {shown.length < items.length && (
        <Button quiet className="small" onClick={() => setAll(true)}>
          Show all {items.length}
        </Button>
      )}
    </details>
  )
}

function Name({ item: i }: { item: Item }) {
  return (
    <>
      <b className={i.verb === 'removed' ? 'bad-ink' : ''}>{i.verb}</b> {i.what} <code>{i.id}</code>
    </>
  )
}

function Changed({ item, fields }: { item: Item; fields: PropertyDiff[] }) {
  const side = (of: 'from' | 'to') => Object.fromEntries(fields.flatMap((f) => (f[of] === undefined ? [] : [[f.name, valueOf(f[of])]])))
  const changes = changesOf(side('from'), side('to'))
  return (
    <details>
      <summary>
        <Name item={item} /> <span className="faint">{changes.map((c) => c.path).join(', ')}</span>
      </summary>
      <ChangeList label={`Changes of ${item.what} ${item.id}`} changes={changes} />
    </details>
  )
}
