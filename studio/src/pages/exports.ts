import { api } from '../api/client'
import { messageOf } from '../ui/parts'
import { say } from '../ui/toast'

/** What a workflow can be written as; "source" is the format of the file that it came from. */
export const FORMATS = [
  ['cypher', 'Cypher file', '.cypher'],
  ['json', 'JSON file', '.json'],
  ['source', 'The format it came from', ''],
  ['mermaid', 'Mermaid diagram', '.mmd'],
  ['dot', 'Graphviz diagram', '.dot'],
] as const

export type Format = (typeof FORMATS)[number][0]

/** save fetches an export, with the token that a plain link would not carry, and gives it to the browser as a file. */
export async function save(workflow: string, format: Format) {
  try {
    const got = await api.GET('/api/v1/workflows/{workflow}/export', { params: { path: { workflow }, query: { format } }, parseAs: 'text' })
    const named = /filename="?([^";]+)/.exec(got.response.headers.get('Content-Disposition') ?? '')?.[1]
    const ending = FORMATS.find(([f]) => f === format)![2]
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([got.data as unknown as string], { type: 'text/plain' }))
    link.download = named ?? workflow + ending
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  } catch (error) {
    say(messageOf(error), true)
  }
}

/** copyLink copies the address of the page: it says which step, filter or moment is shown. */
export async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href)
    say('The link to this view was copied.')
  } catch {
    say('The browser does not let this page copy; the link is in the address bar.', true)
  }
}
