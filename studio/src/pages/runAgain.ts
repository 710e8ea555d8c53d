import type { GraphModel } from '../graph/model'

/** behind are the steps that paths lead to from a step, the nearest first; those of other bodies are left out. */
export function behind(model: GraphModel | undefined, from: string): string[] {
  if (!model) return []
  const body = model.byId.get(from)?.parent
  const seen = new Set([from])
  for (const at of seen) {
    for (const p of model.paths) {
      if (p.kind === 'NEXT' && p.source === at && model.byId.get(p.target)?.parent === body) seen.add(p.target) // a set visits what is added to it
    }
  }
  return [...seen].slice(1)
}

/** before are the steps whose paths lead to a step: a session that ends at them stops before it. */
export function before(model: GraphModel, step: string): string[] {
  return [...new Set(model.paths.filter((p) => p.kind === 'NEXT' && p.target === step && !p.back).map((p) => p.source))]
}

/** endsAt are the finished steps at which a session was told to end, from where it can be taken on. */
export function endsAt(state: { engine?: { until?: string[] }; workflow?: Record<string, { status?: string }> } | undefined): string[] {
  return (state?.engine?.until ?? []).filter((s) => ['complete', 'error'].includes(state?.workflow?.[s]?.status ?? ''))
}

/** newestOf gives of each name the newest output that a state keeps, as a start takes them. */
export function newestOf(outputs: Record<string, unknown> | undefined): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, kept] of Object.entries(outputs ?? {})) {
    const newest = Array.isArray(kept) ? (kept as unknown[]).at(-1) : kept
    if (newest !== undefined) out[name] = newest
  }
  return out
}
