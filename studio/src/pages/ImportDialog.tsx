import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Fault } from '../api/client'
import type { Imported } from '../api/schema'
import { plural } from '../ui/format'
import { Button, Dialog, messageOf } from '../ui/parts'
import { ImportChanges } from './ImportChanges'
import { differenceWords, messageWithoutPlace, offsetOf, read } from './importText'
import { FILE_FORMATS, type FileFormat, type Preview, type Source, preview, save } from './importing'

const NOTHING: Source = { name: '', text: '' }
/** A text field of more characters makes a browser slow; such a file is imported without being shown. */
const MOST_SHOWN = 400_000
const SETTLES = 300

/** What was typed or chosen outlives a dialog that was closed by mistake. */
let draft = NOTHING

/** What the dialog begins with: files that were dropped, or a text that was pasted. */
export interface First {
  files?: File[]
  text?: string
}

/** ImportDialog shows what a text or a file would create and replace, then saves it. A text with errors is saved only on demand. */
export function ImportDialog({ first = {}, onClose }: { first?: First; onClose: () => void }) {
  const client = useQueryClient()
  const [source, setSource] = useState<Source>(() => (first.text ? (draft = { ...NOTHING, text: first.text }) : first.files?.length ? NOTHING : draft))
  const [queue, setQueue] = useState<File[]>([])
  const [busy, setBusy] = useState(false)
  const [done, setDone] = useState<Imported>()
  const [failed, setFailed] = useState('')
  const seen = usePreview(source, done !== undefined, setFailed)
  const text = useRef<HTMLTextAreaElement>(null)

  const change = (part: Partial<Source>) => {
    setDone(undefined)
    setFailed('')
    setSource((s) => (draft = { ...s, ...part }))
  }
  const choose = async (files: File[]) => {
    if (files.length === 0) return
    setQueue(files.slice(1))
    try {
      change({ ...NOTHING, name: files[0].name, text: await read(files[0]) })
    } catch (error) {
      change(NOTHING)
      setFailed(messageOf(error))
    }
  }
  const load = async (force: boolean) => {
    setBusy(true)
    setFailed('')
    try {
      setDone(await save(source, force))
      draft = NOTHING
      void client.invalidateQueries()
    } catch (error) {
      setFailed(messageOf(error))
    }
    setBusy(false)
  }
  const dropped = useRef(first.files)
  useEffect(() => {
    const files = dropped.current
    dropped.current = undefined
    if (files?.length) void choose(files)
  })
  const jump = (f: Fault) => {
    const field = text.current
    if (!field || !f.line) return
    const from = offsetOf(source.text, f.line, f.column)
    const end = source.text.indexOf('\n', from)
    field.focus()
    field.setSelectionRange(from, end < 0 ? source.text.length : Math.max(end, from + 1))
    field.scrollTop = (field.scrollHeight * (f.line - 3)) / source.text.split('\n').length
  }
  const onlyWithErrors = seen?.refused !== undefined
  return (
    <Dialog
      title="Import workflows"
      wide
      onClose={onClose}
      actions={
        done ? (
          <>
            {queue.length > 0 && <Button onClick={() => void choose(queue)}>Next file: {queue[0].name}</Button>}
            <Button primary onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            {onlyWithErrors && seen.imported && (
              <Button needs="edit" disabled={busy} onClick={() => void load(true)}>
                Import it with its errors
              </Button>
            )}
            <Button primary needs="edit" disabled={!seen || onlyWithErrors || busy} onClick={() => void load(false)}>
              {busy ? 'Importing…' : 'Import'}
            </Button>
          </>
        )
      }
    >
      {!done && (
        <>
          <label
            className="drop"
            onDragOver={(e) => e.preventDefault()}
            onDrop={(e) => {
              e.preventDefault()
              e.stopPropagation()
              void choose([...e.dataTransfer.files])
            }}
          >
            <span className="inline">
              <Upload size={18} aria-hidden />
              {source.name || 'Drop a file here, or choose one'}
            </span>
            <input type="file" aria-label="File" multiple accept=".cypher,.cql,.cyp,.json,.yaml,.yml,.txt" onChange={(e) => void choose([...(e.target.files ?? [])])} />
          </label>
          {queue.length > 0 && <p className="note">{plural(queue.length, 'more file')} will follow, one by one.</p>}
          {source.text.length > MOST_SHOWN ? (
            <p className="help">The file is too long to show here; it is imported as it is.</p>
          ) : (
            <div className="field">
              <label htmlFor="import-text">{source.name ? 'What is in it' : 'or paste the text'}</label>
              <textarea ref={text} id="import-text" className="code" rows={source.text ? 9 : 4} spellCheck={false} wrap="off" value={source.text} onChange={(e) => change({ text: e.target.value })} />
            </div>
          )}
          <div className="fields three">
            <div className="field">
              <label htmlFor="import-format">Format</label>
              <select id="import-format" value={source.format ?? ''} onChange={(e) => change({ format: (e.target.value || undefined) as FileFormat | undefined })}>
                <option value="">Recognise it</option>
                {Object.entries(FILE_FORMATS).map(([format, name]) => (
                  <option key={format} value={format}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
            <div className="field">
              <label htmlFor="import-id">Save under another id</label>
              <input id="import-id" value={source.id ?? ''} placeholder={seen?.imported?.workflows.length === 1 ? seen.imported.workflows[0].workflow : ''} onChange={(e) => change({ id: e.target.value || undefined })} />
            </div>
          </div>
        </>
      )}
      {failed && (
        <p className="wrong" role="alert">
          {failed}
        </p>
      )}
      {!done && seen?.refused && <Faults refused={seen.refused} onJump={source.text.length > MOST_SHOWN ? undefined : jump} />}
      <div role="status" aria-label={done ? 'Imported' : 'What it would do'}>
        {done ? <Changes of={done} done /> : seen?.imported ? <Changes of={seen.imported} /> : source.text.trim() && !seen && !failed ? <p className="faint">Reading…</p> : null}
      </div>
    </Dialog>
  )
}

/** usePreview asks the server about a text when nothing was typed for a moment. */
function usePreview(source: Source, done: boolean, failed: (text: string) => void): Preview | undefined {
  const [seen, setSeen] = useState<{ of: Source; preview: Preview }>()
  const { name, text, format, id } = source
  useEffect(() => {
    if (done || text.trim() === '') return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      preview(source, stop.signal).then(
        (p) => !stop.signal.aborted && setSeen({ of: source, preview: p }),
        (error: unknown) => !stop.signal.aborted && failed(messageOf(error)),
      )
    }, SETTLES)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [name, text, format, id, done])
  return seen?.of === source && text.trim() !== '' ? seen.preview : undefined
}

function Faults({ refused, onJump }: { refused: NonNullable<Preview['refused']>; onJump?: (f: Fault) => void }) {
  const places = refused.faults.filter((f) => f.message)
  if (places.length === 0) return <p className="wrong" role="alert">{refused.message}</p>
  return (
    <div role="alert">
      <h3>{plural(places.length, 'error')}</h3>
      <ul className="faults">
        {places.map((f, i) => (
          <li key={i}>
            {f.line && onJump ? (
              <button type="button" className="link" onClick={() => onJump(f)}>
                Line {f.line}
              </button>
            ) : (
              f.line && <b>Line {f.line}</b>
            )}{' '}
            {(f.step ?? f.path ?? f.pointer) && <code>{f.step ?? f.path ?? f.pointer}</code>} <span className="wrong">{messageWithoutPlace(f)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Changes says what an import creates and replaces, or has. */
function Changes({ of: imported, done }: { of: Imported; done?: boolean }) {
  const format = FILE_FORMATS[imported.format as FileFormat] ?? imported.format
  return (
    <>
      <h3>{done ? 'Imported' : `Read as ${format}`}</h3>
      <ul className="imported">
        {imported.workflows.map((w) => {
          const words = differenceWords(w)
          const same = words === 'nothing changes'
          return (
            <li key={w.workflow}>
              <span className={`chip ${w.new ? 'tone-complete' : same ? '' : 'tone-awaiting'}`}>{w.new ? 'New' : same ? 'Unchanged' : done ? 'Replaced' : 'Replaces'}</span>
              {done ? (
                <Link to="/workflows/$workflow" params={{ workflow: w.workflow }}>
                  {w.workflow}
                </Link>
              ) : (
                <b>{w.workflow}</b>
              )}
              {done ? <span className="faint">{words}</span> : <ImportChanges of={w} />}
            </li>
          )
        })}
      </ul>
      {imported.workflows.some((w) => !w.new) && !done && <p className="help">Sessions of a replaced workflow stay and go on with the new steps.</p>}
      {imported.problems.length > 0 && (
        <details open={imported.problems.length < 6}>
          <summary>{plural(imported.problems.length, 'note')}</summary>
          <ul className="faults">
            {imported.problems.map((p, i) => (
              <li key={i} className={p.level === 'error' ? 'wrong' : ''}>
                {[p.line && `Line ${p.line}`, p.step ?? p.path, p.message].filter(Boolean).join(': ')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
