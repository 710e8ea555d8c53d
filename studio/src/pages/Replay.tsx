import { Pause, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Moment } from '../session/run'
import { clock, duration } from '../ui/format'
import { Button } from '../ui/parts'

/** Replay goes through a finished session moment by moment; the place is in the address. */
export function Replay({ moments, title, at, onAt }: { moments: Moment[]; title: (step: string) => string; at?: number; onAt: (at: number | undefined) => void }) {
  const [playing, setPlaying] = useState(false)
  const place = Math.min(at ?? moments.length, moments.length)
  useEffect(() => {
    if (!playing) return
    if (place >= moments.length) {
      setPlaying(false)
      return
    }
    const timer = setTimeout(() => onAt(place + 1 >= moments.length ? undefined : place + 1), 450)
    return () => clearTimeout(timer)
  }, [playing, place, moments.length, onAt])
  const now = place > 0 ? moments[place - 1] : undefined
  const words = now ? `${title(now.execution.step)} ${now.kind === 'start' ? 'begins' : 'ends'}` : 'before the start'
  return (
    <div className="replay" role="group" aria-label="Replay">
      <Button
        quiet
        aria-label={playing ? 'Stop the replay' : 'Play'}
        icon={playing ? <Pause size={16} /> : <Play size={16} />}
        onClick={() => {
          if (!playing && place >= moments.length) onAt(0)
          setPlaying(!playing)
        }}
      />
      <input
        type="range"
        min={0}
        max={moments.length}
        value={place}
        aria-label="Moment"
        aria-valuetext={words}
        onChange={(e) => {
          setPlaying(false)
          const n = Number(e.target.value)
          onAt(n >= moments.length ? undefined : n)
        }}
      />
      <span className="replay-words" title={now ? clock(now.at) : ''}>
        {place >= moments.length ? 'The end' : words}
        {now && <span className="faint"> +{duration(now.at - moments[0].at)}</span>}
      </span>
    </div>
  )
}
