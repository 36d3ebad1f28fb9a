import { VedetteError } from '@vedette/client'
import type { ChangeSet, ErrorDetail } from '@vedette/shared'
import { CHANGE_SET_TIMEOUT_MS } from '@vedette/shared/tables'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button, type ButtonVariant } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { changes } from '../../messages/changes.ts'
import { messages } from '../../messages/index.ts'
import { undoText } from './steps.ts'

/** As many are listed in a question. */
const LISTED = 20

function Sentences({ lead, sentences }: { lead: string; sentences: readonly string[] }) {
  const more = sentences.length - LISTED
  return (
    <div>
      <p className="text-soft">{lead}</p>
      <ul className="mt-1 list-disc pl-5 [overflow-wrap:anywhere]">
        {sentences.slice(0, LISTED).map((sentence, index) => (
          <li key={`${index} ${sentence}`}>{sentence}</li>
        ))}
      </ul>
      {more > 0 && <p className="mt-1 text-muted">{changes.more(String(more))}</p>}
    </div>
  )
}

interface QuestionProps {
  title: string
  action: string
  variant?: ButtonVariant
  onConfirm: () => Promise<unknown>
  onClose: () => void
  children: ReactNode
}

/** Like `Confirm`, with lists. */
function Question({ title, onConfirm, onClose, children, ...rest }: QuestionProps) {
  const form = useForm({}, onConfirm)
  return (
    <Dialog isOpen title={title} onClose={onClose}>
      <Form form={form} onCancel={onClose} {...rest}>
        {children}
      </Form>
    </Dialog>
  )
}

/** `isOpenAtOnce`: with its question. */
export function UndoButton({ set, isOpenAtOnce }: { set: ChangeSet; isOpenAtOnce: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtOnce)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{messages.actions.undo}</Button>
      {isOpen && <UndoQuestion set={set} onClose={() => setOpen(false)} />}
    </>
  )
}

/** What was changed since, by the id of the resource; empty for other refusals. */
const conflictsOf = (error: unknown): readonly ErrorDetail[] =>
  error instanceof VedetteError && error.code === 'conflict' ? error.details : []

function UndoQuestion({ set: { id, steps, undo_warnings: losses }, onClose }: { set: ChangeSet; onClose: () => void }) {
  const text = changes.undo
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const [conflicts, setConflicts] = useState<readonly ErrorDetail[]>([])
  const undo = async () => {
    try {
      const made = await client.changeSets.undo(
        id,
        { force: conflicts.map(({ path }) => path) },
        { timeoutMs: CHANGE_SET_TIMEOUT_MS },
      )
      toast(changes.takenBack)
      await navigate({ to: '/changes/$changeId', params: { changeId: made.id } })
      await cache.invalidate()
    } catch (error) {
      const found = conflictsOf(error)
      if (found.length === 0) throw error
      setConflicts(found)
    }
  }
  return (
    <Question
      title={text.title}
      action={conflicts.length > 0 ? text.overwrite : messages.actions.undo}
      variant="danger"
      onConfirm={undo}
      onClose={onClose}
    >
      <Sentences lead={text.lead} sentences={steps.toReversed().map(undoText)} />
      {losses.length > 0 && <Sentences lead={text.losses} sentences={losses} />}
      {conflicts.length > 0 && (
        <div role="alert">
          <Sentences lead={text.since} sentences={conflicts.map(({ message }) => message)} />
        </div>
      )}
    </Question>
  )
}

export function ApplyButton({ set: { id, steps } }: { set: ChangeSet }) {
  const text = changes.apply
  const { client } = useViewer()
  const cache = useCache()
  const [isOpen, setOpen] = useState(false)
  const apply = async () => {
    cache.set(['changes', id], await client.changeSets.apply(id, { timeoutMs: CHANGE_SET_TIMEOUT_MS }))
    toast(text.done)
    setOpen(false)
    await cache.invalidate()
  }
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        {text.action}
      </Button>
      {isOpen && (
        <Question title={text.title} action={text.action} onConfirm={apply} onClose={() => setOpen(false)}>
          <Sentences lead={text.lead} sentences={steps.map(({ says }) => says)} />
        </Question>
      )}
    </>
  )
}
