import { useId } from 'react'
import type { Field, Texts } from './schema'

/** Fields are the controls of a form; what stands in them is kept by whoever shows it. */
export function Fields({ fields, texts, faults, onChange, focusFirst }: { fields: Field[]; texts: Texts; faults: Record<string, string>; onChange: (name: string, value: string | boolean) => void; focusFirst?: boolean }) {
  return (
    <div className="fields">
      {fields.map((f, i) => (
        <One key={f.name} field={f} value={texts[f.name]} fault={faults[f.name]} onChange={(v) => onChange(f.name, v)} focus={focusFirst && i === 0} />
      ))}
    </div>
  )
}

function One({ field: f, value, fault, onChange, focus }: { field: Field; value: string | boolean | undefined; fault?: string; onChange: (v: string | boolean) => void; focus?: boolean }) {
  const id = useId()
  const help = `${id}-help`
  const text = typeof value === 'string' ? value : ''
  const common = {
    id,
    'aria-describedby': f.help || fault ? help : undefined,
    'aria-invalid': fault ? true : undefined,
    autoFocus: focus,
    dir: 'auto',
  }
  const placeholder = f.schema.default !== undefined ? String(f.schema.default) : f.schema.examples?.length ? `for example ${String(f.schema.examples[0])}` : undefined
  const control = () => {
    switch (f.control) {
      case 'switch':
        return (
          <label className="check" htmlFor={id}>
            <input {...common} type="checkbox" checked={value === true} onChange={(e) => onChange(e.target.checked)} /> {f.label}
          </label>
        )
      case 'choice':
        return f.choices.length <= 4 ? (
          <div className="chips" role="radiogroup" aria-label={f.label}>
            {f.choices.map((c) => (
              <label key={c.text} className={text === c.text ? 'chip-choice on' : 'chip-choice'}>
                <input type="radio" name={id} checked={text === c.text} onChange={() => onChange(c.text)} /> {c.text}
              </label>
            ))}
          </div>
        ) : (
          <select {...common} value={text} onChange={(e) => onChange(e.target.value)}>
            <option value="">Choose…</option>
            {f.choices.map((c) => (
              <option key={c.text}>{c.text}</option>
            ))}
          </select>
        )
      case 'long':
      case 'json':
        return <textarea {...common} className={f.control === 'json' ? 'code' : ''} rows={4} value={text} placeholder={placeholder ?? (f.control === 'json' ? 'JSON' : undefined)} spellCheck={f.control !== 'json'} onChange={(e) => onChange(e.target.value)} />
      case 'number':
      case 'integer':
        return <input {...common} inputMode={f.control === 'integer' ? 'numeric' : 'decimal'} value={text} placeholder={placeholder} onChange={(e) => onChange(e.target.value)} />
      case 'date':
        return <input {...common} type="date" value={text} onChange={(e) => onChange(e.target.value)} />
      case 'datetime':
        return <input {...common} type="datetime-local" value={text} onChange={(e) => onChange(e.target.value)} />
    }
    return <input {...common} value={text} placeholder={placeholder} onChange={(e) => onChange(e.target.value)} />
  }
  return (
    <div className={fault ? 'field wrong' : 'field'}>
      {f.control !== 'switch' && (
        <label htmlFor={id}>
          {f.label}
          {f.required && <span className="faint"> (required)</span>}
        </label>
      )}
      {control()}
      {(f.help || fault) && (
        <p id={help} className={fault ? 'fault' : 'help'}>
          {fault ?? f.help}
        </p>
      )}
    </div>
  )
}
