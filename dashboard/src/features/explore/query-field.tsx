import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  type ChangeEvent,
  type KeyboardEvent,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Field } from '../../components/field.tsx'
import { useViewer } from '../../lib/api.ts'
import { explore } from '../../messages/explore.ts'
import { type Choice, choicesAt, placeAt, withChoice } from './complete.ts'
import { labelsQuery, metricsQuery, valuesQuery } from './queries.ts'

const text = explore
const NONE: readonly never[] = []

interface Props {
  value: string
  onChange: (value: string) => void
  onRun: () => void
  error: string | undefined
}

/** The query, with a list of what fits at the cursor. Nothing in the list is chosen before a key or a click says so: Enter runs the query. */
export function QueryField({ error, ...props }: Props) {
  const { value } = props
  const id = useId()
  const { choices, active, take, handlers } = useCompletion(props)
  const isOpen = choices.length > 0
  return (
    <div>
      <Field label={text.query} hint={text.hint} error={error}>
        {(ids) => (
          <div className="relative">
            <textarea
              rows={Math.min(10, value.split('\n').length)}
              {...ids}
              {...handlers}
              aria-autocomplete="list"
              aria-haspopup="listbox"
              aria-controls={isOpen ? id : undefined}
              aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
              autoCapitalize="off"
              autoComplete="off"
              autoCorrect="off"
              spellCheck={false}
              placeholder="vedette_cpu_percent"
              value={value}
              className="field block resize-none font-mono [field-sizing:content] sm:text-[0.95rem]"
            />
            {isOpen && <ChoiceList id={id} choices={choices} active={active} onTake={take} />}
          </div>
        )}
      </Field>
      <p role="status" className="sr-only">
        {isOpen ? text.found(choices.length) : error}
      </p>
    </div>
  )
}

/** The list and its keys. It is open while it has entries. */
function useCompletion({ value, onChange, onRun }: Omit<Props, 'error'>) {
  const area = useRef<HTMLTextAreaElement>(null)
  /** Where the cursor goes with the next value. */
  const target = useRef<number>(undefined)
  /** Undefined while the list is closed. */
  const [cursor, setCursor] = useState<number>()
  /** -1: none. */
  const [active, setActive] = useState(-1)
  const choices = useChoices(value, cursor)
  const isOpen = choices.length > 0
  useLayoutEffect(() => {
    if (target.current === undefined) return
    area.current?.setSelectionRange(target.current, target.current)
    target.current = undefined
  }, [value])
  const open = (at: number | undefined) => {
    setCursor(at)
    setActive(-1)
  }
  const take = (choice: Choice | undefined) => {
    const place = cursor === undefined ? undefined : placeAt(value, cursor)
    if (!choice || !place) return
    const next = withChoice(value, place, choice)
    target.current = next.cursor
    onChange(next.text)
    // Values follow a label, labels follow `by (`.
    open(choice.kind === 'label' || choice.kind === 'keyword' ? next.cursor : undefined)
  }
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // A choice of an input method ends with Enter too.
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (isOpen && step !== undefined) setActive(active < 0 && step < 0 ? choices.length - 1 : (active + step) % choices.length)
    else if (isOpen && event.key === 'Tab' && !event.shiftKey) take(choices[Math.max(active, 0)])
    else if (isOpen && event.key === 'Enter' && active >= 0) take(choices[active])
    else if (isOpen && event.key === 'Escape') open(undefined)
    else if (event.key === ' ' && event.ctrlKey) open(event.currentTarget.selectionStart)
    else if (event.key === 'Enter' && !event.shiftKey) {
      open(undefined)
      onRun()
    } else return
    event.preventDefault()
  }
  const type = ({ target: { value: typed, selectionStart } }: ChangeEvent<HTMLTextAreaElement>) => {
    onChange(typed)
    // Not where nothing was typed yet: the list would hide what is below at each space.
    const place = placeAt(typed, selectionStart)
    open(place && (place.typed !== '' || place.kind !== 'name') ? selectionStart : undefined)
  }
  const select = ({ currentTarget: { selectionStart } }: SyntheticEvent<HTMLTextAreaElement>) => {
    if (cursor !== undefined && selectionStart !== cursor && target.current === undefined) open(undefined)
  }
  const close = () => open(undefined)
  return { choices, active, take, handlers: { ref: area, onChange: type, onKeyDown: press, onSelect: select, onBlur: close } }
}

interface ListProps {
  id: string
  choices: readonly Choice[]
  active: number
  onTake: (choice: Choice) => void
}

function ChoiceList({ id, choices, active, onTake }: ListProps) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <ul
      ref={list}
      id={id}
      role="listbox"
      aria-label={text.choices}
      className="absolute inset-x-0 top-full z-10 mt-1 max-h-64 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-lift"
    >
      {choices.map((choice, index) => (
        <li
          key={`${choice.kind} ${choice.text}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(choice)}
          className={`flex min-w-0 cursor-pointer items-baseline gap-3 rounded-md px-2 py-1 ${index === active ? 'bg-accent-ground text-accent' : 'hover:bg-hover'}`}
        >
          <span className="min-w-0 font-mono text-[0.93rem] [overflow-wrap:anywhere]">{choice.text}</span>
          <span className="ml-auto min-w-0 shrink truncate text-[0.88rem] text-muted max-sm:hidden">
            {choice.help || text.kinds[choice.kind]}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** What fits at the cursor, of what exists. */
function useChoices(value: string, cursor: number | undefined): readonly Choice[] {
  const viewer = useViewer()
  const place = cursor === undefined ? undefined : placeAt(value, cursor)
  const { data: metrics = NONE } = useQuery(metricsQuery(viewer))
  const names = new Set(metrics.map(({ name }) => name))
  const of = place && 'metrics' in place ? place.metrics.filter((name) => names.has(name)) : NONE
  const { data: labels = NONE } = useQuery({
    ...labelsQuery(viewer, of),
    enabled: place?.kind === 'label',
    placeholderData: keepPreviousData,
  })
  const label = place?.kind === 'value' ? place.label : ''
  const { data: values = NONE } = useQuery({ ...valuesQuery(viewer, of, label), enabled: label !== '' })
  return place ? choicesAt(place, { metrics, labels, values }) : NONE
}
