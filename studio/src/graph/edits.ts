import { useMemo, useState } from 'react'
import { type Change, changesOf } from '../session/valueDiff'
import type { GraphModel, PathView, StepView } from './model'

/** An Edit is what somebody else changed of a step or a path while the page was open. */
export interface Edit {
  kind: 'step' | 'path'
  id: string
  title: string
  change: 'added' | 'changed' | 'removed'
  /** Of a changed one the fields that differ. */
  fields: Change[]
  /** Of a changed path what stands on it, before and after, where that differs. */
  label?: [before: string, after: string]
}

export interface Edits {
  all: Edit[]
  steps: Record<string, Edit>
  paths: Record<string, Edit>
}

/** editsOf is what differs between two versions of a workflow; undefined where nothing does. Places on the canvas do not count. */
export function editsOf(before: GraphModel, after: GraphModel): Edits | undefined {
  const steps = compared(before.steps, after.steps, (a, b) => editOf('step', (b ?? a)!, (b ?? a)!.title, a && fieldsOf(a.step), b && fieldsOf(b.step)))
  const paths = compared(before.paths, after.paths, (a, b) => {
    const p = (b ?? a)!
    const edit: Edit = editOf('path', p, pathTitle(b ? after : before, p), a && fieldsOf(a.path), b && fieldsOf(b.path))
    const label = a && b && (changed(a.label, b.label) ?? changed(a.condition, b.condition))
    return label ? { ...edit, label } : edit
  })
  const all = [...steps, ...paths]
  return all.length ? { all, steps: byId(steps), paths: byId(paths) } : undefined
}

const byId = (list: Edit[]) => Object.fromEntries(list.map((e) => [e.id, e]))

/** changed is what stood on a path and what stands there now; its condition where the label is the same. */
const changed = (a: string, b: string): Edit['label'] => (a === b ? undefined : [a || 'always', b || 'always'])

const pathTitle = (model: GraphModel, p: PathView) => `${model.byId.get(p.source)?.title ?? p.source} → ${model.byId.get(p.target)?.title ?? p.target}`

/** compared pairs two lists by id and gives an edit for each pair that is not the same. */
function compared<T extends StepView | PathView>(before: T[], after: T[], edit: (a?: T, b?: T) => Edit): Edit[] {
  const old = new Map(before.map((v) => [v.id, v]))
  const now = new Set(after.map((v) => v.id))
  const changed = after.map((b) => edit(old.get(b.id), b)).filter((e) => e.change !== 'changed' || e.fields.length > 0)
  return [...changed, ...before.filter((a) => !now.has(a.id)).map((a) => edit(a, undefined))]
}

function editOf(kind: Edit['kind'], { id }: { id: string }, title: string, a?: object, b?: object): Edit {
  const change = !a ? 'added' : !b ? 'removed' : 'changed'
  return { kind, id, title, change, fields: change === 'changed' ? changesOf(a, b) : [] }
}

/** fieldsOf are the properties that say what a step or a path does, its texts of JSON as values. */
export function fieldsOf(of: object): Record<string, unknown> {
  const { x: _x, y: _y, ...rest } = of as Record<string, unknown>
  return Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, k === 'input' || k === 'condition' ? valueOf(v) : v]))
}

/** valueOf reads a text that is an object or a list in JSON; any other value stays as it is. */
export function valueOf(v: unknown): unknown {
  if (typeof v !== 'string' || !/^\s*[[{]/.test(v)) return v
  try {
    return JSON.parse(v) as unknown
  } catch {
    return v
  }
}

/** useEdits compares a workflow with what it was when the page was opened, or when the person said that the changes are seen. */
export function useEdits(model: GraphModel | undefined): [Edits | undefined, seen: () => void] {
  const [base, setBase] = useState(model)
  if (model && base?.id !== model.id) setBase(model)
  const edits = useMemo(() => (base && model && base !== model && base.id === model.id ? editsOf(base, model) : undefined), [base, model])
  return [edits, () => setBase(model)]
}
