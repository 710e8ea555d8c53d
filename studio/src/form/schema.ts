/** Forms from a JSON Schema: which fields there are, and what of their text is wrong. */

export interface Schema {
  type?: string | string[]
  title?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}

export type Control = 'text' | 'long' | 'number' | 'integer' | 'switch' | 'choice' | 'date' | 'datetime' | 'json'

export interface Field {
  name: string
  label: string
  help: string
  control: Control
  required: boolean
  schema: Schema
  choices: { text: string; value: unknown }[]
}

export const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v)

export function typeOf(s: Schema): string {
  if (Array.isArray(s.type)) return s.type.find((t) => t !== 'null') ?? 'null'
  if (s.type) return s.type
  if (s.properties) return 'object'
  return ''
}

function controlOf(s: Schema): Control {
  if (s.enum || s.const !== undefined) return 'choice'
  switch (typeOf(s)) {
    case 'string':
      if (s.format === 'date') return 'date'
      if (s.format === 'date-time') return 'datetime'
      return (s.maxLength ?? 0) > 200 || s.format === 'multiline' ? 'long' : 'text'
    case 'number':
      return 'number'
    case 'integer':
      return 'integer'
    case 'boolean':
      return 'switch'
  }
  return 'json'
}

const words = (name: string) => {
  const text = name.replaceAll(/[_-]+/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function fieldOf(name: string, s: Schema, required: boolean): Field {
  const values = s.enum ?? (s.const !== undefined ? [s.const] : [])
  return {
    name,
    label: s.title ?? (name ? words(name) : 'Your answer'),
    help: [s.description, rangeWords(s)].filter(Boolean).join(' '),
    control: controlOf(s),
    required,
    schema: s,
    choices: values.map((value) => ({ text: typeof value === 'string' ? value : JSON.stringify(value), value })),
  }
}

/** fieldsOf are the fields of an object's schema; undefined when it is not an object with known properties. */
export function fieldsOf(s: Schema): Field[] | undefined {
  if (typeOf(s) !== 'object' || !s.properties || Object.keys(s.properties).length === 0) return undefined
  return Object.entries(s.properties).map(([name, p]) => fieldOf(name, p, s.required?.includes(name) ?? false))
}

export function rangeWords(s: Schema): string {
  const low = s.minimum ?? s.exclusiveMinimum
  const high = s.maximum ?? s.exclusiveMaximum
  if (low !== undefined && high !== undefined) return `From ${low} to ${high}.`
  if (low !== undefined) return s.minimum === undefined ? `More than ${low}.` : `At least ${low}.`
  if (high !== undefined) return s.maximum === undefined ? `Less than ${high}.` : `At most ${high}.`
  if (s.minLength && s.maxLength) return `${s.minLength} to ${s.maxLength} characters.`
  if (s.maxLength && s.maxLength < 10000) return `At most ${s.maxLength} characters.`
  return ''
}

export type Read = { value: unknown } | { fault: string } | { absent: true }

/** read makes of what stands in a field the value that is sent. */
export function read(f: Field, text: string | boolean | undefined): Read {
  if (f.control === 'switch') return { value: text === true || text === 'true' }
  const raw = typeof text === 'string' ? text : ''
  if (raw.trim() === '') return f.required ? { fault: 'Fill this in.' } : { absent: true }
  const s = f.schema
  switch (f.control) {
    case 'choice': {
      const found = f.choices.find((c) => c.text === raw)
      return found ? { value: found.value } : { fault: 'Choose one of the list.' }
    }
    case 'number':
    case 'integer':
      return readNumber(f, raw)
    case 'datetime': {
      const at = new Date(raw)
      return Number.isNaN(at.getTime()) ? { fault: 'Give a date and a time.' } : { value: at.toISOString() }
    }
    case 'json':
      return readJSON(raw, s)
  }
  if (s.minLength && raw.length < s.minLength) return { fault: `At least ${s.minLength} characters, there are ${raw.length}.` }
  if (s.maxLength && raw.length > s.maxLength) return { fault: `At most ${s.maxLength} characters, there are ${raw.length}.` }
  if (s.pattern && !matches(s.pattern, raw)) return { fault: `This does not match the pattern (${s.pattern}).` }
  return { value: raw }
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true // the server judges patterns that this browser cannot read
  }
}

function readNumber(f: Field, raw: string): Read {
  const s = f.schema
  const n = Number(raw.trim().replace(',', '.'))
  if (!Number.isFinite(n)) return { fault: 'Give a number.' }
  if (f.control === 'integer' && !Number.isInteger(n)) return { fault: 'Give a whole number.' }
  const out =
    (s.minimum !== undefined && n < s.minimum) ||
    (s.maximum !== undefined && n > s.maximum) ||
    (s.exclusiveMinimum !== undefined && n <= s.exclusiveMinimum) ||
    (s.exclusiveMaximum !== undefined && n >= s.exclusiveMaximum)
  return out ? { fault: rangeWords(s) } : { value: n }
}

function readJSON(raw: string, s: Schema): Read {
  try {
    return { value: JSON.parse(raw) }
  } catch (error) {
    const type = typeOf(s)
    if (type === '' || type === 'string') return { value: raw }
    return { fault: `This is not valid JSON: ${(error as Error).message}` }
  }
}

/** shown is a value as its field shows it at the beginning. */
export function shown(f: Field, value: unknown): string | boolean {
  if (f.control === 'switch') return value === true
  if (value === undefined || value === null) return ''
  if (f.control === 'datetime' && typeof value === 'string') return value.slice(0, 16)
  if (typeof value === 'string') return value
  return f.control === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

export type Texts = Record<string, string | boolean>

/** readAll reads a whole form; faults are by field. */
export function readAll(fields: Field[], texts: Texts): { value: Record<string, unknown>; faults: Record<string, string> } {
  const value: Record<string, unknown> = {}
  const faults: Record<string, string> = {}
  for (const f of fields) {
    const got = read(f, texts[f.name])
    if ('fault' in got) faults[f.name] = got.fault
    else if ('value' in got) value[f.name] = got.value
  }
  return { value, faults }
}

/** guess makes a schema of a value, so that the input of an approval can be edited field by field. */
export function guess(value: unknown): Schema {
  if (isObject(value)) {
    return { type: 'object', properties: Object.fromEntries(Object.entries(value).map(([k, v]) => [k, { ...guess(v), title: k }])) }
  }
  if (typeof value === 'string') return { type: 'string', ...(value.length > 60 || value.includes('\n') ? { format: 'multiline' } : {}) }
  if (typeof value === 'number') return { type: 'number' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  return {}
}
