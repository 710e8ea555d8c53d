import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useState } from 'react'
import { Refusal, api } from '../api/client'
import { ok } from '../api/queries'
import type { Difference, Imported } from '../api/schema'
import { Button, Dialog, messageOf } from '../ui/parts'

/** ImportDialog loads a file of any format that the server reads. A file with errors is loaded only on demand. */
export function ImportDialog({ first, onClose }: { first?: File; onClose: () => void }) {
  const client = useQueryClient()
  const [file, setFile] = useState(first)
  const [busy, setBusy] = useState(false)
  const [done, setDone] = useState<Imported>()
  const [refusal, setRefusal] = useState<{ text: string; faults: string[] }>()
  const load = async (force: boolean) => {
    setBusy(true)
    setRefusal(undefined)
    try {
      const body = await file!.text()
      setDone(ok(await api.POST('/api/v1/workflows/import', { params: { query: { name: file!.name, ...(force ? { force } : {}) } }, body, bodySerializer: (text) => text, headers: { 'Content-Type': 'text/plain' } })))
      void client.invalidateQueries()
    } catch (error) {
      const faults = error instanceof Refusal ? error.faults.map((f) => [f.pointer || f.parameter, f.message].filter(Boolean).join(': ')) : []
      setRefusal({ text: error instanceof Refusal ? error.detail || error.message : messageOf(error), faults })
    }
    setBusy(false)
  }
  const choose = (chosen: File | undefined) => {
    setFile(chosen)
    setDone(undefined)
    setRefusal(undefined)
  }
  return (
    <Dialog
      title="Import a workflow"
      onClose={onClose}
      actions={
        done ? (
          <Button primary onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            {refusal && refusal.faults.length > 0 && (
              <Button needs="edit" disabled={busy} onClick={() => void load(true)}>
                Import it with its errors
              </Button>
            )}
            <Button primary needs="edit" disabled={!file || busy} onClick={() => void load(false)}>
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
              choose(e.dataTransfer.files[0])
            }}
          >
            <Upload size={20} aria-hidden />
            <span>{file ? file.name : 'Drop a file here, or choose one'}</span>
            <input type="file" aria-label="File" accept=".cypher,.cql,.json" onChange={(e) => choose(e.target.files?.[0])} />
          </label>
          <p className="help">Cypher, stepgraph JSON, Flowise, NebulaFlow, Agent Zero or call-centre files. A workflow of the same id is replaced; its sessions stay.</p>
        </>
      )}
      {refusal && (
        <div role="alert">
          <p className="wrong">{refusal.text}</p>
          <ul className="faults">
            {refusal.faults.map((f, i) => (
              <li key={i}>{f}</li>
            ))}
          </ul>
        </div>
      )}
      {done && (
        <div role="status">
          {done.workflows.map((w) => (
            <p key={w.workflow}>
              <Link to="/workflows/$workflow" params={{ workflow: w.workflow }}>
                {w.workflow}
              </Link>
              : {differenceWords(w)}
            </p>
          ))}
          {done.problems.map((p, i) => (
            <p key={i} className={p.level === 'error' ? 'wrong' : 'note'}>
              {[p.step ?? p.path, p.message].filter(Boolean).join(': ')}
            </p>
          ))}
        </div>
      )}
    </Dialog>
  )
}

function differenceWords(d: Difference): string {
  const part = (what: string, list: Record<string, unknown>) =>
    Object.entries(list)
      .filter(([, ids]) => Array.isArray(ids) && ids.length > 0)
      .map(([verb, ids]) => `${(ids as unknown[]).length} ${what}${(ids as unknown[]).length === 1 ? '' : 's'} ${verb}`)
  const all = [...part('step', d.steps as Record<string, unknown>), ...part('path', d.paths as Record<string, unknown>)]
  return all.length ? all.join(', ') + '.' : 'nothing changed.'
}
