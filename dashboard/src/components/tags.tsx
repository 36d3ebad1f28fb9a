import { MAX_TAG_LENGTH, MAX_TAGS } from '@vedette/shared/tables'
import { X } from './icons.tsx'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useViewer } from '../lib/api.ts'
import { tagsOf } from '../lib/state-groups.ts'
import { statesQuery } from '../lib/states.ts'
import { messages } from '../messages/index.ts'

const CHIP =
  'inline-flex min-w-0 max-w-44 items-center gap-1 rounded-md bg-idle-ground px-1.5 text-[0.86rem] leading-5.5 text-soft'

const HUES = ['fill-chart-1', 'fill-chart-2', 'fill-chart-3', 'fill-chart-4', 'fill-chart-5', 'fill-chart-6'] as const

/** A tag has the same colour everywhere. */
export function TagDot({ tag }: { tag: string }) {
  let sum = 0
  for (const character of tag) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9_973
  return (
    <svg viewBox="0 0 8 8" aria-hidden="true" className={`size-2 shrink-0 ${HUES[sum % HUES.length]}`}>
      <circle cx="4" cy="4" r="4" />
    </svg>
  )
}

interface ListProps {
  tags: readonly string[]
  /** Makes each tag a button. */
  onTag?: (tag: string) => void
  /** Further tags are counted, and all are in one line that may be narrower than their names. */
  most?: number
}

export function Tags({ tags, onTag, most = MAX_TAGS }: ListProps) {
  if (tags.length === 0) return null
  return (
    <span className={`flex min-w-0 items-center gap-1 ${most < MAX_TAGS ? '' : 'flex-wrap'}`}>
      {tags.slice(0, most).map((tag) =>
        onTag ? (
          <button
            key={tag}
            type="button"
            title={messages.list.filterByTag(tag)}
            onClick={() => onTag(tag)}
            className={`${CHIP} min-h-[24px] hover:bg-accent-ground hover:text-accent`}
          >
            <TagDot tag={tag} />
            <span className="truncate">{tag}</span>
          </button>
        ) : (
          <span key={tag} className={CHIP}>
            <TagDot tag={tag} />
            <span className="truncate">{tag}</span>
          </span>
        ),
      )}
      {tags.length > most && (
        <span className="shrink-0 text-[0.86rem] text-muted" title={tags.slice(most).join(', ')}>
          +{tags.length - most}
        </span>
      )}
    </span>
  )
}

/** The active tag filters; a click removes one. */
export function TagFilters({ tags, onRemove }: { tags: readonly string[]; onRemove: (tag: string) => void }) {
  return tags.map((tag) => (
    <button
      key={tag}
      type="button"
      aria-label={messages.list.removeTag(tag)}
      onClick={() => onRemove(tag)}
      className="inline-flex min-h-7.5 items-center gap-1.5 rounded-lg bg-accent-ground px-2.5 text-accent hover:text-accent-strong"
    >
      {tag}
      <X size={13} aria-hidden="true" />
    </button>
  ))
}

/** The tags in use, as suggestions of a field. */
export function KnownTags({ id, without = [] }: { id: string; without?: readonly string[] }) {
  const { data } = useQuery(statesQuery(useViewer()))
  return (
    <datalist id={id}>
      {data &&
        tagsOf(data)
          .filter((tag) => !without.includes(tag))
          .map((tag) => <option key={tag} value={tag} />)}
    </datalist>
  )
}

/** A field for several tags. */
export function TagEditor({ tags, onChange }: { tags: readonly string[]; onChange: (tags: string[]) => void }) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const [isUsed, setUsed] = useState(false)
  const add = (text: string) => {
    const added = text.split(',').map((tag) => tag.trim().slice(0, MAX_TAG_LENGTH))
    setTyped('')
    const all = [...new Set([...tags, ...added])].filter((tag) => tag !== '').slice(0, MAX_TAGS)
    if (all.length > tags.length) onChange(all)
  }
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-semibold text-[0.95rem]">
        {messages.tags.label}
      </label>
      <div className="field flex flex-wrap items-center gap-1.5 py-1.5 focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-2">
        {tags.map((tag) => (
          <span key={tag} className={`${CHIP} pr-0.5`}>
            <TagDot tag={tag} />
            <span className="truncate">{tag}</span>
            <button
              type="button"
              aria-label={messages.tags.remove(tag)}
              onClick={() => onChange(tags.filter((each) => each !== tag))}
              className="tiny-control rounded p-0.5 hover:bg-hover"
            >
              <X size={12} />
            </button>
          </span>
        ))}
        <input
          id={id}
          aria-describedby={`${id}-hint`}
          list={`${id}-known`}
          autoComplete="off"
          value={typed}
          onFocus={() => setUsed(true)}
          // Several that are pasted are added at once: added later, by a click on Save, they would move the button away.
          onChange={({ target: { value } }) => (value.includes(',') ? add(value) : setTyped(value))}
          onBlur={() => add(typed)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' || event.key === ',') {
              event.preventDefault()
              add(typed)
            }
            if (event.key === 'Backspace' && typed === '') onChange(tags.slice(0, -1))
          }}
          className="min-w-24 flex-1 bg-transparent outline-none"
        />
      </div>
      {isUsed && <KnownTags id={`${id}-known`} without={tags} />}
      <p id={`${id}-hint`} className="mt-1 text-[0.9rem] text-muted">
        {messages.tags.hint}
      </p>
    </div>
  )
}
