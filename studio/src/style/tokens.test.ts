import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

function tokens(selector: string): Record<string, string> {
  const body = css.slice(css.indexOf(selector + ' {')).split('{')[1].split('}')[0]
  return Object.fromEntries([...body.matchAll(/--([a-z0-9-]+):\s*(#[0-9a-f]{6})/g)].map((m) => [m[1], m[2]]))
}

const light = tokens(':root')
const themes: Record<string, Record<string, string>> = {
  light,
  dark: { ...light, ...tokens(":root[data-theme='dark']") },
  'high contrast': { ...light, ...tokens(":root[data-contrast='more']") },
  'dark, high contrast': {
    ...light, ...tokens(":root[data-theme='dark']"), ...tokens(":root[data-contrast='more']"),
    ...tokens(":root[data-theme='dark'][data-contrast='more']"),
  },
}

const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
const rgb = (hex: string) => [1, 3, 5].map((i) => linear(parseInt(hex.slice(i, i + 2), 16) / 255))
const luminance = (hex: string) => rgb(hex).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
export function contrast(a: string, b: string): number {
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (hi + 0.05) / (lo + 0.05)
}

/** Colour vision after Machado, Oliveira and Fernandes (2009), at full strength. */
const VISION: Record<string, number[][]> = {
  full: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}

function lab(hex: string, vision: string): number[] {
  const c = VISION[vision].map((row) => Math.min(1, Math.max(0, row.reduce((s, k, i) => s + k * rgb(hex)[i], 0))))
  const xyz = [
    (0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.95047,
    0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2],
    (0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.08883,
  ].map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116))
  return [116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])]
}

describe.each(Object.entries(themes))('%s', (name, t) => {
  const plain = name === 'light' || name === 'dark'
  it('has text that can be read', () => {
    for (const surface of ['surface', 'ground', 'sunken']) {
      expect(contrast(t.ink, t[surface])).toBeGreaterThanOrEqual(7)
      for (const ink of ['ink-2', 'ink-3', 'link', 'bad-ink']) expect(contrast(t[ink], t[surface]), `${ink} on ${surface}`).toBeGreaterThanOrEqual(4.5)
    }
    expect(contrast(t['accent-ink'], t.accent)).toBeGreaterThanOrEqual(4.5)
    for (const soft of ['running-soft', 'complete-soft', 'failed-soft', 'awaiting-soft', 'pending-soft', 'accent-soft']) {
      if (plain) expect(contrast(t.ink, t[soft]), soft).toBeGreaterThanOrEqual(7)
    }
  })
  it('has borders of states that can be seen', () => {
    for (const state of ['running', 'complete', 'failed', 'awaiting', 'idle', 'pending']) expect(contrast(t[state], t.surface), state).toBeGreaterThanOrEqual(3)
    expect(contrast(t.focus, t.surface)).toBeGreaterThanOrEqual(3)
  })
})

describe.each(['light', 'dark'])('%s', (name) => {
  const t = themes[name]
  it('has states that every kind of colour vision can tell apart', () => {
    const states = ['running', 'complete', 'failed', 'awaiting']
    for (const vision of Object.keys(VISION))
      for (let i = 0; i < states.length; i++)
        for (let j = i + 1; j < states.length; j++) {
          const [a, b] = [lab(t[states[i]], vision), lab(t[states[j]], vision)]
          expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), `${states[i]} and ${states[j]}, ${vision}`).toBeGreaterThan(25)
        }
  })
})
