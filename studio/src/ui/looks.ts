import { Ban, Check, Circle, CircleDashed, Clock, Hand, Loader, Minus, OctagonX, Pause } from 'lucide-react'

type Look = { text: string; icon: typeof Check; tone: string }

/** Each status by icon, word and tone; the canvas adds the border. */
export const LOOKS: Record<string, Look> = {
  idle: { text: 'Not reached', icon: Circle, tone: 'idle' },
  active: { text: 'Running', icon: Loader, tone: 'running' },
  running: { text: 'Running', icon: Loader, tone: 'running' },
  pending: { text: 'Pending', icon: Clock, tone: 'pending' },
  complete: { text: 'Complete', icon: Check, tone: 'complete' },
  answered: { text: 'Answered', icon: Check, tone: 'complete' },
  error: { text: 'Failed', icon: OctagonX, tone: 'failed' },
  failed: { text: 'Failed', icon: OctagonX, tone: 'failed' },
  skipped: { text: 'Skipped', icon: Minus, tone: 'idle' },
  cancelled: { text: 'Cancelled', icon: Ban, tone: 'idle' },
  stopped: { text: 'Stopped', icon: Ban, tone: 'idle' },
  round: { text: 'Model round', icon: Check, tone: 'complete' },
  lost: { text: 'Lost', icon: CircleDashed, tone: 'idle' },
  awaiting_input: { text: 'Waiting for an answer', icon: Hand, tone: 'awaiting' },
  paused: { text: 'Paused', icon: Pause, tone: 'pending' },
}

export function lookOf(status: string): Look {
  return LOOKS[status] ?? { text: status.replaceAll('_', ' '), icon: Circle, tone: 'idle' }
}
