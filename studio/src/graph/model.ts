import type { Path, Step, Workflow, WorkflowProblem } from '../api/schema'
import { conditionWords, cut, kindOf, kindWords, useful } from './words'

/** A step as the canvas shows it. */
export interface StepView {
  id: string
  title: string
  kind: string
  kindText: string
  detail: string
  parent?: string
  container: boolean
  tool: boolean
  step: Step
}

/** A path as the canvas shows it. */
export interface PathView {
  id: string
  source: string
  target: string
  kind: 'NEXT' | 'TOOL'
  label: string
  condition: string
  back: boolean
  path: Path
}

export interface GraphModel {
  id: string
  steps: StepView[]
  paths: PathView[]
  byId: Map<string, StepView>
  children: Map<string, string[]>
  problems: WorkflowProblem[]
  placed: boolean
}

/** titleOf is what a step is called; its id where the workflow no longer has it. */
export function titleOf(model: GraphModel | undefined, step: string): string {
  return model?.byId.get(step)?.title ?? step
}

/** modelOf makes of a definition what the canvas, the outline and the layout need. */
export function modelOf(workflow: Workflow): GraphModel {
  const steps = workflow.steps ?? []
  const paths = workflow.paths ?? []
  const known = new Set(steps.map((s) => s.id))
  const parents = parentsOf(paths, known)
  const tools = new Set(paths.filter((p) => p.kind === 'TOOL').map((p) => p.target))
  const containers = new Set(parents.values())
  const next = paths.filter((p) => p.kind !== 'CONTAINS' && known.has(p.source) && known.has(p.target))
  const backs = backPaths(
    steps.map((s) => s.id),
    next.filter((p) => p.kind !== 'TOOL'),
  )
  const views = steps.map((step) => ({
    id: step.id,
    title: step.name || step.id,
    kind: kindOf(step.function),
    kindText: kindWords(step.function),
    detail: cut(useful(step.input), 80),
    parent: parents.get(step.id),
    container: containers.has(step.id),
    tool: tools.has(step.id),
    step,
  }))
  const byId = new Map(views.map((v) => [v.id, v]))
  const children = new Map<string, string[]>()
  for (const v of views) {
    if (v.parent) children.set(v.parent, [...(children.get(v.parent) ?? []), v.id])
  }
  return {
    id: workflow.id ?? '',
    steps: views,
    paths: next.map((p) => viewOf(p, backs)),
    byId,
    children,
    problems: workflow.problems ?? [],
    placed: steps.length > 0 && steps.every((s) => s.x !== undefined && s.y !== undefined),
  }
}

/** nameOf is the id a path goes by: its own, else source>target. */
export function nameOf(p: Path): string {
  return p.id || `${p.source}>${p.target}`
}

function viewOf(p: Path, backs: Set<Path>): PathView {
  const condition = conditionWords(p.condition, p.operator, p.source)
  const tool = p.kind === 'TOOL'
  return {
    id: nameOf(p),
    source: p.source,
    target: p.target,
    kind: tool ? 'TOOL' : 'NEXT',
    label: p.label || (tool ? (p.name ?? '') : condition),
    condition,
    back: backs.has(p),
    path: p,
  }
}

/** A step has at most one container; the first that names it counts. A circle of containers is cut. */
function parentsOf(paths: Path[], known: Set<string>): Map<string, string> {
  const parents = new Map<string, string>()
  for (const p of paths) {
    if (p.kind !== 'CONTAINS' || !known.has(p.source) || !known.has(p.target) || parents.has(p.target)) continue
    let above: string | undefined = p.source
    while (above && above !== p.target) above = parents.get(above)
    if (above !== p.target) parents.set(p.target, p.source)
  }
  return parents
}

/**
 * backPaths are the paths that close loops, by the engine's rule: those marked, and in a
 * circle without a mark the one that a depth-first search closes, from root, then from steps
 * without incoming path, then from the rest.
 */
export function backPaths(ids: string[], paths: Path[]): Set<Path> {
  const backs = new Set(paths.filter((p) => p.back))
  const out = new Map<string, Path[]>()
  const reached = new Set<string>()
  for (const p of paths) {
    if (backs.has(p)) continue
    reached.add(p.target)
    const list = out.get(p.source)
    if (list) list.push(p)
    else out.set(p.source, [p])
  }
  for (const list of out.values()) list.sort((a, b) => (a.priority ?? Infinity) - (b.priority ?? Infinity) || compare(a.target, b.target))
  const sorted = [...ids].sort(compare)
  const roots = [...sorted.filter((id) => id === 'root'), ...sorted.filter((id) => !reached.has(id)), ...sorted]
  const colour = new Map<string, 1 | 2>()
  for (const root of roots) {
    if (colour.has(root)) continue
    colour.set(root, 1)
    const stack: { id: string; at: number }[] = [{ id: root, at: 0 }]
    while (stack.length > 0) {
      const top = stack[stack.length - 1]
      const path = out.get(top.id)?.[top.at++]
      if (!path) {
        colour.set(top.id, 2)
        stack.pop()
      } else if (colour.get(path.target) === 1) {
        backs.add(path)
      } else if (!colour.has(path.target)) {
        colour.set(path.target, 1)
        stack.push({ id: path.target, at: 0 })
      }
    }
  }
  return backs
}

export const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** outlineOf lists the steps in the order in which a session meets them, with their depth. */
export function outlineOf(model: GraphModel): { step: StepView; depth: number }[] {
  const order: { step: StepView; depth: number }[] = []
  const seen = new Set<string>()
  const next = new Map<string, PathView[]>()
  for (const p of model.paths) next.set(p.source, [...(next.get(p.source) ?? []), p])
  const visit = (start: string) => {
    const stack = [start]
    while (stack.length > 0) {
      const id = stack.pop()!
      const step = model.byId.get(id)
      if (!step || seen.has(id)) continue
      seen.add(id)
      let depth = 0
      for (let p = step.parent; p; p = model.byId.get(p)?.parent) depth++
      order.push({ step, depth })
      const after = (next.get(id) ?? []).map((p) => p.target)
      stack.push(...after.reverse(), ...[...(model.children.get(id) ?? [])].reverse())
    }
  }
  visit('root')
  const entered = new Set(model.paths.filter((p) => !p.back).map((p) => p.target))
  for (const s of model.steps) if (!entered.has(s.id) && !s.parent) visit(s.id)
  for (const s of model.steps) visit(s.id)
  return order
}
