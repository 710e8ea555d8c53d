import { api } from '../api/client'
import { copy } from '../ui/clipboard'
import { messageOf } from '../ui/parts'
import { say } from '../ui/toast'
import { FILE_FORMATS, type FileFormat } from './importing'

/** What a workflow can be written as; "source" is the format of the file that it came from. */
export const FORMATS = [
  ['cypher', 'Cypher file', '.cypher'],
  ['json', 'JSON file', '.json'],
  ['yaml', 'YAML file', '.yaml'],
  ['source', 'The format it came from', ''],
  ['mermaid', 'Mermaid diagram', '.mmd'],
  ['dot', 'Graphviz diagram', '.dot'],
] as const

export type Format = (typeof FORMATS)[number][0]

/** formatsOf are the formats that a workflow can be written in: the one it came from only where it came from another system. */
export function formatsOf(workflow: { extra?: Record<string, unknown> } | undefined): [Format, string][] {
  const from = workflow?.extra?.source_format
  return FORMATS.filter(([f]) => f !== 'source' || typeof from === 'string').map(([f, text]) => [f, f === 'source' ? `${FILE_FORMATS[from as FileFormat] ?? from} file` : text])
}

async function written(workflow: string, format: Format): Promise<{ text: string; response: Response }> {
  const got = await api.GET('/api/v1/workflows/{workflow}/export', { params: { path: { workflow }, query: { format } }, parseAs: 'text' })
  return { text: got.data as unknown as string, response: got.response }
}

/** save fetches an export, with the token that a plain link would not carry, and gives it to the browser as a file. */
export async function save(workflow: string, format: Format) {
  try {
    const { text, response } = await written(workflow, format)
    const named = /filename="?([^";]+)/.exec(response.headers.get('Content-Disposition') ?? '')?.[1]
    const ending = FORMATS.find(([f]) => f === format)![2]
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    link.download = named ?? workflow + ending
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
    const notes = JSON.parse(response.headers.get('Stepgraph-Problems') ?? '[]') as { message: string }[]
    if (notes.length > 0) say(`The file was saved. It does not say everything: ${notes[0].message}${notes.length > 1 ? `, and ${notes.length - 1} more` : ''}.`)
  } catch (error) {
    say(messageOf(error), true)
  }
}

/** copyWorkflow copies a workflow as JSON, which can be pasted on the page of workflows of any server. */
export async function copyWorkflow(workflow: string) {
  try {
    await copy((await written(workflow, 'json')).text)
    say('The workflow was copied. Paste it on the page Workflows, here or on another server.')
  } catch (error) {
    say(messageOf(error), true)
  }
}

/** copyLink copies the address of the page: it says which step, filter or moment is shown. */
export async function copyLink() {
  await copy(location.href)
  say('The link to this view was copied.')
}
