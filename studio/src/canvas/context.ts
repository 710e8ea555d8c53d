import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { PathRun, StepRun } from '../session/run'
import { type CanvasRun, type RunStore, newRunStore } from './runStore'

/** What is laid over the steps and paths of a workflow: counts, or how much, how long, how dear. */
export interface Overlay {
  steps: Record<string, { text: string; heat: number; title: string }>
  paths: Record<string, { text: string; weight: number; title: string }>
}

export interface CanvasContext {
  run: RunStore
  /** Open questions by step, over all sessions. */
  waiting: Record<string, number>
  onWaiting?: (step: string) => void
  overlay?: Overlay
}

export const Canvas = createContext<CanvasContext>({ run: newRunStore(), waiting: {} })

export const useCanvas = () => useContext(Canvas)

export function useRun<T>(select: (s: CanvasRun) => T): T {
  return useStore(useCanvas().run, select)
}

export const useStepRun = (id: string): StepRun | undefined => useRun((s) => s.steps[id])
export const usePathRun = (id: string): PathRun | undefined => useRun((s) => s.paths[id])
