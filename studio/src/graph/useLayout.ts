import { useEffect, useMemo, useState } from 'react'
import { drawn } from './drawn'
import { type Layout, type LayoutEdge, type LayoutNode, rows } from './layout'
import type { GraphModel } from './model'

/** How long a layout may take before the simple one is shown instead. */
const LIMIT = 3000
/** So many layouts are kept: going from session to session of one workflow lays it out once. */
const KEPT = 8

const newWorker = () => new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module', name: 'layout' })

/** One worker is there before it is needed, so that it starts while the workflow is still being read. */
let spare: Worker | undefined = newWorker()

const kept = new Map<string, Layout>()

/** place lays out in a worker; the answer comes within LIMIT, and not after stop was called. */
function place(nodes: LayoutNode[], edges: LayoutEdge[], done: (layout: Layout) => void): () => void {
  const worker = spare ?? newWorker()
  spare = undefined
  const end = (layout?: Layout) => {
    clearTimeout(timer)
    worker.onmessage = worker.onerror = null
    if (layout) spare ??= worker
    if (spare !== worker) worker.terminate()
  }
  const timer = setTimeout(() => {
    end()
    done(rows(nodes))
  }, LIMIT)
  worker.onmessage = (e: MessageEvent<Layout>) => {
    end(e.data)
    done(e.data)
  }
  worker.onerror = () => {
    end()
    done(rows(nodes))
  }
  worker.postMessage({ nodes, edges })
  return () => end()
}

/** useLayout places a workflow; undefined until it has. */
export function useLayout(model: GraphModel | undefined, asDrawn: boolean): Layout | undefined {
  const [placed, setPlaced] = useState<{ of: GraphModel; layout: Layout }>()
  useEffect(() => {
    if (!model || asDrawn) return
    const nodes = model.steps.map((s) => ({ id: s.id, parent: s.parent }))
    const edges = model.paths.map((p) => ({ id: p.id, source: p.source, target: p.target, back: p.back, labelled: p.label !== '' }))
    const key = JSON.stringify([nodes, edges])
    const known = kept.get(key)
    if (known) {
      setPlaced({ of: model, layout: known })
      return
    }
    return place(nodes, edges, (layout) => {
      kept.set(key, layout)
      if (kept.size > KEPT) kept.delete(kept.keys().next().value!)
      setPlaced({ of: model, layout })
    })
  }, [model, asDrawn])
  const author = useMemo(() => (model && asDrawn ? drawn(model) : undefined), [model, asDrawn])
  if (!model) return undefined
  if (author) return author
  return placed?.of.id === model.id && model.steps.every((s) => placed.layout.boxes[s.id]) ? placed.layout : undefined
}
