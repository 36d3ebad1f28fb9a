import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Plus } from '../../components/icons.tsx'
import { fieldTexts } from '../../lib/kind-texts.ts'
import { messages } from '../../messages/index.ts'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import type { Draft } from './draft.ts'
import { type Group, GROUPS, kindFormOf } from './kind-forms.ts'
import { kindOf } from './kind.ts'
import { kindTexts, nameOfKind, presetTexts, useMeaning } from './meaning.ts'
import { MAX_TYPED_LENGTH } from './proposals/limits.ts'

const text = monitorEditor.start
const groupTexts: Readonly<Record<Group, string>> = text.groups

const presetsOf = (type: string): Draft[] => Object.values(kindFormOf(type).presets ?? {}).map((preset) => ({ type, ...preset }))

/** What a person does first: types or pastes anything, or chooses a kind. */
export function Gallery({ onChoose }: { onChoose: (draft: Draft) => void }) {
  const [typed, setTyped] = useState('')
  const container = useRef<HTMLDivElement>(null)
  const id = useId()
  const { proposals, shown, best, isUnknown, canRead } = useMeaning(typed)
  /** The text whose meaning Enter chooses once it is known. */
  const [entered, setEntered] = useState<string>()
  useEffect(() => {
    if (!canRead || entered !== typed) return
    setEntered(undefined)
    if (best) onChoose(best)
  }, [canRead, entered, typed, best, onChoose])
  const unknown = typed.length > MAX_TYPED_LENGTH ? text.tooLong : text.notUnderstood
  const message = isUnknown ? unknown : ''
  return (
    // Arrows lead from the box through everything that can be chosen.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are those of the buttons and of the box
    <div ref={container} className="grid grid-cols-1 gap-5" onKeyDown={(event) => moveFocus(event, container.current)}>
      <Box typed={typed} message={message} onType={setTyped} onEnter={() => setEntered(typed)} />
      {proposals.length > 0 && (
        <section aria-labelledby={`${id}-proposals`}>
          <h2 id={`${id}-proposals`} className="mb-2">
            {text.proposals}
          </h2>
          <ul className="grid grid-cols-1 gap-2">
            {proposals.map((draft) => (
              <li key={`${draft.type} ${draft.url} ${draft.name}`} className="panel overflow-hidden">
                <Choice type={draft.type} onChoose={() => onChoose(draft)}>
                  <span className="block font-mono text-[0.95rem] text-soft [overflow-wrap:anywhere]">{summaryOf(draft)}</span>
                  <Extras draft={draft} />
                </Choice>
              </li>
            ))}
          </ul>
        </section>
      )}
      {GROUPS.map((group) => {
        const types = shown.filter((type) => kindFormOf(type).group === group)
        if (types.length === 0) return null
        return (
          <section key={group} aria-labelledby={`${id}-${group}`}>
            <h2 id={`${id}-${group}`} className="mb-2">
              {groupTexts[group]}
            </h2>
            <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
              {types.map((type) => (
                <Tile key={type} type={type} onChoose={onChoose} />
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

interface BoxProps {
  typed: string
  message: string
  onType: (typed: string) => void
  onEnter: () => void
}

/** Commands and crontabs have several lines. */
function Box({ typed, message, onType, onEnter }: BoxProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-semibold text-[1.05rem]">
        {text.box}
      </label>
      <textarea
        id={id}
        data-choice=""
        aria-describedby={`${id}-hint`}
        rows={1}
        value={typed}
        placeholder={text.placeholder}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is what the page is for
        autoFocus
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          onEnter()
        }}
        className="field max-h-60 min-h-11 resize-none font-mono sm:text-[1rem] [field-sizing:content]"
      />
      <p id={`${id}-hint`} className="mt-1 text-[0.9rem] text-muted">
        {text.hint}
      </p>
      <p role="status" className={message === '' ? 'sr-only' : 'mt-2 rounded-lg bg-warn-ground px-3 py-2 text-warn'}>
        {message}
      </p>
    </div>
  )
}

/** A kind, and its common uses. */
function Tile({ type, onChoose }: { type: string; onChoose: (draft: Draft) => void }) {
  const presets = presetsOf(type)
  const names = Object.keys(kindFormOf(type).presets ?? {})
  return (
    <li className="panel flex min-w-0 flex-col overflow-hidden">
      <Choice type={type} onChoose={() => onChoose({ type })}>
        <span className="block text-[0.93rem] text-soft">{kindTexts[type]?.lead}</span>
      </Choice>
      {presets.length > 0 && (
        <div className="mt-auto flex flex-wrap gap-x-1 px-2 pb-2 pl-14">
          {presets.map((preset, index) => {
            const name = presetTexts[names[index] ?? ''] ?? ''
            return (
              <Button
                key={name}
                small
                variant="quiet"
                data-choice=""
                aria-label={text.withPreset(nameOfKind(type), name)}
                onClick={() => onChoose(preset)}
              >
                <Plus size={13} aria-hidden="true" />
                {name}
              </Button>
            )
          })}
        </div>
      )}
    </li>
  )
}

function Choice({ type, onChoose, children }: { type: string; onChoose: () => void; children: ReactNode }) {
  const { Icon } = kindFormOf(type)
  return (
    <button
      type="button"
      data-choice=""
      onClick={onChoose}
      className="-outline-offset-2 flex w-full items-start gap-3 px-3.5 py-3 text-left transition-colors hover:bg-hover"
    >
      <span className="mt-0.5 inline-flex size-9 shrink-0 items-center justify-center rounded-lg bg-accent-ground text-accent">
        <Icon size={18} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block font-semibold">{nameOfKind(type)}</span>
        {children}
      </span>
    </button>
  )
}

/** The address, or the schedule of a heartbeat. */
function summaryOf({ type, url = '', name, method, options }: Draft): string {
  const schedule = options?.['schedule']
  if (type === 'heartbeat')
    return [name, schedule === undefined ? undefined : kindOf(type).optionText?.(schedule, 'schedule')]
      .filter(Boolean)
      .join(' · ')
  if (type === 'composite') return name ?? ''
  // Schemes of other kinds are known to the API alone.
  const target = kindFormOf(type).address.isWhole ? url : url.replace(/^[a-z]+:\/\/\/?/, '').replace('?type=', ' ')
  return method === undefined ? target : `${method} ${target}`
}

/** What else a draft has, by its names: the values may be secrets. */
function Extras({ draft: { type, credentials = {}, headers = [], body } }: { draft: Draft }) {
  const { fields } = messages.monitors
  const labels = [
    ...Object.keys(credentials).map((name) => fieldTexts(type, name).label),
    ...(headers.length > 0 ? [fields.headers] : []),
    ...(body === undefined ? [] : [fields.body]),
  ]
  return labels.length === 0 ? null : <span className="block text-[0.9rem] text-muted">+ {labels.join(', ')}</span>
}

const STEPS: Readonly<Record<string, -1 | 1>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }

/** In the box the arrows move the caret, except out of its last or only line. */
function moveFocus(event: KeyboardEvent, container: HTMLElement | null): void {
  const by = STEPS[event.key]
  const { activeElement: active } = document
  if (by === undefined || !container || !active) return
  const isBox = active.localName === 'textarea'
  if (isBox && (event.key !== 'ArrowDown' || (active as HTMLTextAreaElement).value.includes('\n'))) return
  const choices = [...container.querySelectorAll<HTMLElement>('[data-choice]')]
  const next = choices[choices.indexOf(active as HTMLElement) + by]
  if (!next) return
  event.preventDefault()
  next.focus()
}
