import { Refusal, api } from '../api/client'
import { ok } from '../api/queries'
import type { Imported } from '../api/schema'

/** What files of workflows are written in, by the names the server has for it. */
export const FILE_FORMATS = {
  cypher: 'Cypher',
  stepgraph: 'stepgraph JSON',
  yaml: 'stepgraph YAML',
  flowise: 'Flowise',
  nebulaflow: 'NebulaFlow',
  agentzero: 'Agent Zero',
  callcentre: 'Call centre',
} as const

export type FileFormat = keyof typeof FILE_FORMATS

/** A Source is the text of a file, or a pasted one, with what the person says about it. */
export interface Source {
  name: string // of the file; '' for a pasted text
  text: string
  format?: FileFormat // by default the server recognises it
  id?: string // of the workflow, instead of the file's
}

/** A Preview is what the server says of a text before it is saved. */
export type Preview = { imported: Imported; refused?: Refusal } | { imported?: undefined; refused: Refusal }

async function send(source: Source, dry: boolean, force: boolean, signal?: AbortSignal): Promise<Imported> {
  const query = {
    name: source.name || 'pasted.txt', // an ending that says nothing: the content does
    ...(source.format && { format: source.format }),
    ...(source.id && { workflow: source.id }),
    ...(force && { force }),
    ...(dry && { dry_run: true }),
  }
  return ok(await api.POST('/api/v1/workflows/import', { params: { query }, body: source.text, bodySerializer: (text) => text, headers: { 'Content-Type': 'text/plain' }, signal }))
}

/** preview asks what an import would do; a text that can be saved only with its errors has both. */
export async function preview(source: Source, signal: AbortSignal): Promise<Preview> {
  try {
    return { imported: await send(source, true, false, signal) }
  } catch (refused) {
    if (!(refused instanceof Refusal) || refused.status !== 422) throw refused
    const imported = await send(source, true, true, signal).catch((error: unknown) => {
      if (error instanceof Refusal) return undefined
      throw error
    })
    return { imported, refused } as Preview
  }
}

export const save = (source: Source, force: boolean) => send(source, false, force)
