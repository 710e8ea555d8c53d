import { Pencil } from 'lucide-react'
import type { Choice } from '../canvas/Flow'
import type { Edit, Edits } from '../graph/edits'
import { cut } from '../graph/words'
import type { Change } from '../session/valueDiff'
import { plural } from '../ui/format'
import { Button } from '../ui/parts'
import { ChangeList } from './StepHistory'

/** So many changes are named in the line itself. */
const NAMED = 2
/** So much of a value stands in a line. */
const SHORT = 40

/** EditedBar says what somebody else changed in a workflow since its page was opened, and leads there. */
export function EditedBar({ edits, onGo, onSeen }: { edits?: Edits; onGo: (c: Choice) => void; onSeen: () => void }) {
  return (
    <div role="status" aria-label="Changed since you opened this page">
      {edits && (
        <div className="problems changed-now">
          <details>
            <summary>
              <Pencil size={14} aria-hidden />
              <span className="ellipsis">
                Changed since you opened this page: {edits.all.slice(0, NAMED).map(editWords).join('; ')}
                {edits.all.length > NAMED ? ` and ${plural(edits.all.length - NAMED, 'more change')}` : ''}
              </span>
            </summary>
            <ul>
              {edits.all.map((e) => (
                <li key={`${e.kind} ${e.id}`}>
                  <b>{e.change}</b>{' '}
                  {e.change === 'removed' ? (
                    e.title
                  ) : (
                    <button type="button" className="link" onClick={() => onGo({ kind: e.kind, id: e.id })}>
                      {e.title}
                    </button>
                  )}{' '}
                  <span className="faint">{e.fields.map(fieldWords).join('; ')}</span>
                </li>
              ))}
            </ul>
          </details>
          <Button quiet className="small" onClick={onSeen}>
            Seen
          </Button>
        </div>
      )}
    </div>
  )
}

function editWords(e: Edit): string {
  if (e.change !== 'changed') return `${e.title} ${e.change}`
  return `${e.title}: ${e.label ? `${cut(e.label[0], SHORT)} → ${cut(e.label[1], SHORT)}` : e.fields.map((f) => f.path).join(', ')}`
}

const side = (v: unknown) => (v === undefined ? 'nothing' : cut(typeof v === 'string' ? v : JSON.stringify(v), SHORT))

const fieldWords = (c: Change) => `${c.path}: ${side(c.before)} → ${side(c.after)}`

/** EditedNow shows field by field what changed of the step or the path that the inspector shows. */
export function EditedNow({ edit }: { edit?: Edit }) {
  if (!edit || edit.change === 'removed') return null
  const what = edit.kind === 'path' ? `The path ${edit.title}` : 'The step'
  return (
    <section className="edited-since" aria-label={edit.kind === 'path' ? `Changed: ${edit.title}` : 'Changed since you opened this page'}>
      <p>
        <Pencil size={12} aria-hidden /> {edit.change === 'added' ? `${what} was made since you opened this page.` : `${what} was changed since you opened this page.`}
      </p>
      {edit.fields.length > 0 && <ChangeList label={`Changes of ${what.toLowerCase()}`} changes={edit.fields} />}
    </section>
  )
}
