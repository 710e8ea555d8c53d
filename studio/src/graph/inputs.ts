import type { Workflow } from '../api/schema'

/** An input is what steps refer to and no step puts out. */
export interface Input {
  name: string
  initial?: string
}

const REFERENCE = /@\{SESSION_ID\}\.([\p{L}\d_-]+)(?:\[-?\d+\])?(?:\.([\p{L}\d_-]+))?(\|[^\s@"'}]*)?/gu

/**
 * inputsOf finds the inputs of a workflow in its references: initial.name, and first names
 * that are no step. Fields of containers (item, index) belong to steps and are not among them.
 */
export function inputsOf(workflow: Workflow): Input[] {
  const steps = new Set((workflow.steps ?? []).map((s) => s.id))
  const found = new Map<string, Input>()
  const look = (value: unknown) => {
    if (value === undefined || value === null) return
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    for (const m of text.matchAll(REFERENCE)) {
      const name = m[1] === 'initial' ? m[2] : m[1]
      if (!name || (m[1] !== 'initial' && (steps.has(m[1]) || m[1] === 'vars'))) continue
      const initial = m[3]?.slice(1) || undefined
      const old = found.get(name)
      if (!old) found.set(name, { name, initial })
      else old.initial ??= initial
    }
  }
  for (const s of workflow.steps ?? []) look(s.input)
  for (const p of workflow.paths ?? []) look(p.condition)
  return [...found.values()]
}
