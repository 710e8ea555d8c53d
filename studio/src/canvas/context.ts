import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { Edits } from '../graph/edits'
import type { PathRun, StepRun } from '../session/run'
import { type CanvasRun, type RunStore, newRunStore } from './runStore'

/** What is laid over the steps and paths of a workflow: counts, or how much, how long, how dear. */
export interface Overlay {
  steps: Record<string, { text: string; heat: number; title: string }>
  paths: Record<string, { text: string; weight: number; title: string }>
}

export type StepCounts = Record<string, Record<string, number>>

/** The statuses in which a session stands at a step, the most urgent first. */
export const PLACES = ['awaiting_input', 'error', 'pending', 'active'] as const

export interface CanvasContext {
  run: RunStore
  /** How many sessions stand at a step, by the status the step has in them. */
  counts: StepCounts
  onCount?: (step: string, status: string) => void
  overlay?: Overlay
  /** What was changed since the page was opened. */
  edits?: Edits
  /** What the conditions of paths come to on a chosen session. */
  verdicts?: Record<string, 'true' | 'false' | 'unresolved'>
}

export const Canvas = createContext<CanvasContext>({ run: newRunStore(), counts: {} })

export const useCanvas = () => useContext(Canvas)

export function useRun<T>(select: (s: CanvasRun) => T): T {
  return useStore(useCanvas().run, select)
}

export const useStepRun = (id: string): StepRun | undefined => useRun((s) => s.steps[id])
export const usePathRun = (id: string): PathRun | undefined => useRun((s) => s.paths[id])
