import { useBlocker } from '@tanstack/react-router'
import type { EditConflict } from '../lib/use-edit.ts'
import { messages } from '../messages/index.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

const text = messages.editing

/** Asks before a page with unsaved changes is left. `isSaving`: its own save leaves it. */
export function LeaveGuard({ isDirty, isSaving }: { isDirty: boolean; isSaving: boolean }) {
  const isGuarded = isDirty && !isSaving
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isGuarded && current.pathname !== next.pathname,
    enableBeforeUnload: isGuarded,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog isOpen title={text.discardTitle} description={text.discardLead} onClose={blocker.reset}>
      <div className="flex justify-end gap-2">
        <Button variant="danger" onClick={blocker.proceed}>
          {text.discard}
        </Button>
        <Button variant="primary" onClick={blocker.reset}>
          {text.keepEditing}
        </Button>
      </div>
    </Dialog>
  )
}

interface ConflictProps<Input> {
  conflict: EditConflict<Input> | undefined
  /** Changes the form, which keeps what was typed in other fields. */
  onTake: (theirs: Partial<Input>) => void
  /** Labels of fields by their API names, beyond those that all editors share. */
  labels?: Readonly<Record<string, { label: string }>>
}

/** The fields that somebody else changed as well, with both values. */
export function ConflictNotice<Input>({ conflict, onTake, labels = {} }: ConflictProps<Input>) {
  if (!conflict) return null
  const { close, theirs: taken } = conflict
  const nameOf = (name: string): string => text.fields[name] ?? labels[name]?.label ?? name
  return (
    <section role="alert" className="panel mb-4 grid gap-3 border-warn-bar p-4">
      <h2>{text.conflictTitle}</h2>
      <p className="text-soft">{text.conflictLead}</p>
      <dl className="grid gap-2">
        {conflict.fields.map(({ name, mine, theirs }) => (
          <div key={name} className="grid gap-x-4 sm:grid-cols-[10rem_minmax(0,1fr)_minmax(0,1fr)]">
            <dt className="font-semibold">{nameOf(name)}</dt>
            <dd>
              <span className="text-muted">{text.mine}</span> {valueText(mine, nameOf)}
            </dd>
            <dd>
              <span className="text-muted">{text.theirs}</span> {valueText(theirs, nameOf)}
            </dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-wrap gap-2">
        <Button onClick={close}>{text.keepMine}</Button>
        <Button
          onClick={() => {
            onTake(taken)
            close()
          }}
        >
          {text.takeTheirs}
        </Button>
      </div>
    </section>
  )
}

/** A value of the API in words; of an object the fields that have one. */
function valueText(value: unknown, nameOf: (name: string) => string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? messages.yes : messages.no
  if (Array.isArray(value)) return value.map((each) => valueText(each, nameOf)).join(', ') || messages.unknown
  const filled = Object.entries(value ?? {}).filter(([, each]) => each !== null)
  return filled.map(([name, each]) => `${nameOf(name)}: ${valueText(each, nameOf)}`).join(', ') || messages.unknown
}
