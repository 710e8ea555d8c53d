import type { Action, BatchAction } from '../api/actions'

/** What each action is called, what it does, and what it has to know. */
export interface About {
  text: string
  does: string
  wants: ('step' | 'to' | 'reason' | 'response' | 'new_key' | 'cancel')[]
  danger?: boolean
}

export const ACTIONS: Record<BatchAction, About> = {
  answer: { text: 'Answer', does: 'Gives the same answer to the question that is open.', wants: ['step', 'response'] },
  resume: { text: 'Resume', does: 'Ends a pause, and wakes a session that is idle: it reads its state and the workflow again and tries what is pending.', wants: ['reason'] },
  retry: { text: 'Retry', does: 'Runs steps that failed once more, as the next attempt of the same visit.', wants: ['step', 'new_key'] },
  advance: { text: 'Advance', does: 'Judges the paths of a finished step again. A path added later takes the session on.', wants: ['step'] },
  move: { text: 'Move', does: 'Closes one step and activates another.', wants: ['step', 'to'] },
  reask: { text: 'Ask again', does: 'Asks with the step as it is now; the old question is closed.', wants: ['step'] },
  rollback: { text: 'Go back', does: 'Takes the session back to before the newest visit of a step, and runs the step again. What ran since is taken back; the history keeps it.', wants: ['step'] },
  pause: { text: 'Pause', does: 'Lets running calls finish and starts no more. Answers are kept until resume.', wants: ['reason'] },
  cancel: { text: 'Cancel', does: 'Ends the session now. This cannot be undone.', wants: ['reason'], danger: true },
  delete: { text: 'Delete', does: 'Removes the session with its history. This cannot be undone.', wants: ['cancel'], danger: true },
}

/** A mend is the command that an explanation names, as an action of this page. */
export interface Mend {
  action: Action
  step?: string
}

/** What an explanation asks for: an action, or an edit of the state; first is what a person does before it. */
export type Remedy = (Mend | { action: 'edit' }) & { first?: string }

/** remedyOf reads a command such as "session retry s1 --step ask". Commands the page does otherwise give nothing. */
export function remedyOf(command: string | undefined): Remedy | undefined {
  const m = /^(?:(.+), then: )?(?:stepgraph )?session (resume|retry|advance|move|reask|pause|cancel|edit)\b(.*)$/.exec(command ?? '')
  if (!m) return undefined
  const first = m[1] ? { first: m[1] } : {}
  if (m[2] === 'edit') return { action: 'edit', ...first }
  const step = /--(?:step|from)[ =]'?"?([^\s'"]+)/.exec(m[3])?.[1]
  return { action: m[2] as Action, step, ...first }
}
