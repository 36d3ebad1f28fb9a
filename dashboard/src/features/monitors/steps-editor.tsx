import { CHECK_METHODS, MAX_CAPTURES, MAX_STEPS, type Step, type StepCapture } from '@vedette/shared/tables'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { FieldError, SelectField, TextField } from '../../components/field.tsx'
import { Plus, X } from '../../components/icons.tsx'
import { Panel } from '../../components/page.tsx'
import { errorsBelow, newKey } from '../../lib/rows.ts'
import { messages } from '../../messages/index.ts'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { AssertionRows } from './assertion-rows.tsx'
import { BodyField, HeaderRows } from './header-rows.tsx'
import { takesBody, toAssertion, toAssertionInput, toHeaderInput, toHeaders } from './input.ts'

const { fields } = messages.monitors
const { steps: text, editor } = monitorEditor

interface Props {
  steps: readonly Step[]
  /** By path, as `options.steps.0.url`. */
  errors: Readonly<Record<string, string>>
  onChange: (steps: Step[]) => void
}

const NEW_STEP: Step = { name: '', url: '' }

/** The requests of a check in steps, in their order. */
export default function StepsEditor({ steps, errors, onChange }: Props) {
  const [keys, setKeys] = useState(() => steps.map(newKey))
  const change = (next: Step[], nextKeys: number[]) => {
    setKeys(nextKeys)
    onChange(next)
  }
  return (
    <>
      {steps.map((step, index) => (
        <StepPanel
          key={keys[index]}
          step={step}
          title={text.step(index + 1)}
          errors={errorsBelow(errors, `options.steps.${index}.`)}
          onChange={(part) => onChange(steps.map((one, at) => (at === index ? withPart(one, part) : one)))}
          onRemove={
            steps.length > 1
              ? () =>
                  change(
                    steps.filter((_, at) => at !== index),
                    keys.filter((_, at) => at !== index),
                  )
              : undefined
          }
        />
      ))}
      <FieldError id="steps" error={errors['options.steps']} />
      {steps.length < MAX_STEPS && (
        <Button small className="justify-self-start" onClick={() => change([...steps, NEW_STEP], [...keys, newKey()])}>
          <Plus size={14} aria-hidden="true" />
          {text.add}
        </Button>
      )}
    </>
  )
}

type Part = { [Name in keyof Step]?: Step[Name] | undefined }

/** Undefined removes a field: a request without a body has none. */
const withPart = (step: Step, part: Part): Step =>
  Object.fromEntries(Object.entries({ ...step, ...part }).filter(([, value]) => value !== undefined)) as unknown as Step

interface StepProps {
  step: Step
  title: string
  errors: Readonly<Record<string, string>>
  onChange: (part: Part) => void
  onRemove: (() => void) | undefined
}

function StepPanel({ step, title, errors, onChange, onRemove }: StepProps) {
  // As they are typed: a header without a name, or a number that is none yet.
  const [headers, setHeaders] = useState(() => toHeaderInput(step.headers ?? {}))
  const [assertions, setAssertions] = useState(() => (step.assertions ?? []).map(toAssertionInput))
  const { name, url, method = 'GET', body = '', captures = [] } = step
  const remove = onRemove && (
    <IconButton label={text.remove} onClick={onRemove}>
      <X size={16} />
    </IconButton>
  )
  return (
    <Panel title={title} aside={remove}>
      <div className="grid gap-4 pt-1">
        <TextField
          label={fields.name}
          value={name}
          error={errors['name']}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
          <TextField
            label={fields.url}
            hint={text.urlHint}
            spellCheck={false}
            autoComplete="off"
            value={url}
            error={errors['url']}
            onChange={({ target }) => onChange({ url: target.value })}
          />
          <SelectField
            label={fields.method}
            value={method}
            error={errors['method']}
            onChange={({ target }) => {
              const chosen = target.value as NonNullable<Step['method']>
              onChange({ method: chosen, ...(takesBody(chosen) ? {} : { body: undefined }) })
            }}
          >
            {CHECK_METHODS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </SelectField>
        </div>
        <HeaderRows
          headers={headers}
          errors={errors}
          onChange={(next) => {
            setHeaders(next)
            onChange({ headers: toHeaders(next) })
          }}
        />
        {takesBody(method) && (
          <BodyField
            rows={3}
            value={body}
            error={errors['body']}
            onChange={(next) => onChange({ body: next === '' ? undefined : next })}
          />
        )}
        <fieldset className="grid gap-2">
          <legend className="mb-1 font-semibold text-[0.95rem]">{fields.assertions}</legend>
          <AssertionRows
            checkType="http"
            assertions={assertions}
            errors={errors}
            onChange={(next) => {
              setAssertions(next)
              onChange({ assertions: next.map(toAssertion) })
            }}
          />
        </fieldset>
        <Captures captures={captures} errors={errors} onChange={(next) => onChange({ captures: next })} />
      </div>
    </Panel>
  )
}

interface CaptureProps {
  captures: readonly StepCapture[]
  errors: Readonly<Record<string, string>>
  onChange: (captures: StepCapture[]) => void
}

function Captures({ captures, errors, onChange }: CaptureProps) {
  const set = (index: number, next: StepCapture) => onChange(captures.map((one, at) => (at === index ? next : one)))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-semibold text-[0.95rem]">{text.captures}</legend>
      <p className="text-[0.9rem] text-muted">{text.capturesHint}</p>
      {captures.map(({ name, json_path: jsonPath, header }, index) => {
        const source = header === undefined ? 'json_path' : 'header'
        const path = `captures.${index}`
        const error = errors[path] ?? errors[`${path}.name`] ?? errors[`${path}.${source}`]
        return (
          // oxlint-disable-next-line react/no-array-index-key -- rows have no state of their own
          <div key={index}>
            <div className="flex flex-wrap items-center gap-2">
              <input
                aria-label={text.captureName}
                value={name}
                spellCheck={false}
                placeholder="session"
                onChange={({ target }) => set(index, { name: target.value, [source]: header ?? jsonPath ?? '' })}
                className="field w-32 flex-1"
              />
              <select
                aria-label={text.captureFrom}
                value={source}
                onChange={({ target }) => set(index, { name, [target.value]: '' })}
                className="field w-auto"
              >
                <option value="json_path">{text.jsonPath}</option>
                <option value="header">{text.header}</option>
              </select>
              <input
                aria-label={editor.property}
                value={header ?? jsonPath ?? ''}
                spellCheck={false}
                placeholder={source === 'header' ? 'location' : '$.token'}
                onChange={({ target }) => set(index, { name, [source]: target.value })}
                className="field w-36 flex-1"
              />
              <IconButton label={text.removeCapture} onClick={() => onChange(captures.filter((_, at) => at !== index))}>
                <X size={16} />
              </IconButton>
            </div>
            <FieldError id={`capture-${index}`} error={error} />
          </div>
        )
      })}
      {captures.length < MAX_CAPTURES && (
        <Button small className="justify-self-start" onClick={() => onChange([...captures, { name: '', json_path: '' }])}>
          <Plus size={14} aria-hidden="true" />
          {text.addCapture}
        </Button>
      )}
    </fieldset>
  )
}
